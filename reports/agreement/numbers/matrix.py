"""The labels of one numeric question, from which every statistic of numbers is computed."""

from collections.abc import Sequence
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reports.agreement.results import FloatArray, IntArray, Reason, Size, Undefined


class NumberSample:
    """Labels that are numbers, at most one for each item and rater.

    items, raters: (L,) int64, the row and the column of each label; values: (L,) float64, all finite; ordered by item,
    then by rater. Only existing labels are stored, so that many raters with few labels each need little memory.
    """

    def __init__(self, values: ArrayLike) -> None:
        """values: (N, R) numbers, NaN where there is no label. Raises ValueError for another shape or infinity."""
        matrix = np.asarray(values, dtype=np.float64)
        if matrix.ndim != 2:
            raise ValueError(f"values must be (items, raters), got shape {matrix.shape}")
        items, raters = np.nonzero(~np.isnan(matrix))
        self._keep(items, raters, matrix[items, raters], *matrix.shape)

    @classmethod
    def from_labels(
        cls, items: ArrayLike, raters: ArrayLike, values: ArrayLike, *, n_items: int, n_raters: int
    ) -> Self:
        """Create from (L,) rows, columns, and numbers in any order. Raises ValueError for a cell with two numbers."""
        made = cls.__new__(cls)
        rows, columns = np.asarray(items, dtype=np.int64), np.asarray(raters, dtype=np.int64)
        order = np.lexsort((columns, rows))
        rows, columns = rows[order], columns[order]
        if ((rows[1:] == rows[:-1]) & (columns[1:] == columns[:-1])).any():
            raise ValueError("a rater may have one number on an item")
        made._keep(rows, columns, np.asarray(values, dtype=np.float64)[order], n_items, n_raters)
        return made

    def _keep(
        self, items: IntArray, raters: IntArray, values: FloatArray, n_items: int, n_raters: int
    ) -> None:
        if not np.isfinite(values).all():
            raise ValueError("numbers must be finite")
        self.items, self.raters, self.values = items.astype(np.int64), raters.astype(np.int64), values
        self.n_items, self.n_raters = n_items, n_raters

    def of_raters(self, raters: Sequence[int]) -> "NumberSample":
        """Return the labels of some raters, by ascending columns, on the items that at least one of them labeled."""
        if len(raters) == self.n_raters:
            return self
        keep = np.isin(self.raters, raters)
        items, rows = np.unique(self.items[keep], return_inverse=True)
        columns = np.searchsorted(np.asarray(raters, dtype=np.int64), self.raters[keep])
        return NumberSample.from_labels(
            rows, columns, self.values[keep], n_items=len(items), n_raters=len(raters)
        )

    @cached_property
    def labels_per_item(self) -> NDArray[np.int64]:
        """(N,)"""
        return np.bincount(self.items, minlength=self.n_items)

    @cached_property
    def labels_per_rater(self) -> NDArray[np.int64]:
        """(R,)"""
        return np.bincount(self.raters, minlength=self.n_raters)

    @cached_property
    def size(self) -> Size:
        """The numbers of items with a label, their raters, and labels."""
        return self.size_of(self.labels_per_item >= 1)

    @cached_property
    def pairable_size(self) -> Size:
        """The size limited to items with two or more labels."""
        return self.size_of(self.labels_per_item >= 2)

    @cached_property
    def is_complete(self) -> NDArray[np.bool_]:
        """(N,) which items have a label from every rater with any labels, if there are at least two such raters."""
        n_raters = self.size.n_raters
        return self.labels_per_item == n_raters if n_raters >= 2 else np.zeros(self.n_items, dtype=bool)

    @cached_property
    def complete(self) -> FloatArray:
        """(n, k) the numbers of those items by those raters."""
        values = self.values[self.is_complete[self.items]]
        return values.reshape(-1, max(1, self.size.n_raters))

    @cached_property
    def complete_size(self) -> Size:
        return self.size_of(self.is_complete)

    def size_of(self, are_used: NDArray[np.bool_]) -> Size:
        """Return the size of the data on the used items; are_used: (N,)."""
        is_used = are_used[self.items]
        n_raters = int(np.count_nonzero(np.bincount(self.raters[is_used], minlength=1)))
        n_labels = int(np.count_nonzero(is_used))
        return Size(n_items=int(np.count_nonzero(are_used)), n_raters=n_raters, n_labels=n_labels)


def complete_numbers(sample: NumberSample) -> FloatArray:
    """(n, k) the numbers of items that all raters labeled; raises Undefined if there are fewer than two."""
    if not sample.size.n_items:
        raise Undefined(Reason.NO_ITEMS)
    if not sample.pairable_size.n_items:
        raise Undefined(Reason.NO_OVERLAP)
    if not sample.complete_size.n_items:
        raise Undefined(Reason.NO_COMPLETE_ITEMS)
    if sample.complete_size.n_items < 2:
        raise Undefined(Reason.ONE_ITEM)
    return sample.complete
