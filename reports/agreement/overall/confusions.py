"""Pairs of categories given to the same items: how often, and on how many items."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.patterns import ItemPatterns
from reports.agreement.ratings import Ratings

BLOCK_CELLS = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionCounts:
    """Pairs of labels of one item, by their categories.

    n_pairs: (K, K) int64, symmetric; off the diagonal, unordered pairs of labels with these two categories; on it,
    pairs that agree. n_items: (K, K) int64, symmetric; items on which both categories were used; on the diagonal,
    those with two or more labels of the category.
    """

    n_pairs: NDArray[np.int64]
    n_items: NDArray[np.int64]


def confusions(patterns: ItemPatterns) -> ConfusionCounts:
    k = patterns.n_categories
    n_pairs, n_items = np.zeros((2, k, k), dtype=np.int64)
    step = max(1, BLOCK_CELLS // max(1, k))
    for start in range(0, len(patterns.counts), step):
        counts = patterns.counts[start : start + step].astype(np.int64)
        n = patterns.n_items[start : start + step]
        is_used = (counts > 0).astype(np.int64)
        # Integer arithmetic avoids BLAS and its threads.
        n_pairs += (counts * n[:, None]).T @ counts
        n_items += (is_used * n[:, None]).T @ is_used
        places = np.arange(k)
        n_pairs[places, places] -= (counts * n[:, None]).sum(axis=0)
        n_items[places, places] -= ((counts == 1) * n[:, None]).sum(axis=0)
    n_pairs[np.arange(k), np.arange(k)] //= 2
    return ConfusionCounts(n_pairs, n_items)


def labels_by_category(ratings: Ratings) -> NDArray[np.int64]:
    """(R, K) the number of labels that each rater put in each category."""
    k, layout = ratings.n_categories, ratings.layout
    found = np.zeros(ratings.n_raters * k, dtype=np.int64)
    for keys in ratings.packed_blocks():
        found += np.bincount(layout.raters(keys) * k + layout.codes(keys), minlength=len(found))
    return found.reshape(ratings.n_raters, k)
