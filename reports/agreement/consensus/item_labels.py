"""The labels of a question one by one, and the distinct sets of labels of items."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.ratings import Ratings
from reports.agreement.results import IntArray

# Any two distant numbers.
SALTS = (0x0123456789ABCDEF, 0xD1342543DE82EF95)


@dataclass(frozen=True, slots=True, eq=False)
class ItemLabels:
    """items, raters, codes: (L,) int64, in any order; a rater may have several labels on one item."""

    items: IntArray
    raters: IntArray
    codes: IntArray
    n_items: int
    n_raters: int
    n_categories: int


@dataclass(frozen=True, slots=True, eq=False)
class LabelSets:
    """The distinct sets of labels of items, and the number of items with each.

    raters, codes: (M,) int64, the labels of the sets in sequence, each with its raters in ascending order.
    starts: (U,) where each set begins. n_items: (U,) int64. kinds: (n,) the set of each item, -1 without labels.
    The order of sets does not depend on that of items, so that sums over them are reproducible.
    """

    raters: IntArray
    codes: IntArray
    starts: IntArray
    n_items: NDArray[np.int64]
    kinds: NDArray[np.int64]

    @property
    def n_labels(self) -> NDArray[np.int64]:
        """(U,) the number of labels in each set."""
        return np.diff(self.starts, append=len(self.codes))


def labels_of(ratings: Ratings) -> ItemLabels:
    """Return all labels of a question."""
    layout = ratings.layout
    keys = np.concatenate([np.empty(0, dtype=np.uint64), *ratings.packed_blocks()])
    return ItemLabels(
        layout.items(keys),
        layout.raters(keys),
        layout.codes(keys),
        n_items=ratings.n_items,
        n_raters=ratings.n_raters,
        n_categories=ratings.n_categories,
    )


def label_sets(labels: ItemLabels) -> LabelSets:
    """Return the distinct sets of labels, by two 64-bit sums over an item's labels: no two sets share both."""
    cells = (labels.raters * labels.n_categories + labels.codes).astype(np.uint64)
    order = np.lexsort((cells, labels.items))
    items = labels.items[order]
    starts = np.flatnonzero(np.diff(items, prepend=-1))
    kinds = np.full(labels.n_items, -1, dtype=np.int64)
    if not len(starts):
        return LabelSets(labels.raters, labels.codes, starts, starts, kinds)
    keys = [np.add.reduceat(_mixed(cells[order], salt), starts) for salt in SALTS]
    by_key = np.lexsort(keys)
    is_new = np.ones(len(by_key), dtype=bool)
    is_new[1:] = (np.diff(keys[0][by_key]) != 0) | (np.diff(keys[1][by_key]) != 0)
    kinds[items[starts[by_key]]] = np.cumsum(is_new) - 1
    return _sets(labels, order, starts, by_key[is_new], kinds)


def _sets(
    labels: ItemLabels, order: IntArray, starts: IntArray, chosen: IntArray, kinds: NDArray[np.int64]
) -> LabelSets:
    """Return the labels of the chosen items, which represent all items of their kind."""
    sizes = np.diff(starts, append=len(order))[chosen]
    new_starts = np.cumsum(sizes) - sizes
    rows = order[np.repeat(starts[chosen] - new_starts, sizes) + np.arange(sizes.sum())]
    n_items = np.bincount(kinds[kinds >= 0], minlength=len(chosen))
    return LabelSets(labels.raters[rows], labels.codes[rows], new_starts, n_items, kinds)


def _mixed(cells: NDArray[np.uint64], salt: int) -> NDArray[np.uint64]:
    """Return a hash of each cell (the finalizer of SplitMix64)."""
    z = (cells + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(salt)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
