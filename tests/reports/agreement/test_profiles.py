"""Items by who chose what."""

import numpy as np
import pytest

from reports.agreement import profiles as module
from reports.agreement.profiles import item_profiles
from reports.agreement.results import Reason, Undefined
from tests.reports.agreement.samples import from_codes, from_lines, random_codes


def test_profiles_are_the_distinct_rows_of_labels():
    profiles = item_profiles(from_lines("abab", "ab.b", "...a", categories="abc"))

    # Three stands for no label.
    assert profiles.codes.tolist() == [[0, 0, 3], [0, 3, 3], [1, 1, 0], [1, 1, 3]]
    assert profiles.n_items.tolist() == [1, 1, 1, 1]
    assert profiles.n_labels.tolist() == [2, 1, 3, 2]
    assert profiles.splits.counts.tolist() == [[2, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 0]]


def test_the_same_rows_are_one_kind():
    profiles = item_profiles(from_lines("aaba", "aabb", categories="ab"))

    assert (profiles.codes.tolist(), profiles.n_items.tolist()) == ([[0, 0], [0, 1], [1, 1]], [2, 1, 1])


def test_complete_items_have_a_label_of_every_rater():
    profiles = item_profiles(from_lines("abab", "ab.b", "b..a", categories="ab"))

    assert profiles.complete.codes.tolist() == [[0, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize("share", [0.2, 1.0])
def test_counts_of_raters_are_the_same_by_products_and_by_sums(share):
    codes = random_codes(3, n_items=60, n_raters=5, n_categories=3, share=share)
    profiles = item_profiles(from_codes(codes, n_categories=3))
    weights = np.random.default_rng(3).poisson(1, (9, len(profiles.n_items))).astype(np.float64)

    many = profiles.rater_counts(weights)

    assert np.array_equal(many, np.concatenate([profiles.rater_counts(row[None, :]) for row in weights]))
    expected = [
        [(row * (column == k)).sum() for k in range(3)] for row in weights for column in profiles.codes.T
    ]
    assert np.array_equal(many.reshape(-1, 3), expected)


def test_sums_over_the_labels_of_an_item():
    profiles = item_profiles(from_lines("ab", "a.", categories="ab"))

    assert profiles.rater_sums(np.array([[1.0, 10.0], [100.0, 1000.0]])).tolist() == [101, 10]


def test_blocks_change_nothing(monkeypatch):
    ratings = from_codes(random_codes(4, n_items=30, n_raters=4, n_categories=3), n_categories=3)
    values = np.arange(12.0).reshape(4, 3)
    whole = item_profiles(ratings)
    monkeypatch.setattr(module, "BLOCK_CELLS", 9)

    other = item_profiles(ratings)

    weights = np.ones((6, len(whole.n_items)))
    assert np.array_equal(whole.rater_sums(values), other.rater_sums(values))
    assert np.array_equal(whole.splits.counts, other.splits.counts)
    assert np.array_equal(whole.rater_counts(weights), other.rater_counts(weights))


def test_too_many_items_and_raters_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_CELLS", 5)

    with pytest.raises(Undefined) as refused:
        item_profiles(from_lines("aba", "abb", categories="ab"))

    assert refused.value.reason is Reason.TOO_LARGE
