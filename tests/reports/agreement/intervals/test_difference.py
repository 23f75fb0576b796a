"""Differences that share no item, by hand and by simulation, and the core that all differences share."""

import numpy as np
import pytest
from scipy import stats

from reports.agreement.intervals.difference import (
    INDEPENDENT,
    WELCH,
    ComparedValue,
    Difference,
    bootstrap_difference,
    linearised_difference,
    uncertain,
    with_error,
)
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import Reason
from reports.agreement.weights import weighting

ONES = np.ones(6, dtype=np.int64)


def apart(n_first, n_second):
    return Difference(n_shared=0, n_first=n_first, n_second=n_second, method=INDEPENDENT)


def test_two_published_kappas_by_hand():
    # Cohen 1960, example 2, and Fleiss, Cohen & Everitt 1969: 200 items each.
    error = np.hypot(0.051002, 0.053711)

    found = with_error(apart(200, 200), 0.491525 - 0.428571, error, df=None, confidence=0.95)

    # The root of 0.051002^2 + 0.053711^2 = 0.005486.
    assert found.se == pytest.approx(0.074068, abs=1e-6)
    assert found.statistic == pytest.approx(0.84995, abs=1e-5)
    assert found.p_value == pytest.approx(0.39535, abs=1e-5)
    assert (found.ci_low, found.ci_high) == pytest.approx((-0.082216, 0.208124), abs=1e-6)
    assert found.df is None


def test_intervals_of_independent_kappas_cover():
    shares = np.array([[0.4, 0.1, 0.15, 0.35], [0.55, 0.1, 0.1, 0.25]])
    costs = weighting("unweighted", n_categories=2)
    true = np.subtract(*cohen_kappa((shares * 1_000_000).astype(int).reshape(2, 2, 2), costs).kappa)
    random = np.random.default_rng(1)
    first, second = (
        cohen_kappa(random.multinomial(n, some, size=2_000).reshape(-1, 2, 2), costs)
        for n, some in zip((150, 250), shares, strict=True)
    )

    found = [
        with_error(apart(150, 250), value, error, df=None, confidence=0.95)
        for value, error in zip(first.kappa - second.kappa, np.hypot(first.se, second.se), strict=True)
    ]

    is_covered = [each.ci_low <= true <= each.ci_high for each in found]
    # Of 2,000 intervals a share of 95% has an error of 0.5%.
    assert 0.935 <= np.mean(is_covered) <= 0.965


def test_all_items_shared_is_the_paired_t_test():
    a, b = np.array([[0.1, 0.9, 0.4, 0.6, 1.2, 0.3], [0.2, 0.5, 0.1, 0.9, 1.0, -0.2]])
    peer = stats.ttest_rel(a, b)
    interval = peer.confidence_interval(0.9)

    found = linearised_difference(
        ComparedValue(value=a.mean(), item_values=a),
        ComparedValue(value=b.mean(), item_values=b),
        ONES,
        confidence=0.9,
    )

    assert (found.statistic, found.p_value) == pytest.approx((peer.statistic, peer.pvalue))
    assert (found.ci_low, found.ci_high) == pytest.approx((interval.low, interval.high))
    assert (found.n_shared, found.df) == (6, 5)


def test_no_item_shared_is_the_sum_of_variances():
    a = np.array([0.1, 0.9, 0.4, np.nan, np.nan, np.nan])
    b = np.array([np.nan, np.nan, np.nan, 0.5, 0.1, 0.9])
    n_items = np.array([2, 1, 3, 4, 1, 1])
    expected = stats.sem(np.repeat(a, n_items)[:6]) ** 2 + stats.sem(np.repeat(b, n_items)[6:]) ** 2

    found = linearised_difference(_side(a, n_items), _side(b, n_items), n_items)

    assert found.se == pytest.approx(np.sqrt(expected))
    welch = stats.ttest_ind(np.repeat(a, n_items)[:6], np.repeat(b, n_items)[6:], equal_var=False)
    assert found.statistic == pytest.approx(welch.statistic)
    assert (found.n_first, found.n_second, found.n_shared, found.df) == (6, 6, 0, int(welch.df))
    assert found.ci_high - found.value == pytest.approx(stats.t.ppf(0.975, int(welch.df)) * found.se)
    assert found.method == WELCH


def test_only_shared_items_have_a_covariance():
    a = np.array([0.1, 0.9, 0.4, 0.6, np.nan, np.nan])
    b = np.array([np.nan, 0.5, 0.1, 0.9, 1.0, -0.2])
    mean_a, mean_b = np.nanmean(a), np.nanmean(b)
    covariance = ((a - mean_a) * (b - mean_b))[1:4].sum() / np.sqrt(4 * 3 * 5 * 4)
    expected = stats.sem(a[:4]) ** 2 + stats.sem(b[1:]) ** 2 - 2 * covariance

    found = linearised_difference(_side(a), _side(b), ONES)

    assert found.se == pytest.approx(np.sqrt(expected))
    assert (found.n_first, found.n_second, found.n_shared, found.df) == (4, 5, 3, 3)


def test_values_that_never_differ_have_error_0_and_no_test():
    side = _side(np.array([0.1, 0.9, 0.4, 0.6, 1.2, 0.3]))

    found = linearised_difference(side, side, ONES)

    assert (found.value, found.se, found.ci_low, found.p_value) == (0, 0, None, None)
    assert found.reason == Reason.DEGENERATE_SE


@pytest.mark.parametrize(
    ("item_values", "reason"),
    [
        (np.array([1.0] * 6), Reason.DEGENERATE_SE),
        (np.array([-0.5] * 6), Reason.DEGENERATE_MARGINS),
        (np.array([0.5, *[np.nan] * 5]), Reason.ONE_ITEM),
    ],
)
def test_sides_without_spread_have_no_test(item_values, reason):
    other = _side(np.array([0.1, 0.9, 0.4, 0.6, 1.2, 0.3]))

    for found in (
        linearised_difference(other, _side(item_values), ONES),
        bootstrap_difference(
            uncertain(_side(item_values), other, ONES), np.linspace(0, 1, 99), np.linspace(1, 2, 99)
        ),
    ):
        assert (found.reason, found.ci_low, found.p_value) == (reason, None, None)
        assert found.value is not None


def test_bootstrap_interval_and_p_value_are_of_the_differences():
    random = np.random.default_rng(2)
    side = _side(np.array([0.1, 0.9, 0.4, 0.6, 1.2, 0.3]))
    first, second = random.normal(0.8, 0.1, 1_000), random.normal(0.6, 0.1, 1_000)
    first[:20] = np.nan

    found = bootstrap_difference(uncertain(side, side, ONES), first, second)

    differences = (first - second)[20:]
    assert (found.n_replicates, found.n_undefined) == (1_000, 20)
    assert (found.ci_low, found.ci_high) == pytest.approx(tuple(np.quantile(differences, [0.025, 0.975])))
    assert found.p_value == pytest.approx(2 * ((differences <= 0).sum() + 1) / 981)


def _side(item_values, n_items=ONES):
    enters = ~np.isnan(item_values)
    return ComparedValue(
        value=np.average(item_values[enters], weights=n_items[enters]), item_values=item_values
    )
