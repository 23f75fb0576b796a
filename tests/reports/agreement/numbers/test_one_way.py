"""ICC(1,1) and ICC(1,k) of raters who differ from item to item."""

import numpy as np
import pytest

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.one_way import (
    mean_squares,
    one_way_correlations,
    one_way_statistics,
    rated_items,
)
from reports.agreement.sample import Scale

NAN = np.nan
# Four items by ABC, CDE, EFA, and BDF.
DESIGN = [
    [9, 8, 9, NAN, NAN, NAN],
    [NAN, NAN, 5, 6, 5, NAN],
    [3, NAN, NAN, NAN, 2, 2],
    [NAN, 7, NAN, 8, NAN, 7],
]
# The same with 3, 2, 4, and 2 raters.
UNEQUAL = [
    [9, 8, 9, NAN, NAN, NAN],
    [NAN, NAN, 5, 6, NAN, NAN],
    [2, 2, NAN, NAN, 3, 2],
    [NAN, 7, NAN, 8, NAN, NAN],
]


def test_raters_who_differ_from_item_to_item():
    """R: irr::icc(ratings, model="oneway") of the ratings without their raters."""
    found = one_way_correlations(NumberSample(DESIGN))["icc_1_1"]

    expected = (0.957295, 0.794544, 0.996983)
    assert (found.value, found.ci_low, found.ci_high) == pytest.approx(expected, abs=1e-6)
    assert (found.used.n_items, found.used.n_raters, found.used.n_labels) == (4, 6, 12)


def test_unequal_numbers_of_raters():
    # 32 / 11 + ...: N = 11, sum k^2 = 33, so k0 = (11 - 33 / 11) / 3 = 2.666667.
    items = rated_items(NumberSample(UNEQUAL))

    assert mean_squares(items, np.ones((1, 4))).k0[0] == pytest.approx(8 / 3)
    found = one_way_correlations(NumberSample(UNEQUAL))
    assert found["icc_1_1"].ci_low < found["icc_1_1"].value < found["icc_1_1"].ci_high


def test_unequal_numbers_worked_by_hand():
    """Items 9 8 9, 5 6, 2 2 3 2, and 7 8 7: k0 = (12 - 38 / 12) / 3 = 2.944444."""
    rows = [[9, 8, 9, NAN], [5, 6, NAN, NAN], [2, 2, 3, 2], [7, 8, 7, NAN]]

    assert mean_squares(rated_items(NumberSample(rows)), np.ones((1, 4))).k0[0] == pytest.approx(
        2.944444, abs=1e-6
    )
    assert one_way_correlations(NumberSample(rows))["icc_1_1"].value == pytest.approx(0.966029, abs=1e-6)


def test_the_mean_is_stepped_up_by_k0():
    found = one_way_correlations(NumberSample(UNEQUAL))

    one, mean = found["icc_1_1"], found["icc_1_k"]
    for name in ("value", "ci_low", "ci_high"):
        r = getattr(one, name)
        assert getattr(mean, name) == pytest.approx(8 / 3 * r / (1 + (8 / 3 - 1) * r))


def test_an_item_with_one_label_counts_for_nothing():
    with_one = np.vstack([DESIGN, [[1, NAN, NAN, NAN, NAN, NAN]]])

    found = one_way_correlations(NumberSample(with_one))["icc_1_1"]

    assert found.value == pytest.approx(0.957295, abs=1e-6)
    assert (found.left_out.n_items, found.left_out.n_labels) == (1, 1)


def test_weights_repeat_items():
    sample = NumberSample(UNEQUAL)
    twice = NumberSample(np.vstack([UNEQUAL, UNEQUAL[:2]]))

    for statistic, repeated in zip(one_way_statistics(sample), one_way_statistics(twice), strict=True):
        found = statistic.values(statistic.units(sample), Scale(1), np.array([[2.0, 2, 1, 1]]))
        expected = repeated.values(repeated.units(twice), Scale(1), np.ones((1, 6)))
        assert found == pytest.approx(expected)


@pytest.mark.parametrize("share", [0.3, 0.8])
def test_intervals_of_unequal_numbers_hold_the_true_value(share):
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(400):
        items = rng.normal(0, np.sqrt(share), 30)
        values = items[:, None] + rng.normal(0, np.sqrt(1 - share), (30, 6))
        values[np.arange(6) >= rng.integers(2, 7, 30)[:, None]] = NAN
        found = one_way_correlations(NumberSample(values))["icc_1_1"]
        held += found.ci_low <= share <= found.ci_high

    assert 0.92 <= held / 400 <= 0.98
