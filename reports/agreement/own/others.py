"""What the others say together of the items of one rater, whose own labels are left out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.building import build
from reports.agreement.consensus.majority import majority_vote
from reports.agreement.results import FloatArray, IntArray
from reports.agreement.sample import Sample

# A category is in the consensus of sets if more than this share of the others chose it.
HALF = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class OthersVote:
    """codes: (n,) the category that more of the others gave than any other, -1 where there is none.

    is_tied: (n,) where the first two have as many. n_labels: (n,) labels of the others.
    """

    codes: NDArray[np.int64]
    is_tied: NDArray[np.bool_]
    n_labels: NDArray[np.int64]


def others_vote(
    items: IntArray, raters: IntArray, codes: IntArray, *, n_items: int, n_categories: int
) -> OthersVote:
    """The majority of the others on each of n items.

    items, raters, codes: (L,) labels of the others in any order, items from 0 to n - 1, a rater once on an item.
    """
    vote = OthersVote(
        np.full(n_items, -1, dtype=np.int64),
        np.zeros(n_items, dtype=bool),
        np.zeros(n_items, dtype=np.int64),
    )
    if len(items):
        ratings, rows, _ = build(items, raters, codes, n_categories=n_categories)
        found = majority_vote(Sample(ratings))
        vote.codes[rows], vote.is_tied[rows] = found.codes, found.is_tied
        vote.n_labels[rows] = found.n_labels
    return vote


def others_mean(items: IntArray, values: FloatArray, *, n_items: int) -> FloatArray:
    """(n,) the mean of the others' numbers on each item, NaN without any; items: from 0 to n - 1."""
    n_labels = np.bincount(items, minlength=n_items)
    # Divided first: the sum of the largest numbers would overflow.
    parts = values / n_labels[items]
    means = np.bincount(items, weights=parts, minlength=n_items)
    return np.where(n_labels > 0, means, np.nan)


def others_shares(items: IntArray, chosen: NDArray[np.bool_], *, n_items: int) -> FloatArray:
    """(n, K) the share of the others who chose each category, NaN without any of them.

    items: (L,) from 0 to n - 1; chosen: (L, K) what each label holds.
    """
    n_labels = np.bincount(items, minlength=n_items)
    counts = [np.bincount(items, weights=column, minlength=n_items) for column in chosen.T]
    with np.errstate(invalid="ignore"):
        return np.stack(counts, axis=1) / n_labels[:, None]


def others_sets(shares: FloatArray) -> NDArray[np.bool_]:
    """(n, K) the consensus of the others' sets: what more than half of them chose."""
    return np.nan_to_num(shares) > HALF
