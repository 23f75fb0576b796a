"""What holds for Cohen's kappa of any table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.weights import Weighting, weighting
from tests.reports.agreement.pairs.test_cohen import DECLARED

tables_of_counts = st.integers(2, 5).flatmap(
    lambda n: arrays(np.int64, (1, n, n), elements=st.integers(0, 30))
)
all_weights = st.sampled_from(DECLARED)


def random_weighting(n_categories: int, seed: int) -> Weighting:
    similarity = np.random.default_rng(seed).random((n_categories, n_categories))
    similarity = np.maximum(similarity, similarity.T)
    np.fill_diagonal(similarity, 1)
    return weighting("custom", n_categories=n_categories, similarity=similarity)


@given(tables_of_counts, st.integers(0, 1000))
def test_kappa_with_custom_weights_stays_below_its_largest_value(tables, seed):
    found = cohen_kappa(tables, random_weighting(tables.shape[1], seed)).pair(0)

    if found.kappa is not None:
        assert found.kappa <= found.kappa_max + 1e-12 <= 1 + 2e-12


@given(tables_of_counts, st.sampled_from(DECLARED))
def test_weighted_kappa_is_one_less_the_costs_over_those_expected(tables, weights):
    # The definition in similarities, (po - pe) / (1 - pe), with pe from the margins.
    found = cohen_kappa(tables, weighting(weights, n_categories=tables.shape[1])).pair(0)

    if found.kappa is not None:
        similarity = weighting(weights, n_categories=tables.shape[1]).similarity
        p = tables[0] / tables[0].sum()
        expected = (np.outer(p.sum(axis=1), p.sum(axis=0)) * similarity).sum()
        assert found.expected == pytest.approx(expected, abs=1e-12)
        assert found.kappa == pytest.approx(((p * similarity).sum() - expected) / (1 - expected), abs=1e-9)


def same(one: float, other: float) -> bool:
    return (np.isnan(one) and np.isnan(other)) or one == pytest.approx(other, abs=1e-12)


@given(tables_of_counts, all_weights)
def test_kappa_is_symmetric_in_the_raters(tables, weights):
    costs = weighting(weights, n_categories=tables.shape[1])

    one, other = cohen_kappa(tables, costs), cohen_kappa(tables.transpose(0, 2, 1), costs)

    for name in ("observed", "expected", "kappa", "se", "ci_low", "ci_high", "kappa_max"):
        assert same(getattr(one, name)[0], getattr(other, name)[0])


@given(tables_of_counts, st.randoms(use_true_random=False))
def test_unweighted_kappa_does_not_depend_on_the_order_of_categories(tables, random):
    order = list(range(tables.shape[1]))
    random.shuffle(order)
    costs = weighting("unweighted", n_categories=len(order))

    one, other = cohen_kappa(tables, costs), cohen_kappa(tables[:, order][:, :, order], costs)

    assert same(one.kappa[0], other.kappa[0])
    assert same(one.se[0], other.se[0])


@given(tables_of_counts, all_weights)
def test_kappa_lies_between_minus_one_and_its_largest_value(tables, weights):
    found = cohen_kappa(tables, weighting(weights, n_categories=tables.shape[1])).pair(0)

    if found.kappa is not None:
        assert -1 - 1e-12 <= found.kappa <= found.kappa_max + 1e-12 <= 1 + 2e-12
    if found.ci_low is not None:
        assert -1 <= found.ci_low <= found.kappa <= found.ci_high <= 1


@given(tables_of_counts, all_weights, st.integers(2, 50))
def test_more_of_the_same_leaves_kappa_and_shrinks_its_error(tables, weights, times):
    costs = weighting(weights, n_categories=tables.shape[1])

    one, many = cohen_kappa(tables, costs), cohen_kappa(tables * times, costs)

    assert same(one.kappa[0], many.kappa[0]) or one.n[0] == 0
    if one.reason[0] == many.reason[0] == 0:
        assert many.se[0] == pytest.approx(one.se[0] / np.sqrt(times), rel=1e-9)


@given(arrays(np.int64, (1, 2, 2), elements=st.integers(0, 40)))
def test_byrt_bishop_and_carlins_identity(tables):
    # Kappa from PABAK, prevalence and bias index (JCE 46, 1993, 423-429).
    found = cohen_kappa(tables, weighting("unweighted", n_categories=2)).pair(0)
    if found.kappa is None:
        return
    (a, b), (c, d) = tables[0] / found.n
    prevalence, bias = a - d, b - c

    pabak = 2 * (a + d) - 1

    expected = (pabak - prevalence**2 + bias**2) / (1 - prevalence**2 + bias**2)
    assert found.kappa == pytest.approx(expected, abs=1e-9)
