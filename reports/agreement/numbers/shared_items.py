"""The items that each pair of raters shares, one rater at a time."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray, IntArray

# Labels of the other raters that are processed together.
BLOCK_LABELS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class SharedLabels:
    """Labels of one rater and several others on the items that they share.

    rater_a: the one rater. rater_b: (Q,) the others, ascending, who share an item with rater_a. first, second: (M,)
    positions of labels of rater_a and of the others, on the same item; grouped by other rater, in the order of items.
    starts: (Q,) where each group begins.
    """

    rater_a: int
    rater_b: NDArray[np.int64]
    first: IntArray
    second: IntArray
    starts: NDArray[np.int64]

    @property
    def n(self) -> NDArray[np.int64]:
        """(Q,) the number of shared items."""
        return np.diff(self.starts, append=len(self.first))

    @property
    def pairs(self) -> NDArray[np.int64]:
        """(M,) which of the Q pairs each item belongs to."""
        return np.repeat(np.arange(len(self.starts)), self.n)

    def sums(self, of_items: FloatArray) -> FloatArray:
        """(Q,) the sums over shared items; of_items: (M,)."""
        return np.add.reduceat(of_items, self.starts)


class LabelsByRater:
    """All pairs of raters that share an item, each once, by the first of the two.

    items, raters: (L,) rows and columns of the labels, in any order, each cell at most once. Each step is over all
    labels of later raters: memory is that of the labels, regardless of the number of pairs.
    """

    def __init__(self, items: IntArray, raters: IntArray, *, n_items: int, n_raters: int) -> None:
        self._items, self._raters, self._n_raters = items, raters, n_raters
        self._order = np.lexsort((items, raters))
        self._bounds = np.searchsorted(raters[self._order], np.arange(n_raters + 1))
        self._place = np.full(n_items, -1, dtype=np.int64)

    def shared(self, rater: int) -> Iterator[SharedLabels]:
        """Yield the pairs of a rater with later ones, of which there may be none."""
        own = self._order[self._bounds[rater] : self._bounds[rater + 1]]
        self._place[self._items[own]] = own
        for start, stop in _blocks(self._bounds, rater + 1, self._n_raters):
            others = self._order[start:stop]
            firsts = self._place[self._items[others]]
            is_shared = firsts >= 0
            if is_shared.any():
                yield _shared(rater, self._raters[others[is_shared]], firsts[is_shared], others[is_shared])
        self._place[self._items[own]] = -1


def _blocks(bounds: IntArray, first: int, n_raters: int) -> Iterator[tuple[int, int]]:
    """Yield bounds of the labels of whole raters, about BLOCK_LABELS at a time."""
    while first < n_raters:
        last = int(np.searchsorted(bounds, bounds[first] + BLOCK_LABELS, side="right")) - 1
        last = min(max(last, first + 1), n_raters)
        yield int(bounds[first]), int(bounds[last])
        first = last


def _shared(rater: int, others: IntArray, firsts: IntArray, seconds: IntArray) -> SharedLabels:
    starts = np.flatnonzero(np.concatenate(([True], others[1:] != others[:-1])))
    return SharedLabels(rater, others[starts].astype(np.int64), firsts, seconds, starts)
