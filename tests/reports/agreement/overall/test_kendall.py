"""Kendall's W."""

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.overall.kendall import (
    KENDALL_W,
    KENDALL_W_UNCORRECTED,
    kendall_w,
    kendall_w_zero,
)
from reports.agreement.overall.statistic import estimate
from reports.agreement.results import REASONS, Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Level
from tests.reports.agreement.published import ANXIETY, GWET_4_RATERS
from tests.reports.agreement.samples import all_coefficients, from_codes, from_lines, random_codes

# Shrout & Fleiss 1979, Psychological Bulletin 86, 420-428, table 2: 6 targets, 4 judges, from 1 to 10 ("0" is 10).
SHROUT_FLEISS_1979 = from_lines("968706", "214152", "536264", "828697", categories="1234567890")


@pytest.mark.parametrize(
    ("ratings", "w", "uncorrected", "chi_squared", "df"),
    # R irr, DescTools and friedman.test, scipy.
    [
        (SHROUT_FLEISS_1979, 0.887037037037037, 0.855357142857143, 17.7407407407407, 5),
        (ANXIETY, 0.53965687595437, 0.501921470342523, 30.7604419293991, 19),
    ],
)
def test_published_values(ratings, w, uncorrected, chi_squared, df):
    sample, scale = Sample(ratings), Scale(ratings.n_categories, Level.ORDINAL)

    test = kendall_w_zero(sample, scale)

    assert estimate(KENDALL_W, sample, scale).value == pytest.approx(w, abs=1e-12)
    assert estimate(KENDALL_W_UNCORRECTED, sample, scale).value == pytest.approx(uncorrected, abs=1e-12)
    assert (test.statistic[0], test.df[0]) == pytest.approx((chi_squared, df), abs=1e-9)


def test_the_test_is_friedmans():
    codes = random_codes(51, n_items=25, n_raters=4, n_categories=6, share=1.0)
    # Items are what Friedman's test calls treatments.
    statistic, p_value = friedmanchisquare(*codes)

    found = kendall_w_zero(Sample(from_codes(codes, n_categories=6)), Scale(6, Level.ORDINAL))

    assert (found.statistic[0], found.p_value[0]) == pytest.approx((statistic, p_value), rel=1e-9)


def test_items_without_a_label_of_every_rater_are_left_out():
    whole = from_lines("12345", "12354", "21345", categories="12345")
    gaps = from_lines("12345124", "1235433.", "21345...", categories="12345")

    found = estimate(KENDALL_W, Sample(gaps), Scale(5, Level.ORDINAL))

    assert found.value == estimate(KENDALL_W, Sample(whole), Scale(5, Level.ORDINAL)).value
    assert (found.used.n_items, found.used.n_labels, found.left_out.n_items) == (5, 15, 3)


def test_values_give_the_order():
    codes = random_codes(52, n_items=20, n_raters=3, n_categories=4, share=1.0)
    order = np.array([2, 0, 3, 1])
    one = Sample(from_codes(codes, n_categories=4))
    other = Sample(from_codes(np.argsort(order)[codes], n_categories=4))

    found = estimate(KENDALL_W, other, Scale(4, Level.ORDINAL, (3, 1, 4, 2)))

    expected = estimate(KENDALL_W, one, Scale(4, Level.ORDINAL))
    assert (found.value, found.se) == pytest.approx((expected.value, expected.se), abs=1e-12)


@pytest.mark.parametrize("n_categories", [2, 5, 40])
def test_the_linearised_error_is_close_to_the_jackknife(n_categories):
    codes = random_codes(53, n_items=600, n_raters=4, n_categories=n_categories, share=1.0)
    sample, scale = Sample(from_codes(codes, n_categories=n_categories)), Scale(n_categories, Level.ORDINAL)

    found = estimate(KENDALL_W, sample, scale)

    assert found.se == pytest.approx(jackknife(KENDALL_W, sample, scale).se, rel=0.01)


def test_weights_on_items_are_as_good_as_items():
    codes = random_codes(54, n_items=30, n_raters=3, n_categories=5, share=1.0)
    profiles = Sample(from_codes(codes, n_categories=5)).profiles
    weights = np.random.default_rng(54).poisson(1, (7, len(profiles.n_items))).astype(np.float64)

    values = kendall_w(profiles, Scale(5, Level.ORDINAL), weights)

    for row, value in zip(weights.astype(int), values, strict=True):
        drawn = from_codes(profiles.codes.repeat(row, axis=0).astype(int), n_categories=5)
        found = estimate(KENDALL_W, Sample(drawn), Scale(5, Level.ORDINAL))
        assert value == pytest.approx(found.value, abs=1e-12)


@pytest.mark.parametrize(
    ("lines", "value", "reason"),
    [
        ([], None, Reason.NO_ITEMS),
        (["123"], None, Reason.NO_OVERLAP),
        (["12..", "21.1", "..21"], None, Reason.NO_COMPLETE_ITEMS),
        (["222", "111"], None, Reason.NO_VARIATION),
        (["1", "2"], None, Reason.NO_VARIATION),
        (["123", "123", "123"], 1.0, Reason.DEGENERATE_SE),
    ],
)
def test_undefined_and_degenerate_cases(lines, value, reason):
    sample, scale = Sample(from_lines(*lines, categories="123")), Scale(3, Level.ORDINAL)

    found, test = estimate(KENDALL_W, sample, scale), kendall_w_zero(sample, scale)

    assert (found.value, found.reason, found.ci_low) == (value, reason, None)
    assert np.isnan(test.statistic[0]) == (value is None)
    assert REASONS[test.reason[0]] is (reason if value is None else Reason.NONE)


def test_it_is_a_coefficient_of_scales_with_an_order_only():
    assert "kendall_w" not in all_coefficients(GWET_4_RATERS)
    assert "kendall_w" in all_coefficients(GWET_4_RATERS, "ordinal")
