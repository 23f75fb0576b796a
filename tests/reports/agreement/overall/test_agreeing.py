"""Shares of agreement beside the item mean."""

import numpy as np
import pytest

from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.overall.agreeing import (
    ALL_AGREE,
    PERCENT_AGREEMENT_BY_LABELS,
    PERCENT_AGREEMENT_BY_PAIRS,
)
from reports.agreement.overall.chance_corrected import PERCENT_AGREEMENT
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.chance_corrected import percent_agreement
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.results import Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights, weighting
from tests.reports.agreement.published import (
    ANXIETY,
    FLEISS_1971,
    HAYES_KRIPPENDORFF_2007,
    KRIPPENDORFF_2011,
)
from tests.reports.agreement.samples import all_coefficients, from_codes, from_lines, random_codes

UNWEIGHTED = weighting("unweighted", n_categories=2)
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
        (["y", "n"], 0.0, Reason.ONE_ITEM),
    ],
)
def test_undefined_cases(lines, value, reason, statistic):
    found = estimate(statistic, Sample(from_lines(*lines, categories="yn")), Scale(2))

    assert (found.value, found.reason, found.ci_low) == (value, reason, None)


@pytest.mark.parametrize("statistic", [PERCENT_AGREEMENT, *SHARES])
@pytest.mark.parametrize(
    ("lines", "value", "low", "high"),
    [
        # Wilson's limits, 1 of 2, 4 of 4, and 0 of 4: z^2 / (n + z^2) from the end, z = 1.959964.
        (["xy", "yy"], 0.5, 0.094531, 0.905469),
        (["yynn", "yynn"], 1.0, 0.510109, 1.0),
        (["yyyy", "nnnn"], 0.0, 0.0, 0.489891),
    ],
)
def test_the_interval_of_two_raters_is_wilsons(lines, value, low, high, statistic):
    found = estimate(statistic, Sample(from_lines(*lines, categories="xyn")), Scale(3))

    assert (found.value, found.reason, found.interval_method) == (value, Reason.NONE, "Wilson")
    assert (found.ci_low, found.ci_high) == pytest.approx((low, high), abs=1e-6)


def test_two_raters_have_the_interval_of_their_pair():
    lines = ("yynnyynyyn..", "yynnynnyyyyy")

    found = estimate(PERCENT_AGREEMENT, Sample(from_lines(*lines, categories="yn")), Scale(2))
    pair = percent_agreement(PairTables(np.array([[[5, 0], [2, 3]]]), UNWEIGHTED)).at(0)

    assert (found.value, found.ci_low, found.ci_high) == pytest.approx(
        (pair.value, pair.ci_low, pair.ci_high), abs=1e-12
    )


def test_three_raters_who_are_alike_or_not_count_as_independent_items():
    # 5 of 8 items alike: Wilson for 5 of 8.
    lines = ("yyynnyyn", "yyynnynn", "yyynnnny")

    found = estimate(ALL_AGREE, Sample(from_lines(*lines, categories="yn")), Scale(2))

    assert found.value == 5 / 8
    assert (found.ci_low, found.ci_high) == pytest.approx((0.305742, 0.863156), abs=1e-6)


def test_items_all_split_the_same_way_have_no_interval():
    lines = ("yyyy", "yyyy", "nnnn")

    found = estimate(PERCENT_AGREEMENT, Sample(from_lines(*lines, categories="yn")), Scale(2))

    assert found.value == pytest.approx(1 / 3)
    assert (found.reason, found.ci_low) == (Reason.DEGENERATE_MARGINS, None)


@pytest.mark.parametrize("statistic", [PERCENT_AGREEMENT, *SHARES])
@pytest.mark.parametrize("seed", range(20))
def test_limits_are_shares(statistic, seed):
    codes = random_codes(seed, n_items=6, n_raters=3, n_categories=3, share=0.7)

    found = estimate(statistic, Sample(from_codes(codes, n_categories=3)), Scale(3))

    if found.ci_low is not None and found.ci_high is not None and found.value is not None:
        assert 0 <= found.ci_low <= found.value <= found.ci_high <= 1
