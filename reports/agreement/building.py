"""Build ratings from labels that arrive in slices of items, in any order."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from reports.agreement.ratings import BitLayout, DenseRatings, KeyArray, Ratings, SparseRatings, code_type
from reports.agreement.results import IntArray

# Up to this many raters, columns are looked up in a table rather than searched.
MAX_TABLE = 1 << 22
# Measured seconds per unit of work; only their ratio matters (docs/benchmarks.md).
PRODUCT_SECONDS = 5e-12
BINCOUNT_SECONDS = 1.9e-9
EVENT_SECONDS = 30e-9
# Up to this many categories, products of one-hot blocks are faster than np.bincount of each pair.
MAX_PRODUCT_CATEGORIES = 12
MAX_DENSE_BYTES = 1 << 30
# The capacity of the packed labels of a slice.
MAX_SLICE_ITEMS = 1 << 24
MAX_RATERS = 1 << 24
SLICE_LABELS = 1 << 17
# Threads that fill the sorted keys.
THREADS = 2
NO_KEYS: KeyArray = np.empty(0, dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class LabelSlice:
    """The labels of one slice: a matrix of codes if full enough, otherwise packed labels."""

    items: IntArray
    n_labels: int
    labels: KeyArray
    block: NDArray[np.unsignedinteger] | None = None


class RatingsBuilder:
    """Collect slices of labels and choose their storage; thread-safe.

    No item may be in two slices, and no rater twice on an item. Raters and items are numbered in ascending order of
    their IDs, independent of the order of the slices.
    rater_bounds: the smallest and largest possible rater ID, if known; saves searching.
    """

    def __init__(self, *, n_categories: int, rater_bounds: tuple[int, int] | None = None) -> None:
        self.n_categories = n_categories
        self.n_labels = 0
        self.n_events = 0
        self._type = code_type(n_categories)
        self._code_bits = np.uint64(16)
        self._column_bits = np.uint64(24)
        self._parts: list[LabelSlice] = []
        self._lock = Lock()
        self._columns: NDArray[np.int32] | None = None
        if rater_bounds and rater_bounds[1] - rater_bounds[0] < MAX_TABLE:
            self._columns = np.full(rater_bounds[1] - rater_bounds[0] + 1, -1, dtype=np.int32)
            self._rater_low = rater_bounds[0]
        self._raters = np.empty(0, dtype=np.int64)

    def add(self, items: IntArray, raters: IntArray, codes: IntArray) -> None:
        """Add a slice: IDs of items in ascending order, IDs of raters, positions of categories."""
        if not len(items):
            return
        if np.any(items[1:] < items[:-1]):
            raise ValueError("a slice must be in ascending order of its items")
        starts = np.flatnonzero(np.concatenate(([True], items[1:] != items[:-1])))
        if len(starts) > MAX_SLICE_ITEMS:
            raise ValueError(f"a slice may have {MAX_SLICE_ITEMS} items, got {len(starts)}")
        sizes = np.diff(starts, append=len(items))
        rows = np.repeat(np.arange(len(starts)), sizes)
        with self._lock:
            columns, width = self._columns_of(raters)
        if width > MAX_RATERS:
            raise ValueError(f"at most {MAX_RATERS} raters")
        part = self._part(items[starts], rows, columns, codes, width)
        with self._lock:
            self._parts.append(part)
            self.n_labels += len(items)
            self.n_events += int((sizes * (sizes - 1) // 2).sum())

    def finish(self) -> tuple[Ratings, NDArray[np.int64], NDArray[np.int64]]:
        """Return the ratings, the IDs of their items, and the IDs of their raters, both ascending.

        Raises ValueError if an item was in two slices or a rater was twice on an item.
        """
        self._parts.sort(key=lambda part: int(part.items[0]))
        item_ids = np.concatenate([np.empty(0, dtype=np.int64), *(part.items for part in self._parts)])
        if np.any(item_ids[1:] <= item_ids[:-1]):
            raise ValueError("an item may be in one slice only")
        order = np.argsort(self._raters)
        if self._is_dense(len(item_ids)):
            return self._dense(len(item_ids), order), item_ids, self._raters[order]
        return self._sparse(len(item_ids), order), item_ids, self._raters[order]

    def _columns_of(self, raters: IntArray) -> tuple[IntArray, int]:
        """Return the column of each label, in order of first occurrence, and the current number of columns."""
        if self._columns is None:
            return self._columns_by_search(raters)
        columns = self._columns[raters - self._rater_low]
        if columns.min() < 0:
            new = np.unique(raters[columns < 0])
            n_known = len(self._raters)
            self._columns[new - self._rater_low] = np.arange(n_known, n_known + len(new))
            self._raters = np.concatenate((self._raters, new))
            columns = self._columns[raters - self._rater_low]
        return columns, len(self._raters)

    def _columns_by_search(self, raters: IntArray) -> tuple[IntArray, int]:
        self._raters = np.concatenate((self._raters, np.setdiff1d(raters, self._raters)))
        order = np.argsort(self._raters)
        return order[np.searchsorted(self._raters, raters, sorter=order)], len(self._raters)

    def _part(
        self, items: IntArray, rows: IntArray, columns: IntArray, codes: IntArray, width: int
    ) -> LabelSlice:
        if len(items) * width * np.dtype(self._type).itemsize > 8 * len(rows):
            return LabelSlice(items, len(rows), self._pack(rows, columns, codes))
        block = np.full((len(items), width), self.n_categories, dtype=self._type)
        block.ravel()[rows * width + columns] = codes
        if np.count_nonzero(block != self.n_categories) != len(rows):
            raise ValueError("a rater may label an item once only")
        return LabelSlice(items, len(rows), NO_KEYS, block)

    def _pack(self, rows: IntArray, columns: IntArray, codes: IntArray) -> KeyArray:
        keys = rows.astype(np.uint64)
        keys <<= self._column_bits
        keys |= columns.astype(np.uint64)
        keys <<= self._code_bits
        keys |= codes.astype(np.uint64)
        return keys

    def _unpack(self, part: LabelSlice) -> tuple[IntArray, IntArray, IntArray]:
        """Return row, column, and code of each label of a part, ascending by row."""
        if part.block is not None:
            rows, columns = np.nonzero(part.block != self.n_categories)
            return rows, columns, part.block[rows, columns]
        keys = part.labels >> self._code_bits
        columns = (keys & np.uint64(MAX_RATERS - 1)).view(np.int64)
        codes = part.labels & np.uint64((1 << int(self._code_bits)) - 1)
        keys >>= self._column_bits
        return keys.view(np.int64), columns, codes

    def _is_dense(self, n_items: int) -> bool:
        n_raters, size = len(self._raters), np.dtype(self._type).itemsize
        return n_items * n_raters * size <= MAX_DENSE_BYTES and is_dense_faster(
            n_items=n_items, n_raters=n_raters, n_categories=self.n_categories, n_events=self.n_events
        )

    def _dense(self, n_items: int, order: IntArray) -> DenseRatings:
        """Fill the matrix of codes, dropping each part once it is copied."""
        place = np.argsort(order)
        codes = np.full((n_items, len(order)), self.n_categories, dtype=self._type)
        n_labels, stop = self.n_labels, n_items
        while self._parts:
            part = self._parts.pop()
            target = codes[stop - len(part.items) : stop]
            stop -= len(part.items)
            if part.block is not None:
                target[:, place[: part.block.shape[1]]] = part.block
                continue
            rows, columns, values = self._unpack(part)
            target[rows, place[columns]] = values
            if np.count_nonzero(target != self.n_categories) != len(rows):
                raise ValueError("a rater may label an item once only")
        return DenseRatings(codes, self.n_categories, n_labels)

    def _sparse(self, n_items: int, order: IntArray) -> SparseRatings:
        """Fill the sorted keys, dropping each part once it is copied."""
        layout = BitLayout.of(n_items=n_items, n_raters=len(order), n_categories=self.n_categories)
        place = np.argsort(order)
        keys = np.empty(self.n_labels, dtype=np.uint64)
        stop, first = len(keys), n_items
        targets: list[tuple[LabelSlice, int, KeyArray]] = []
        for part in reversed(self._parts):
            first -= len(part.items)
            targets.append((part, first, keys[stop - part.n_labels : stop]))
            stop -= part.n_labels
        self._parts.clear()
        with ThreadPoolExecutor(THREADS) as pool:
            running = [
                pool.submit(self._fill_keys, layout, place, targets)
                for _ in range(min(THREADS, len(targets)))
            ]
            for each in running:
                each.result()
        return SparseRatings(keys, n_items, len(order), self.n_categories)

    def _fill_keys(
        self, layout: BitLayout, place: IntArray, targets: list[tuple[LabelSlice, int, KeyArray]]
    ) -> None:
        """Take parts off the list and fill in their keys, until none is left."""
        while True:
            try:
                part, first, target = targets.pop()
            except IndexError:
                return
            rows, columns, codes = self._unpack(part)
            target[:] = layout.pack(rows + first, place[columns], codes)
            # Slices are already in order, so sorting each sorts all; many are already sorted.
            if np.any(target[1:] < target[:-1]):
                target.sort()
            labeled = target >> np.uint64(layout.code_bits)
            if np.any(labeled[1:] == labeled[:-1]):
                raise ValueError("a rater may label an item once only")


def is_dense_faster(*, n_items: int, n_raters: int, n_categories: int, n_events: int) -> bool:
    """Return whether counting the full matrix costs less than sorting n_events pairs of labels of the same item."""
    if n_categories <= MAX_PRODUCT_CATEGORIES:
        dense = n_items * (n_raters * n_categories) ** 2 * PRODUCT_SECONDS
    else:
        dense = n_items * n_raters * (n_raters - 1) / 2 * BINCOUNT_SECONDS
    # A difference of a few milliseconds is not worth the sorting.
    return dense < n_events * EVENT_SECONDS + 1e-3


def build(
    items: IntArray | Sequence[int],
    raters: IntArray | Sequence[int],
    codes: IntArray | Sequence[int],
    *,
    n_categories: int,
) -> tuple[Ratings, NDArray[np.int64], NDArray[np.int64]]:
    """Return ratings from whole columns in any order of rows, with the ascending IDs of items and raters.

    codes: declared positions of the categories, 0 to n_categories - 1.
    Raises ValueError if the columns differ in length, a code is not declared, or a rater is twice on an item.
    """
    item_ids = np.asarray(items, dtype=np.int64)
    rater_ids = np.asarray(raters, dtype=np.int64)
    positions = np.asarray(codes, dtype=np.int64)
    if not len(item_ids) == len(rater_ids) == len(positions):
        raise ValueError("items, raters, and codes must have the same length")
    if len(positions) and not 0 <= positions.min() <= positions.max() < n_categories:
        raise ValueError(f"codes must be from 0 to {n_categories - 1}")
    bounds = (int(rater_ids.min()), int(rater_ids.max())) if len(rater_ids) else None
    builder = RatingsBuilder(n_categories=n_categories, rater_bounds=bounds)
    order = np.lexsort((rater_ids, item_ids))
    start = 0
    while start < len(order):
        last = item_ids[order[min(start + SLICE_LABELS, len(order)) - 1]]
        stop = int(np.searchsorted(item_ids, last, side="right", sorter=order))
        rows = order[start:stop]
        builder.add(item_ids[rows], rater_ids[rows], positions[rows])
        start = stop
    return builder.finish()
