"""Kendall's W and Lin's coefficient side by side with what SciPy has of them."""

import itertools

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, pearsonr, spearmanr

from reports.agreement.numbers.concordance import lin_concordance
from reports.agreement.numbers.kendall import kendall_w, kendall_w_zero
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.pairs import all_number_pairs

# items, raters, how many different numbers: few make ties.
SHAPES = [(12, 3, 5), (40, 6, 1000), (7, 20, 3), (100, 4, 10)]


def numbers(n_items: int, n_raters: int, n_values: int) -> np.ndarray:
    random = np.random.default_rng(n_items)
    level = random.normal(size=(n_items, 1)) + random.normal(size=(n_items, n_raters))
    return np.round(n_values * level / 6)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_test_of_w_is_friedmans(shape):
    values = numbers(*shape)

    found = kendall_w_zero(NumberSample(values))

    peer = friedmanchisquare(*values)
    assert found.statistic[0] == pytest.approx(peer.statistic, rel=1e-12)
    assert found.p_value[0] == pytest.approx(peer.pvalue, rel=1e-9)


def test_w_is_the_mean_rank_correlation_if_there_are_no_ties():
    values = np.random.default_rng(3).normal(size=(25, 5)) + np.arange(25)[:, None] / 5

    found = kendall_w(NumberSample(values))

    pairs = itertools.combinations(values.T, 2)
    mean = np.mean([spearmanr(x, y).statistic for x, y in pairs])
    assert found.value == pytest.approx((1 + 4 * mean) / 5, abs=1e-12)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_correlation_shown_with_lins_coefficient_is_pearsons(shape):
    values = numbers(*shape)
    pairs = all_number_pairs(NumberSample(values))

    found = lin_concordance(pairs)

    for position, (a, b) in enumerate(zip(pairs.rater_a, pairs.rater_b, strict=True)):
        x, y = values[:, a], values[:, b]
        assert found.correlation[position] == pytest.approx(pearsonr(x, y).statistic, abs=1e-12)
        # rho_c = 2 cov / (var x + var y + difference of means squared), moments over n.
        covariance = np.cov(x, y, bias=True)
        peer = 2 * covariance[0, 1] / (np.trace(covariance) + (x.mean() - y.mean()) ** 2)
        assert found.coefficient.value[position] == pytest.approx(peer, abs=1e-12)
