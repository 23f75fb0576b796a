"""The consensus of the others on one rater's items, without the rater's own labels."""

import numpy as np
from numpy.typing import NDArray

from reports.agreement.consensus.majority import MajorityConsensus, count_votes, no_votes
from reports.agreement.results import FloatArray, IntArray

# Items x categories counted at a time.
MAX_CELLS = 4_000_000
# A category is in the consensus set if more than this share of the others chose it.
HALF = 0.5


def others_vote(items: IntArray, codes: IntArray, *, n_items: int, n_categories: int) -> MajorityConsensus:
    """Return the majority of the others on each of n items.

    items, codes: (L,) labels of the others in any order, items from 0 to n - 1.
    """
    vote = no_votes(n_items)
    cells = items * n_categories + codes
    step = max(1, MAX_CELLS // n_categories)
    if n_items > step:
        cells = np.sort(cells)
    for start in range(0, n_items, step):
        stop = min(n_items, start + step)
        part = cells
        if n_items > step:
            first, last = np.searchsorted(cells, [start * n_categories, stop * n_categories])
            part = cells[first:last] - start * n_categories
        counts = np.bincount(part, minlength=(stop - start) * n_categories)
        count_votes(vote, slice(start, stop), counts.reshape(-1, n_categories))
    return vote


def mean_of_others(items: IntArray, values: FloatArray, *, n_items: int) -> FloatArray:
    """(n,) the mean of the others' numbers on each item, NaN without any; items: from 0 to n - 1."""
    n_labels = np.bincount(items, minlength=n_items)
    # Divided first: the sum of the largest numbers would overflow.
    parts = values / n_labels[items]
    means = np.bincount(items, weights=parts, minlength=n_items)
    return np.where(n_labels > 0, means, np.nan)


def others_shares(items: IntArray, chosen: NDArray[np.bool_], *, n_items: int) -> FloatArray:
    """(n, K) the share of the others who chose each category, NaN without others.

    items: (L,) from 0 to n - 1; chosen: (L, K) the categories in each label.
    """
    n_labels = np.bincount(items, minlength=n_items)
    counts = [np.bincount(items, weights=column, minlength=n_items) for column in chosen.T]
    with np.errstate(invalid="ignore"):
        return np.stack(counts, axis=1) / n_labels[:, None]


def others_sets(shares: FloatArray) -> NDArray[np.bool_]:
    """(n, K) the consensus of the others' sets: the categories that more than half of them chose."""
    return np.nan_to_num(shares) > HALF
