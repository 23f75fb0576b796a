"""One rater over time: windows, and the test of trend."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chi2

from reports.agreement.own.windows import trend, windows_of
from reports.agreement.results import REASONS, Reason


def test_windows_hold_about_as_many_labels_each_in_the_order_of_time():
    times = np.arange(50.0)[::-1]

    found = windows_of(times, least=10, most=4)

    assert [len(window) for window in found] == [12, 13, 13, 12]
    assert [int(times[window].min()) for window in found] == [0, 12, 25, 38]


def test_labels_of_one_moment_stay_in_one_window():
    times = np.repeat([1.0, 2.0, 3.0], [5, 30, 25])

    found = windows_of(times, least=20)

    assert [sorted(set(times[window])) for window in found] == [[1.0, 2.0], [3.0]]


@pytest.mark.parametrize("times", [np.arange(39.0), np.zeros(100), np.empty(0)])
def test_too_few_labels_or_moments_make_no_windows(times):
    assert windows_of(times, least=20) == []


def test_every_label_is_in_one_window():
    times = np.random.default_rng(1).integers(0, 40, 300).astype(float)

    found = windows_of(times, least=20)

    assert sorted(np.concatenate(found).tolist()) == list(range(300))
    assert min(len(window) for window in found) >= 20


def test_the_trend_is_that_of_all_orders_of_the_scores():
    times, scores = np.array([1.0, 2, 2, 5, 9, 11]), np.array([1.0, 0, 1, 0, 0, 0])
    places = np.array([1, 2.5, 2.5, 4, 5, 6])
    sums = [float(places @ np.array(order)) for order in permutations(scores)]

    found = trend(times, scores)

    # The variance of the sum over all 720 orders.
    expected = (float(places @ scores) - np.mean(sums)) ** 2 / np.var(sums)
    assert found.statistic[0] == pytest.approx(expected)
    assert found.p_value[0] == pytest.approx(chi2.sf(expected, df=1))


@pytest.mark.parametrize(
    ("times", "scores", "reason"),
    [
        ([1.0, 2], [0.0, 1], Reason.TOO_FEW_ITEMS),
        ([1.0, 2, 3], [0.1, 0.1, 0.1], Reason.NO_VARIATION),
        ([2.0, 2, 2], [0.0, 1, 1], Reason.NO_VARIATION),
        ([], [], Reason.TOO_FEW_ITEMS),
    ],
)
def test_where_nothing_moves_there_is_no_test(times, scores, reason):
    found = trend(np.array(times, dtype=float), np.array(scores, dtype=float))

    assert np.isnan(found.p_value[0])
    assert REASONS[found.reason[0]] == reason
