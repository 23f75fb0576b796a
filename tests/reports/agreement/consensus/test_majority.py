"""Majority vote."""

import numpy as np

from reports.agreement.consensus.majority import majority_vote
from reports.agreement.ratings import SparseRatings, to_dense, to_sparse
from reports.agreement.sample import Sample
from tests.reports.agreement.samples import from_codes, from_lines, random_codes


def test_the_category_with_the_most_labels_wins_and_ties_are_marked():
    vote = majority_vote(Sample(from_lines("aabc", "abbc", "abc.", "ac..", categories="abc")))

    # aaaa, abbc, bbc, cc.
    assert vote.codes.tolist() == [0, 1, 1, 2]
    assert vote.is_tied.tolist() == [False] * 4
    assert vote.share.tolist() == [1, 0.5, 2 / 3, 1]
    assert vote.n_labels.tolist() == [4, 4, 3, 2]


def test_a_tie_has_no_winner():
    vote = majority_vote(Sample(from_lines("aab", "bab", categories="abc")))

    assert vote.codes.tolist() == [-1, 0, 1]
    assert vote.is_tied.tolist() == [True, False, False]
    assert vote.share.tolist() == [0.5, 1, 1]


def test_an_item_without_labels_has_neither_winner_nor_tie():
    sample = Sample(SparseRatings(np.empty(0, dtype=np.uint64), n_items=2, n_raters=1, n_categories=3))

    vote = majority_vote(sample)

    assert (vote.codes.tolist(), vote.is_tied.tolist()) == ([-1, -1], [False, False])
    assert np.isnan(vote.share).all()


def test_blocks_and_storage_change_nothing(monkeypatch):
    ratings = from_codes(random_codes(2, n_items=90, n_raters=5, n_categories=4), n_categories=4)
    whole = majority_vote(Sample(to_dense(ratings)))
    monkeypatch.setattr("reports.agreement.ratings.BLOCK_LABELS", 7)

    for other in (majority_vote(Sample(to_dense(ratings))), majority_vote(Sample(to_sparse(ratings)))):
        assert np.array_equal(whole.codes, other.codes)
        assert np.array_equal(whole.is_tied, other.is_tied)
