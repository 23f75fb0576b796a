"""The jackknife: reference errors, brute force, and what has no interval."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from reports.agreement.intervals.jackknife import jackknife, jackknife_limits
from reports.agreement.overall.agreeing import ALL_AGREE
from reports.agreement.overall.chance_corrected import (
    BRENNAN_PREDIGER,
    FLEISS_KAPPA,
    GWET_AC,
    PERCENT_AGREEMENT,
)
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.overall.statistic import estimate
from reports.agreement.results import Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level
from tests.reports.agreement.published import FLEISS_1971, HAYES_KRIPPENDORFF_2007, KRIPPENDORFF_2011
from tests.reports.agreement.samples import from_codes, from_lines, random_codes


# Leaving out one item after the other with the Python package krippendorff 0.9.0.
@pytest.mark.parametrize(
    ("ratings", "level", "se"),
    [
        (KRIPPENDORFF_2011, "nominal", 0.14632665220070631),
        (KRIPPENDORFF_2011, "ordinal", 0.14803134222636005),
        (KRIPPENDORFF_2011, "interval", 0.14083983138127631),
        (HAYES_KRIPPENDORFF_2007, "nominal", 0.06776663286204476),
        (HAYES_KRIPPENDORFF_2007, "ordinal", 0.053954984022678946),
        (HAYES_KRIPPENDORFF_2007, "interval", 0.04964373355718674),
        (FLEISS_1971, "nominal", 0.05473831453295436),
    ],
)
def test_jackknife_equals_the_reference_errors_of_alpha(ratings, level, se):
    scale = Scale(ratings.n_categories, Level(level))

    found = jackknife(KRIPPENDORFF_ALPHA, Sample(ratings), scale)

    assert found.se == pytest.approx(se, abs=1e-8)
    assert found.reason == Reason.NONE


def test_interval_is_t_over_items_and_clipped_at_1():
    sample, scale = Sample(KRIPPENDORFF_2011), Scale(5)
    value = estimate(KRIPPENDORFF_ALPHA, sample, scale).value

    found = jackknife(KRIPPENDORFF_ALPHA, sample, scale, confidence=0.9)

    # Eleven of the twelve items have two labels or more.
    assert found.n_replicates == 11
    assert found.low == pytest.approx(value - t.ppf(0.95, 10) * 0.14632665220070631, abs=1e-8)
    assert found.high == 1.0


@pytest.mark.parametrize("statistic", [PERCENT_AGREEMENT, ALL_AGREE])
def test_an_interval_of_a_share_does_not_go_below_0(statistic: Statistic):
    """One of eight items agrees: .125, se .125, and t(7) × se is .296."""
    sample = Sample(from_codes(np.array([[0, 0]] + [[0, 1]] * 7), n_categories=2))

    found = jackknife(statistic, sample, Scale(2))

    assert found.se == pytest.approx(0.125)
    assert found.low == 0.0
    assert found.high == pytest.approx(0.125 + t.ppf(0.975, 7) * 0.125)


@pytest.mark.parametrize("statistic", [FLEISS_KAPPA, GWET_AC, BRENNAN_PREDIGER, KRIPPENDORFF_ALPHA])
def test_jackknife_equals_removing_items_one_by_one(statistic: Statistic):
    codes = random_codes(4, n_items=30, n_raters=4, n_categories=3, share=0.6)
    used = codes[(codes >= 0).sum(axis=1) >= (1 if statistic.uses_single else 2)]
    scale, n = Scale(3), len(used)
    without = np.array(
        [
            estimate(statistic, Sample(from_codes(np.delete(used, item, 0), n_categories=3)), scale).value
            for item in range(n)
        ]
    )
    by_hand = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())

    found = jackknife(statistic, Sample(from_codes(codes, n_categories=3)), scale)

    assert found.se == pytest.approx(by_hand, rel=1e-9)
    assert found.n_replicates == n


@pytest.mark.parametrize("statistic", [FLEISS_KAPPA, GWET_AC, BRENNAN_PREDIGER, KRIPPENDORFF_ALPHA])
def test_linearised_error_is_close_to_the_jackknife(statistic: Statistic):
    codes = random_codes(5, n_items=400, n_raters=5, n_categories=4)
    # With single labels they part: the linearised error takes the number of items with two for fixed.
    codes = codes[(codes >= 0).sum(axis=1) >= 2]
    sample, scale = Sample(from_codes(codes, n_categories=4)), Scale(4)

    found = jackknife(statistic, sample, scale)

    assert found.se == pytest.approx(estimate(statistic, sample, scale).se, rel=0.01)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (("aab", "..."), Reason.NO_OVERLAP),
        (("a", "b"), Reason.ONE_ITEM),
        (("aaaa", "aaaa"), Reason.NO_VARIATION),
        (("abab", "abab"), Reason.DEGENERATE_SE),
        (("aaaa", "bbbb"), Reason.DEGENERATE_MARGINS),
    ],
)
def test_jackknife_without_interval_says_why(lines, reason):
    sample = Sample(from_lines(*lines, categories="ab"))

    found = jackknife(FLEISS_KAPPA, sample, Scale(2))

    assert (found.low, found.high, found.reason) == (None, None, reason)


def test_jackknife_counts_undefined_replicates():
    # Without the last item only one category is left, and kappa is undefined.
    sample = Sample(from_lines("aaaaaaaaab", "aaaaaaaaab", categories="ab"))

    found = jackknife(FLEISS_KAPPA, sample, Scale(2))

    assert (found.n_undefined, found.n_replicates) == (1, 10)
    assert (found.se, found.reason) == (None, Reason.TOO_MANY_UNDEFINED)


def test_few_undefined_replicates_are_left_out():
    left_out = np.array([[0.5, 0.6, np.nan]])

    found = jackknife_limits(np.array([0.55]), left_out, np.array([[20, 20, 2]])).interval(0)

    assert (found.n_undefined, found.n_replicates) == (2, 42)
    # (n - 1) times the mean square of 40 values half of which are 0.05 above and half 0.05 below.
    assert found.se == pytest.approx(np.sqrt(41 * 0.05**2))


def test_jackknife_of_no_items():
    sample = Sample(from_codes(np.full((0, 2), -1), n_categories=2))

    assert jackknife(FLEISS_KAPPA, sample, Scale(2)).reason == Reason.NO_ITEMS


def test_statistic_without_linearised_values_takes_its_error_from_the_jackknife():
    sample, scale = Sample(KRIPPENDORFF_2011), Scale(5)
    alpha = replace(KRIPPENDORFF_ALPHA, item_values=None)

    found = estimate(alpha, sample, scale)

    assert found.se == pytest.approx(0.14632665220070631, abs=1e-8)
    assert found.interval_method == "jackknife, t over items"
