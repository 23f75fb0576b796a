"""Whether a coefficient is the same in several independent strata."""

import math

import numpy as np
import pytest
from scipy.stats import chi2, chisquare
from statsmodels.stats.meta_analysis import combine_effects

from reports.agreement.intervals.strata import fitted_homogeneity, homogeneity
from reports.agreement.pairs.cohen import kappa_with_normal_interval
from reports.agreement.pairs.goodness_of_fit import fitted_limits
from reports.agreement.results import Reason
from reports.agreement.weights import weighting

# Feinstein & Cicchetti 1990, the first paradox.
FEINSTEIN = np.array([[[40, 9], [6, 45]], [[80, 10], [5, 5]]])


def test_two_tables_of_feinstein_and_cicchetti():
    kappas = kappa_with_normal_interval(FEINSTEIN, weighting("unweighted", n_categories=2))

    found = homogeneity(kappas.kappa.tolist(), kappas.se.tolist())

    # The errors are .071394 and .133457 (R, vcd).
    assert found.value == pytest.approx(0.614670, abs=1e-6)
    assert found.se == pytest.approx(0.062952, abs=1e-6)
    assert found.statistic == pytest.approx(6.348009, abs=1e-6)
    assert (found.df, found.n_strata, found.n_left_out) == (1, 2, 0)
    # By hand from the rounded kappas and errors: 6.347944, .011752.
    rounded = homogeneity([0.699519, 0.318182], [0.071394, 0.133457])
    assert rounded.statistic == pytest.approx(6.347944, abs=1e-6)
    assert rounded.p_value == pytest.approx(0.011752, abs=1e-6)
    assert found.p_value == pytest.approx(rounded.p_value, abs=1e-6)


def test_of_two_strata_it_is_the_square_of_z():
    found = homogeneity([0.7, 0.4], [0.1, 0.2])

    assert found.statistic == pytest.approx((0.3 / math.hypot(0.1, 0.2)) ** 2, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_cochrans_q_of_a_meta_analysis(seed):
    random = np.random.default_rng(seed)
    values, errors = random.uniform(0, 0.9, 6), random.uniform(0.02, 0.3, 6)

    found = homogeneity(values.tolist(), errors.tolist(), confidence=0.9)
    of_statsmodels = combine_effects(values, errors**2, alpha=0.1)

    assert found.statistic == pytest.approx(of_statsmodels.q, rel=1e-10)
    assert found.value == pytest.approx(of_statsmodels.mean_effect_fe, rel=1e-10)
    assert found.se == pytest.approx(of_statsmodels.sd_eff_w_fe, rel=1e-10)
    assert found.p_value == pytest.approx(chi2.sf(of_statsmodels.q, 5), rel=1e-9)
    assert found.ci_low == pytest.approx(of_statsmodels.conf_int(alpha=0.1)[0][0], rel=1e-10)


def test_strata_without_a_value_or_an_error_are_left_out():
    found = homogeneity([0.7, None, 0.4, 1.0], [0.1, None, 0.2, 0.0])

    assert (found.n_strata, found.n_left_out) == (2, 2)
    assert found.statistic == homogeneity([0.7, 0.4], [0.1, 0.2]).statistic


@pytest.mark.parametrize("values", [[], [0.5], [0.5, None]])
def test_one_stratum_has_nothing_to_differ_from(values):
    found = homogeneity(values, [0.1] * len(values))

    assert (found.value, found.p_value, found.reason) == (None, None, Reason.TOO_FEW_ITEMS)


def test_goodness_of_fit_by_hand():
    # p = .475, 2 n p q = 49.875, 15 disputed; p = .875, 21.875, 15 disputed. Common: 1 - 30 / 71.75.
    found = fitted_homogeneity(FEINSTEIN)

    common = 1 - 30 / 71.75
    total = 0.0
    for counts, p in (((40, 45, 15), 0.475), ((80, 5, 15), 0.875)):
        q = 1 - p
        shares = p * p + common * p * q, q * q + common * p * q, 2 * p * q * (1 - common)
        total += chisquare(counts, [100 * share for share in shares]).statistic
    assert found.value == pytest.approx(common, abs=1e-12)
    assert found.statistic == pytest.approx(total, abs=1e-10)
    assert found.df == 1
    assert found.p_value == pytest.approx(chi2.sf(total, 1), abs=1e-12)


def test_the_common_value_fits_where_the_intervals_meet():
    # Two strata that each fit k at their limit: their misfits add up.
    tables = np.array([[[30, 5], [5, 30]], [[50, 8], [8, 14]]])
    found = fitted_homogeneity(tables)

    low, high = fitted_limits(tables, confidence=1 - 1e-9)
    assert (low < found.value).all()
    assert (found.value < high).all()
    assert found.p_value > 0.05


def test_equal_strata_fit_exactly():
    found = fitted_homogeneity(np.array([[[30, 5], [5, 20]]] * 3))

    assert found.statistic == pytest.approx(0, abs=1e-20)
    assert (found.df, found.p_value) == (2, 1)


def test_under_the_hypothesis_it_rejects_as_often_as_it_says():
    random = np.random.default_rng(3)
    rejected = 0
    for _ in range(2000):
        tables = []
        for p, n in ((0.3, 150), (0.5, 100), (0.2, 200)):
            product = p * (1 - p)
            shares = p * p + 0.6 * product, 0.4 * product, 0.4 * product, (1 - p) ** 2 + 0.6 * product
            tables.append(random.multinomial(n, shares).reshape(2, 2))
        p_value = fitted_homogeneity(np.array(tables)).p_value
        rejected += p_value is not None and p_value < 0.05
    assert 0.035 < rejected / 2000 < 0.068


@pytest.mark.parametrize(
    ("tables", "reason", "n_left_out"),
    [
        ([[[5, 0], [0, 5]]], Reason.TOO_FEW_ITEMS, 0),
        ([[[5, 0], [0, 5]], [[7, 0], [0, 0]]], Reason.TOO_FEW_ITEMS, 1),
        ([[[5, 0], [0, 5]], [[7, 0], [0, 1]]], Reason.DEGENERATE_SE, 0),
        ([[[0, 0], [0, 0]], [[7, 1], [0, 1]]], Reason.TOO_FEW_ITEMS, 1),
    ],
)
def test_strata_that_say_nothing(tables, reason, n_left_out):
    found = fitted_homogeneity(np.array(tables))

    assert (found.reason, found.n_left_out, found.p_value) == (reason, n_left_out, None)


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match=r"tables must be \(S, 2, 2\)"):
        fitted_homogeneity(np.zeros((2, 3, 3), dtype=np.int64))
