"""Intervals of Brennan and Prediger's kappa, and of PABAK, where all labels agree."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from reports.agreement.intervals.full_agreement import transformed_limits
from reports.agreement.overall.chance_corrected import BRENNAN_PREDIGER, GWET_AC, PERCENT_AGREEMENT
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.chance_corrected import brennan_prediger
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.pairs.indices import pabak
from reports.agreement.ratings import DenseRatings
from reports.agreement.results import Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights, weighting


def of_table(table, *, weights=Weights.UNWEIGHTED, confidence=0.95):
    scheme = weighting(weights, n_categories=len(table))
    return brennan_prediger(PairTables(np.array([table]), scheme), confidence=confidence).at(0)


def sample_of(rows, n_categories):
    codes = np.array(rows, dtype=np.uint8)
    return Sample(DenseRatings(codes, n_categories, int((codes < n_categories).sum())))


def test_six_of_six_items_and_two_categories():
    # By hand: 6 / (6 + 1.959964^2) = .609666 is Wilson's limit, and 2 x .609666 - 1.
    for found in (of_table([[4, 0], [0, 2]]), pabak(np.array([[[4, 0], [0, 2]]])).at(0)):
        assert (found.value, found.se, found.ci_high) == (1, 0, 1)
        assert found.ci_low == pytest.approx(0.219331, abs=5e-7)
        assert (found.reason, found.interval_method, found.is_clipped) == (Reason.NONE, "Wilson", False)


@pytest.mark.parametrize("n_categories", [2, 3, 5])
@pytest.mark.parametrize(("n", "confidence"), [(3, 0.95), (40, 0.9)])
def test_the_limit_is_that_of_percent_agreement_transformed(n_categories, n, confidence):
    table = np.zeros((n_categories, n_categories), dtype=np.int64)
    table[0, 0], table[1, 1] = n - 1, 1

    found = of_table(table, confidence=confidence)

    low, _ = proportion_confint(n, n, alpha=1 - confidence, method="wilson")
    expected = 1 / n_categories
    assert found.ci_low == pytest.approx((low - expected) / (1 - expected), abs=1e-12)


def test_several_raters_count_by_their_items():
    # Five items of three labels, one of two, and one of a single label; code 3 is none.
    rows = [[0, 0, 0], [1, 1, 1], [2, 2, 2], [0, 0, 0], [1, 1, 1], [2, 2, 3], [0, 3, 3]]
    sample, scale = sample_of(rows, 3), Scale(3)

    found = estimate(BRENNAN_PREDIGER, sample, scale)
    share = estimate(PERCENT_AGREEMENT, sample, scale)

    assert (found.value, found.se, found.reason, found.interval_method) == (1, 0, Reason.NONE, "Wilson")
    assert found.ci_low == pytest.approx((share.ci_low - 1 / 3) / (1 - 1 / 3), abs=1e-12)
    # 6 of 6 items, and a third by chance.
    assert found.ci_low == pytest.approx((0.6096657 - 1 / 3) / (2 / 3), abs=1e-6)
    assert estimate(GWET_AC, sample, scale).reason is Reason.DEGENERATE_SE


def test_with_weights_the_limit_is_no_higher():
    found = of_table([[3, 0, 0], [0, 3, 0], [0, 0, 3]], weights=Weights.LINEAR)

    # The mean of all linear weights of three categories is 5/9.
    [low], _ = transformed_limits(np.array([9.0]), 5 / 9, confidence=0.95)
    assert found.ci_low == pytest.approx(low, abs=1e-12)
    assert found.ci_low < of_table([[3, 0, 0], [0, 3, 0], [0, 0, 3]]).ci_low


def test_of_a_stack_only_full_agreement_is_changed():
    tables = np.array([[[4, 0], [0, 2]], [[3, 1], [0, 2]], [[0, 3], [3, 0]], [[1, 0], [0, 0]]])

    found = brennan_prediger(PairTables(tables, weighting(Weights.UNWEIGHTED, n_categories=2)))

    assert [found.at(place).interval_method for place in range(4)] == ["Wilson", "normal", "normal", "normal"]
    assert np.isnan(found.ci_low).tolist() == [False, False, True, True]
    assert found.at(2).reason is Reason.DEGENERATE_SE


def test_the_interval_covers():
    # A share of .9 that agree, twenty items: in .9^20 = 12% of the samples all agree, and then 1 - 2 x .1 = .8 must lie
    # within.
    found = of_table([[10, 0], [0, 10]])

    assert found.ci_low < 0.8
