"""Majority vote: the category with the most labels, and the items with a tie."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray
from reports.agreement.sample import Sample


@dataclass(frozen=True, slots=True, eq=False)
class MajorityConsensus:
    """codes: (n,) int64, the category with more labels on an item than any other; -1 where there is none.

    is_tied: (n,) where the top two categories have the same number. share: (n,) the share of an item's labels in the
    category with the most, tied or not, NaN without labels. n_labels: (n,) int64.
    """

    codes: NDArray[np.int64]
    is_tied: NDArray[np.bool_]
    share: FloatArray
    n_labels: NDArray[np.int64]


def majority_vote(sample: Sample) -> MajorityConsensus:
    """Return the majority vote on each item of a question, in the order of its items."""
    ratings = sample.ratings
    n, k, layout = ratings.n_items, ratings.n_categories, ratings.layout
    vote = no_votes(n)
    for keys in ratings.packed_blocks():
        if not len(keys):
            continue
        items = layout.items(keys)
        first, last = int(items[0]), int(items[-1]) + 1
        cells = (items - first) * k + layout.codes(keys)
        counts = np.bincount(cells, minlength=(last - first) * k).reshape(-1, k)
        count_votes(vote, slice(first, last), counts)
    return vote


def no_votes(n_items: int) -> MajorityConsensus:
    return MajorityConsensus(
        np.full(n_items, -1, dtype=np.int64),
        np.zeros(n_items, dtype=bool),
        np.full(n_items, np.nan),
        np.zeros(n_items, dtype=np.int64),
    )


def count_votes(vote: MajorityConsensus, rows: slice, counts: NDArray[np.int64]) -> None:
    """Write the vote on the items of these rows into `vote`. counts: (rows, K) their labels in each category."""
    most, totals = counts.max(axis=1), counts.sum(axis=1)
    is_labeled = totals > 0
    is_tied = is_labeled & ((counts == most[:, None]).sum(axis=1) > 1)
    vote.codes[rows] = np.where(is_labeled & ~is_tied, counts.argmax(axis=1), -1)
    vote.is_tied[rows] = is_tied
    vote.share[rows] = np.where(is_labeled, most / np.maximum(totals, 1), np.nan)
    vote.n_labels[rows] = totals
