"""Tests of marginal homogeneity, and Wilson's interval, side by side with statsmodels."""

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import SquareTable, cochrans_q, mcnemar
from statsmodels.stats.proportion import proportion_confint

from reports.agreement.overall.cochran import cochran_q
from reports.agreement.pairs import homogeneity
from reports.agreement.pairs.chance_corrected import percent_agreement
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.sample import Sample
from reports.agreement.weights import weighting
from tests.reports.agreement.peers.shapes import Shape, quiet_peer


def random_tables(n_categories: int, *, mean: float, seed: int = 5) -> np.ndarray:
    """(20, K, K); few items with a small mean, so that cells and even pairs of cells are empty."""
    return np.random.default_rng(seed).poisson(mean, (20, n_categories, n_categories))


@pytest.mark.parametrize("options", [{"exact": True}, {"corrected": True}, {"corrected": False}])
@pytest.mark.parametrize("mean", [1, 8, 60])
def test_mcnemar_is_that_of_statsmodels(mean, options):
    tables = random_tables(2, mean=mean)
    tables = tables[tables[:, 0, 1] + tables[:, 1, 0] > 0]
    is_exact, is_corrected = options.get("exact", False), options.get("corrected", False)

    found = homogeneity.mcnemar(tables, exact=is_exact, corrected=is_corrected)

    for position, table in enumerate(tables):
        if is_corrected and table[0, 1] == table[1, 0]:
            continue
        peer = mcnemar(table, exact=is_exact, correction=is_corrected)
        assert found.p_value[position] == pytest.approx(peer.pvalue, abs=1e-12)
        # Their statistic of an exact test is a count.
        if not is_exact:
            assert found.statistic[position] == pytest.approx(peer.statistic, abs=1e-12)


def test_exception_the_correction_makes_a_difference_of_none():
    # As many disagree one way as the other: corrected, statsmodels takes |b - c| - 1 = -1 for a difference.
    table = np.array([[5, 2], [2, 5]])

    found = homogeneity.mcnemar(table[None], exact=False, corrected=True)

    assert mcnemar(table, exact=False, correction=True).statistic == 1 / 4
    assert (found.statistic[0], found.p_value[0]) == (0, 1)


def test_exception_mcnemar_without_disagreement_is_significant():
    table = np.array([[5, 0], [0, 5]])

    found = homogeneity.mcnemar(table[None], exact=False)

    with quiet_peer():
        peer = mcnemar(table, exact=False)
    assert (peer.statistic, peer.pvalue) == (np.inf, 0)
    assert (found.statistic[0], found.p_value[0]) == (0, 1)


@pytest.mark.parametrize("n_categories", [2, 3, 6])
def test_bowker_is_that_of_statsmodels_if_no_pair_of_categories_is_empty(n_categories):
    tables = random_tables(n_categories, mean=6) + 1

    found = homogeneity.bowker(tables)

    for position, table in enumerate(tables):
        peer = SquareTable(table, shift_zeros=False).symmetry()
        ours = found.statistic[position], found.df[position], found.p_value[position]
        assert ours == pytest.approx((peer.statistic, peer.df, peer.pvalue), abs=1e-10)


def test_exception_bowker_counts_empty_pairs_of_categories():
    # No item of a first and third category: statsmodels counts the pair among the degrees of freedom.
    table = np.array([[9, 6, 0], [2, 9, 3], [0, 5, 9]])

    found = homogeneity.bowker(table[None])

    peer = SquareTable(table, shift_zeros=False).symmetry()
    assert found.statistic[0] == pytest.approx(peer.statistic)
    assert (peer.df, found.df[0]) == (3, 2)
    assert found.p_value[0] < peer.pvalue


@pytest.mark.parametrize("name", ["stuart_maxwell", "bhapkar"])
@pytest.mark.parametrize("n_categories", [2, 3, 6])
def test_marginal_homogeneity_is_that_of_statsmodels(n_categories, name):
    tables = random_tables(n_categories, mean=6) + 1

    found = getattr(homogeneity, name)(tables)

    for position, table in enumerate(tables):
        peer = SquareTable(table, shift_zeros=False).homogeneity(method=name)
        ours = found.statistic[position], found.df[position], found.p_value[position]
        assert ours == pytest.approx((peer.statistic, peer.df, peer.pvalue), abs=1e-9)


def test_exception_a_category_without_disagreement_is_nan():
    # Gwet's abstractors: on ectopic pregnancy nobody disagrees.
    table = np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]])

    found = homogeneity.stuart_maxwell(table[None])

    with quiet_peer():
        assert np.isnan(SquareTable(table, shift_zeros=False).homogeneity().statistic)
    # R coin: 0.818182 on 1 degree of freedom, (7 - 4)^2 / (7 + 4).
    assert found.statistic[0] == pytest.approx(9 / 11)
    assert found.df[0] == 1


@pytest.mark.parametrize(
    "shape", [Shape(80, 4, 2), Shape(30, 60, 2), Shape(15, 2, 2), Shape(6, 3, 2)], ids=str
)
def test_cochran_is_that_of_statsmodels(shape):
    found = cochran_q(Sample(shape.ratings))

    peer = cochrans_q(shape.codes == 0)
    ours = found.statistic[0], found.df[0], found.p_value[0]
    assert ours == pytest.approx((peer.statistic, peer.df, peer.pvalue), abs=1e-10)


@pytest.mark.parametrize("mean", [1, 8, 60])
def test_wilson_is_that_of_statsmodels(mean):
    tables = random_tables(3, mean=mean)

    found = percent_agreement(PairTables(tables, weighting("unweighted", n_categories=3)))

    agreeing, n = np.trace(tables, axis1=1, axis2=2), tables.sum(axis=(1, 2))
    low, high = proportion_confint(agreeing, n, method="wilson")
    assert found.ci_low == pytest.approx(low, abs=1e-12)
    assert found.ci_high == pytest.approx(high, abs=1e-12)
