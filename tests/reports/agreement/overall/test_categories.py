"""Agreement on each category."""

import numpy as np
import pytest

from reports.agreement.intervals.jackknife import jackknife_each
from reports.agreement.overall.category_agreement import OF_CATEGORIES, by_category
from reports.agreement.results import REASONS, Reason
from reports.agreement.sample import Sample, Scale
from tests.reports.agreement.published import FLEISS_1971, WIKIPEDIA
from tests.reports.agreement.samples import (
    all_coefficients,
    from_codes,
    from_counts,
    from_lines,
    from_table,
    random_codes,
)


def reasons(estimates):
    return [REASONS[position] for position in estimates.reason]


def test_published_kappas_of_categories():
    found = by_category(Sample(FLEISS_1971), Scale(5))["fleiss_kappa"]

    # Fleiss 1971 (R irr, DKPro): depression, personality, schizophrenia, neurosis, other.
    published = [0.244755, 0.244755, 0.520000, 0.471127, 0.566118]
    assert found.value == pytest.approx(published, abs=6e-7)
    # How many labels each diagnosis got.
    assert found.n.tolist() == [26, 26, 30, 55, 43]


def test_published_specific_agreement():
    found = by_category(Sample(FLEISS_1971), Scale(5))["specific_agreement"]

    assert found.value == pytest.approx([0.353846, 0.353846, 0.600000, 0.632727, 0.669767], abs=6e-7)


def test_published_specific_agreement_of_another_example():
    found = by_category(Sample(WIKIPEDIA), Scale(5))

    # R irr 0.84.1, first category.
    assert found["specific_agreement"].value[0] == pytest.approx(0.315384615384615, abs=1e-12)
    assert found["fleiss_kappa"].value[0] == pytest.approx(0.201282051282051, abs=1e-12)


def test_two_raters_have_positive_and_negative_agreement():
    # Feinstein & Cicchetti 1990: 2a / (2a + b + c) and 2d / (2d + b + c).
    found = by_category(Sample(from_table([[80, 10], [5, 5]])), Scale(2))["specific_agreement"]

    assert found.value == pytest.approx([160 / 175, 10 / 25], abs=1e-12)


def test_two_categories_have_the_kappa_and_alpha_of_all():
    ratings = from_codes(random_codes(41, n_items=50, n_raters=4, n_categories=2), n_categories=2)
    of_all = all_coefficients(ratings)

    found = by_category(Sample(ratings), Scale(2))

    for name in ("fleiss_kappa", "krippendorff_alpha"):
        for category in (0, 1):
            one = found[name].at(category)
            assert (one.value, one.se, one.ci_low, one.ci_high) == pytest.approx(
                (of_all[name].value, of_all[name].se, of_all[name].ci_low, of_all[name].ci_high), abs=1e-12
            )


def test_alpha_of_a_category_is_that_of_two():
    codes = random_codes(42, n_items=60, n_raters=4, n_categories=4)
    two = np.where(codes < 0, -1, (codes != 2).astype(int))

    found = by_category(Sample(from_codes(codes, n_categories=4)), Scale(4))["krippendorff_alpha"].at(2)

    alpha = all_coefficients(from_codes(two, n_categories=2))["krippendorff_alpha"]
    assert (found.value, found.se) == pytest.approx((alpha.value, alpha.se), abs=1e-12)


def test_kappa_of_a_category_follows_from_its_specific_agreement():
    # kappa_k = (ps_k - p_k) / (1 - p_k) for the same number of labels on all items.
    found = by_category(Sample(FLEISS_1971), Scale(5))
    p = found["fleiss_kappa"].n / 180

    kappa = (found["specific_agreement"].value - p) / (1 - p)

    assert kappa == pytest.approx(found["fleiss_kappa"].value, abs=1e-12)


def test_the_errors_are_close_to_the_jackknife():
    sample = Sample(from_codes(random_codes(43, n_items=500, n_raters=5, n_categories=3), n_categories=3))
    found = by_category(sample, Scale(3))

    for statistic in OF_CATEGORIES:
        errors = [each.se for each in jackknife_each(statistic, sample, Scale(3))]
        assert found[statistic.name].se == pytest.approx(errors, rel=0.03)


def test_values_of_many_samples_are_those_of_categories():
    sample = Sample(from_codes(random_codes(44, n_items=40, n_raters=4, n_categories=3), n_categories=3))
    patterns, found = sample.patterns, by_category(sample, Scale(3))
    weights = np.stack((patterns.n_items, np.ones_like(patterns.n_items))).astype(np.float64)

    for statistic in OF_CATEGORIES:
        values = statistic.values(patterns, Scale(3), weights)
        once = by_category(Sample(from_counts(patterns.counts)), Scale(3))[statistic.name].value
        assert values[0] == pytest.approx(found[statistic.name].value, abs=1e-12)
        assert values[1] == pytest.approx(once, abs=1e-12)


def test_a_category_that_nobody_used_is_undefined():
    # The third category is on an item with one label only, the fourth on none.
    found = by_category(Sample(from_lines("aabbc", "aabab", ".....", categories="abcd")), Scale(4))
    single = by_category(Sample(from_lines("aabc", "aab.", categories="abcd")), Scale(4))

    assert reasons(found["specific_agreement"])[3] is Reason.CATEGORY_UNUSED
    for estimates in single.values():
        assert np.isnan(estimates.value[2:]).all()
        assert reasons(estimates)[2:] == [Reason.CATEGORY_UNUSED] * 2
        assert estimates.n.tolist() == [4, 2, 0, 0]


def test_the_only_category_in_use():
    found = by_category(Sample(from_lines("yyy", "yyy", categories="yn")), Scale(2))

    assert found["specific_agreement"].at(0).value == 1
    assert reasons(found["specific_agreement"]) == [Reason.NONE, Reason.CATEGORY_UNUSED]
    for name in ("fleiss_kappa", "krippendorff_alpha"):
        assert reasons(found[name]) == [Reason.NO_VARIATION, Reason.CATEGORY_UNUSED]


@pytest.mark.parametrize(("lines", "reason"), [([], Reason.NO_ITEMS), (["yn..", "..yn"], Reason.NO_OVERLAP)])
def test_nothing_to_compare_is_undefined(lines, reason):
    for found in by_category(Sample(from_lines(*lines, categories="yn")), Scale(2)).values():
        assert reasons(found) == [reason, reason]
        assert np.isnan(found.value).all()
