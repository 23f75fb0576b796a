"""The goodness-of-fit interval of kappa: published, by another derivation, and where it is used."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import chisquare

from reports.agreement.pairs.cohen import cohen_kappa, kappa_zero
from reports.agreement.pairs.goodness_of_fit import cohen_limits, fitted_limits
from reports.agreement.results import Reason, is_kappa_clipped, kappa_method
from reports.agreement.weights import weighting

UNWEIGHTED = weighting("unweighted", n_categories=2)


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        # Given by an independent check: both / disputed / neither (40, 15, 45) and (80, 15, 5).
        ([[40, 9], [6, 45]], 0.533256, 0.813401),
        ([[80, 10], [5, 5]], 0.085464, 0.555029),
    ],
)
def test_known_limits(table, low, high):
    found = fitted_limits(np.array([table]))

    assert (found[0][0], found[1][0]) == pytest.approx((low, high), abs=6e-7)


@pytest.mark.parametrize(
    "table", [[[40, 9], [6, 45]], [[17, 1], [0, 2]], [[3, 2], [2, 3]], [[30, 0], [8, 1]]]
)
def test_at_a_limit_the_table_just_fits(table):
    """scipy.stats.chisquare against the common correlation model, solved by scipy.optimize.brentq."""
    (a, b), (c, d) = table
    n, m = a + b + c + d, b + c
    p = (2 * a + m) / (2 * n)
    q = 1 - p
    pi = 1 - m / (2 * n * p * q)

    def distance(at):
        expected = [n * (p * p + at * p * q), 2 * n * p * q * (1 - at), n * (q * q + at * p * q)]
        return chisquare([a, m, d], expected).statistic - 3.841458820694124

    low, high = fitted_limits(np.array([table]))

    assert low[0] == pytest.approx(brentq(distance, max(-p / q, -q / p) + 1e-9, pi), abs=1e-9)
    assert high[0] == pytest.approx(brentq(distance, pi, 1 - 1e-9), abs=1e-9)


def test_raters_who_use_the_categories_alike_have_one_interval():
    table = np.array([[[12, 3], [3, 9]]])

    ours, theirs = cohen_limits(table), fitted_limits(table)

    assert (ours[0][0], ours[1][0]) == pytest.approx((theirs[0][0], theirs[1][0]), abs=1e-12)


def test_full_agreement_of_few_items_has_an_interval():
    # With p = 1/2, chi-squared of kappa is n (1 - kappa)^2 / 16 (8 / (1 + kappa) + 8 / (1 - kappa)), which is
    # n (1 - kappa) / (1 + kappa).
    found = cohen_kappa(np.array([[[4, 0], [0, 4]]]), UNWEIGHTED).pair(0)

    z2 = 3.841458820694124
    n_fits = (8 - z2) / (8 + z2)
    assert (found.kappa, found.se, found.ci_high, found.reason) == (1, 0, 1, Reason.NONE)
    assert found.ci_low == pytest.approx(n_fits, abs=1e-9)
    assert not found.is_clipped


def test_few_labels_of_a_category_are_fitted_and_many_are_not():
    few, many = [[88, 6], [6, 10]], [[200, 12], [12, 40]]

    found = cohen_kappa(np.array([few, many]), UNWEIGHTED)

    assert found.is_fitted.tolist() == [True, False]
    assert [kappa_method(p.kappa, p.ci_low, p.ci_high) for p in found] == ["goodness of fit", "normal"]
    margin = 1.959963984540054 * found.se[1]
    assert found.ci_low[1] == pytest.approx(found.kappa[1] - margin, abs=1e-12)


def test_three_categories_are_not_fitted():
    found = cohen_kappa(
        np.array([[[3, 0, 0], [0, 3, 0], [0, 0, 3]]]), weighting("unweighted", n_categories=3)
    )

    assert found.pair(0).reason == Reason.DEGENERATE_SE
    assert not found.is_fitted.any()


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[6, 0], [0, 0]], Reason.NO_VARIATION),
        ([[0, 4], [0, 0]], Reason.DEGENERATE_MARGINS),
        ([[5, 0], [3, 0]], Reason.DEGENERATE_MARGINS),
        ([[0, 1], [0, 0]], Reason.ONE_ITEM),
    ],
)
def test_what_has_no_error_has_no_interval(table, reason):
    found = cohen_kappa(np.array([table]), UNWEIGHTED).pair(0)

    assert (found.reason, found.ci_low, found.ci_high) == (reason, None, None)


def test_the_test_of_kappa_is_as_it_was():
    # R: vcd, and statsmodels' cohens_kappa: z 7.00771 with the error under no agreement beyond chance.
    assert kappa_zero(np.array([[[40, 9], [6, 45]]]), UNWEIGHTED).statistic[0] == pytest.approx(
        7.0078, abs=1e-3
    )


def test_limits_stay_in_range_for_every_table_of_eight_items():
    tables = np.array(
        [[[a, b], [c, 8 - a - b - c]] for a in range(9) for b in range(9 - a) for c in range(9 - a - b)]
    )

    found = cohen_kappa(tables, UNWEIGHTED)

    there = ~np.isnan(found.ci_low)
    assert there.sum() > 100
    assert (found.ci_low[there] >= -1).all()
    assert (found.ci_high[there] <= 1).all()
    assert (found.ci_low[there] <= found.kappa[there] + 1e-12).all()
    assert (found.kappa[there] <= found.ci_high[there] + 1e-12).all()


def test_an_uneven_interval_within_the_bounds_is_not_clipped():
    assert not is_kappa_clipped(0.6, 0.2, 0.8)
    assert not is_kappa_clipped(1.0, 0.4, 1.0)
    assert is_kappa_clipped(0.9, 0.7, 1.0)
    assert kappa_method(0.9, 0.7, 1.0) == "normal"
    assert kappa_method(None, None, None) == ""
