"""The consensus of the others, worked by hand."""

import numpy as np

from reports.agreement.own import others
from reports.agreement.own.others import mean_of_others, others_sets, others_shares, others_vote


def test_the_category_that_most_others_gave():
    # Item 0: a a b; item 1: a b, tied; item 2: nobody; item 3: b alone.
    items, codes = np.array([0, 0, 0, 1, 1, 3]), np.array([0, 0, 1, 0, 1, 1])

    found = others_vote(items, codes, n_items=4, n_categories=2)

    assert found.codes.tolist() == [0, -1, -1, 1]
    assert found.is_tied.tolist() == [False, True, False, False]
    assert found.n_labels.tolist() == [3, 2, 0, 1]


def test_nobody_else_labeled_anything():
    none = np.empty(0, dtype=np.int64)

    found = others_vote(none, none, n_items=2, n_categories=3)

    assert found.codes.tolist() == [-1, -1]


def test_many_categories_are_counted_some_items_at_a_time(monkeypatch):
    chance = np.random.default_rng(2)
    items, codes = chance.integers(0, 50, 400), chance.integers(0, 9, 400)
    whole = others_vote(items, codes, n_items=50, n_categories=9)

    monkeypatch.setattr(others, "MAX_CELLS", 30)
    found = others_vote(items, codes, n_items=50, n_categories=9)

    assert found.codes.tolist() == whole.codes.tolist()
    assert found.n_labels.tolist() == np.bincount(items, minlength=50).tolist()


def test_the_mean_of_the_largest_numbers_does_not_overflow():
    found = mean_of_others(np.array([0, 0, 2]), np.array([1.7e308, 1.7e308, -3.0]), n_items=3)

    assert np.array_equal(found, [1.7e308, np.nan, -3.0], equal_nan=True)


def test_a_category_is_in_the_consensus_if_more_than_half_chose_it():
    # Of two others one is half, not more.
    chosen = np.array([[1, 0, 1], [1, 1, 0], [0, 0, 0]], dtype=bool)

    shares = others_shares(np.array([0, 0, 1]), chosen, n_items=3)

    assert np.array_equal(shares, [[1, 0.5, 0.5], [0, 0, 0], [np.nan] * 3], equal_nan=True)
    assert others_sets(shares).tolist() == [[True, False, False], [False] * 3, [False] * 3]
