"""Categories that one rater uses more than the others on the same items."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from reports.agreement.own.category_bias import ChosenCategories, category_bias
from reports.agreement.results import REASONS, Reason


def chosen(*rows: tuple[int, int]) -> ChosenCategories:
    items, categories = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    return ChosenCategories(items, categories)


def test_a_difference_worked_by_hand():
    # Rater: a a b a; of two others: ab, bb, bb, aa. Of a the differences are 0.5, 1, 0, 0.
    own = chosen((0, 0), (1, 0), (2, 1), (3, 0))
    others = chosen((0, 0), (0, 1), (1, 1), (1, 1), (2, 1), (2, 1), (3, 0), (3, 0))

    found = category_bias(own, others, np.array([2, 2, 2, 2]), n_categories=2)

    assert found.own.tolist() == [0.75, 0.25]
    assert found.others.tolist() == [0.375, 0.625]
    assert found.difference.value.tolist() == pytest.approx([0.375, -0.375])
    # sqrt(0.6875 / 3 / 4), and two categories.
    assert found.difference.se.tolist() == pytest.approx([0.239357] * 2, abs=1e-6)
    p = ttest_1samp([0.5, 1, 0, 0], 0).pvalue
    assert found.p_value.tolist() == pytest.approx([2 * p, 2 * p])


def test_it_is_the_paired_t_test_of_each_category_with_holm():
    chance = np.random.default_rng(3)
    n, k = 60, 4
    own = chance.integers(0, k, n)
    n_others = chance.integers(0, 4, n)
    items = np.repeat(np.arange(n), n_others)
    chosen = chance.integers(0, k, len(items))

    found = category_bias(
        ChosenCategories(np.arange(n), own), ChosenCategories(items, chosen), n_others, n_categories=k
    )

    used = np.flatnonzero(n_others)
    shares = np.array([[np.mean(chosen[items == i] == c) for c in range(k)] for i in used])
    gaps = (own[used][:, None] == np.arange(k)) - shares
    tests = ttest_1samp(gaps, 0)
    assert found.difference.value.tolist() == pytest.approx(gaps.mean(axis=0).tolist())
    assert found.difference.n.tolist() == [len(used)] * k
    interval = tests.confidence_interval(0.95)
    assert found.difference.ci_low.tolist() == pytest.approx(np.asarray(interval.low).tolist())
    assert found.p_value.min() == pytest.approx(min(1, k * np.min(tests.pvalue)))


def test_without_others_there_is_nothing_to_lean_from():
    found = category_bias(chosen((0, 0)), chosen(), np.array([0]), n_categories=2)

    assert np.isnan(found.difference.value).all()
    assert {REASONS[reason] for reason in found.difference.reason} == {Reason.NO_OVERLAP}
    assert np.isnan(found.p_value).all()


def test_a_rater_who_always_differs_alike_has_no_error():
    found = category_bias(
        chosen((0, 0), (1, 0), (2, 0)), chosen((0, 1), (1, 1), (2, 1)), np.array([1, 1, 1]), n_categories=2
    )

    assert found.difference.value.tolist() == [1.0, -1.0]
    assert {REASONS[reason] for reason in found.difference.reason} == {Reason.DEGENERATE_SE}
