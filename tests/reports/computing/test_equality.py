import pytest

from reports.analysis.equality import same_figures


@pytest.mark.parametrize(
    ("found", "stored"),
    [
        (0.48514096699859516, 0.4851409669985952),
        (1.0175730268021859e-143, 1.01757302680207e-143),
        (1e30, 10**30),
        ({"value": None, "reason": "no_overlap"}, {"reason": "no_overlap", "value": None}),
        ([1, [0.5]], [1, [0.5 + 1e-15]]),
    ],
)
def test_rounding_is_no_difference(found, stored):
    assert same_figures(found, stored)
    assert same_figures(stored, found)


@pytest.mark.parametrize(
    ("found", "stored"),
    [
        (0.4851, 0.48510001),
        (0.0, None),
        (1, True),
        (12, 13),
        ("no_overlap", "n<2"),
        ({"value": 1.0}, {"value": 1.0, "se": None}),
        ([0.5], [0.5, 0.5]),
        ([], ""),
    ],
)
def test_everything_else_is(found, stored):
    assert not same_figures(found, stored)
    assert not same_figures(stored, found)
