"""Shares of agreement beside the item mean."""

import pytest

from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.overall.agreeing import (
    ALL_AGREE,
    PERCENT_AGREEMENT_BY_LABELS,
    PERCENT_AGREEMENT_BY_PAIRS,
)
from reports.agreement.overall.statistic import estimate
from reports.agreement.results import Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights
from tests.reports.agreement.published import (
    ANXIETY,
    FLEISS_1971,
    HAYES_KRIPPENDORFF_2007,
    KRIPPENDORFF_2011,
)
from tests.reports.agreement.samples import all_coefficients, from_codes, from_lines, random_codes

SHARES = [ALL_AGREE, PERCENT_AGREEMENT_BY_LABELS, PERCENT_AGREEMENT_BY_PAIRS]


@pytest.mark.parametrize(
    ("ratings", "statistic", "value"),
    [
        # R irr 0.84.1, agree().
        (FLEISS_1971, ALL_AGREE, 5 / 30),
        (ANXIETY, ALL_AGREE, 0),
        # DKPro Statistics.
        (KRIPPENDORFF_2011, PERCENT_AGREEMENT_BY_LABELS, 0.8),
        (HAYES_KRIPPENDORFF_2007, PERCENT_AGREEMENT_BY_LABELS, 0.6268343815513625),
        # 43 of the 55 pairs of labels agree.
        (KRIPPENDORFF_2011, PERCENT_AGREEMENT_BY_PAIRS, 0.781818),
    ],
)
def test_published_values(ratings, statistic, value):
    found = estimate(statistic, Sample(ratings), Scale(ratings.n_categories))

    assert found.value == pytest.approx(value, abs=6e-7)


def test_one_less_the_disagreement_of_alpha_is_the_share_by_labels():
    # Krippendorff 2011: alpha = 1 - (N - 1) Do / (N - sum n_c (n_c - 1) / (N - 1)), with N = 40 and Do = .2.
    counts = [9, 13, 10, 5, 3]
    expected = 1 - sum(n * (n - 1) for n in counts) / (40 * 39)

    share = estimate(PERCENT_AGREEMENT_BY_LABELS, Sample(KRIPPENDORFF_2011), Scale(5)).value

    alpha = all_coefficients(KRIPPENDORFF_2011)["krippendorff_alpha"].value
    assert 1 - (1 - share) / expected == pytest.approx(alpha, abs=1e-12)


def test_items_with_one_label_do_not_count():
    found = estimate(ALL_AGREE, Sample(from_lines("yyny", "ynn.", "y...", categories="yn")), Scale(2))

    assert found.value == pytest.approx(2 / 3)
    assert (found.used.n_items, found.left_out.n_items) == (3, 1)


@pytest.mark.parametrize("statistic", SHARES)
@pytest.mark.parametrize("weights", ["unweighted", "linear"])
def test_the_linearised_errors_are_close_to_the_jackknife(statistic, weights):
    codes = random_codes(31, n_items=400, n_raters=5, n_categories=4, share=0.6)
    sample, scale = Sample(from_codes(codes, n_categories=4)), Scale(4, weights=Weights(weights))

    found = estimate(statistic, sample, scale)

    assert found.se == pytest.approx(jackknife(statistic, sample, scale).se, rel=0.01)


@pytest.mark.parametrize("statistic", SHARES)
@pytest.mark.parametrize(
    ("lines", "value", "reason"),
    [
        ([], None, Reason.NO_ITEMS),
        (["yyn"], None, Reason.NO_OVERLAP),
        (["yyyy", "yyyy"], 1.0, Reason.DEGENERATE_SE),
        (["yynn", "yynn"], 1.0, Reason.DEGENERATE_SE),
        (["yyyy", "nnnn"], 0.0, Reason.DEGENERATE_MARGINS),
        (["y", "n"], 0.0, Reason.ONE_ITEM),
    ],
)
def test_undefined_and_degenerate_cases(lines, value, reason, statistic):
    found = estimate(statistic, Sample(from_lines(*lines, categories="yn")), Scale(2))

    assert (found.value, found.reason, found.ci_low) == (value, reason, None)
