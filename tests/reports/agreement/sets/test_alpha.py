"""Alpha of sets against reference values, by hand, and against the library krippendorff."""

import itertools

import pytest

from reports.agreement.sets.alpha import set_alpha
from tests.reports.agreement.sets.samples import NINE_ITEMS, random_sets, sets_of
from tests.sizes import only_in_full


def jaccard(a: str, b: str) -> float:
    return len(set(a) & set(b)) / len(set(a) | set(b)) if a or b else 1.0


def masi(a: str, b: str) -> float:
    one, other = set(a), set(b)
    if one == other:
        return 1.0
    if one <= other or other <= one:
        return jaccard(a, b) * 2 / 3
    return jaccard(a, b) / 3 if one & other else 0.0


def by_coincidences(rows, similarity) -> float:
    """Alpha from the coincidences of all pairs of labels, as Krippendorff 2011 writes it."""
    units = [[each for each in row if each is not None] for row in rows]
    units = [unit for unit in units if len(unit) >= 2]
    labels = [label for unit in units for label in unit]
    observed = sum(
        (1 - similarity(a, b)) / (len(unit) - 1) for unit in units for a, b in itertools.permutations(unit, 2)
    )
    expected = sum(1 - similarity(a, b) for a, b in itertools.permutations(labels, 2))
    return 1 - (len(labels) - 1) * observed / expected


@pytest.mark.parametrize(
    ("distance", "value"), [("jaccard", 0.3156199677938808), ("masi", 0.2730806608357629)]
)
def test_the_nine_items(distance, value):
    """Python: krippendorff.alpha with the distance as a function; M = 1, 2/3, 1/3, 0 as Passonneau 2006 has it."""
    assert set_alpha(sets_of(NINE_ITEMS), distance).value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(("distance", "similarity"), [("jaccard", jaccard), ("masi", masi)])
@pytest.mark.parametrize("seed", range(3))
def test_missing_labels_and_many_raters(distance, similarity, seed):
    rows = random_sets(seed)

    found = set_alpha(sets_of(rows, "ABCD"), distance)

    assert found.value == pytest.approx(by_coincidences(rows, similarity), abs=1e-12)


@pytest.mark.parametrize("distance", ["jaccard", "masi"])
def test_sets_of_one_have_the_nominal_alpha(distance):
    """Krippendorff 2011, section C: nominal data of two observers, alpha .692."""
    found = set_alpha(sets_of(list(zip("aabbdcccedda", "babbbccceddd", strict=True)), "abcde"), distance)

    assert round(found.value, 3) == 0.692


@only_in_full
def test_the_error_is_close_to_leaving_out_each_item():
    rows = random_sets(11, n_items=60)
    found = set_alpha(sets_of(rows, "ABCD"), "masi")

    without = [by_coincidences(rows[:item] + rows[item + 1 :], masi) for item in range(len(rows))]

    mean = sum(without) / len(without)
    jackknife = ((len(rows) - 1) / len(rows) * sum((each - mean) ** 2 for each in without)) ** 0.5
    assert found.se == pytest.approx(jackknife, rel=0.05)


@pytest.mark.parametrize(
    ("rows", "value", "reason"),
    [
        ([], None, "no_items"),
        ([("A", None), (None, "B")], None, "no_overlap"),
        ([("AB", "AB"), ("AB", "AB")], None, "no_variation"),
        ([("", ""), ("", "")], None, "no_variation"),
        ([("A", "A"), ("", "")], 1.0, "degenerate_se"),
        ([("A", "B")], 0.0, "n<2"),
    ],
)
def test_cases_without_value_or_interval(rows, value, reason):
    found = set_alpha(sets_of(rows), "masi")

    assert (found.value, found.ci_low, str(found.reason)) == (value, None, reason)
