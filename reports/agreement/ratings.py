"""The labels of one question, as codes: dense (items x raters) or sparse (sorted packed keys)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import IntArray

# Rows of a block: small enough to stay in cache, large enough to make NumPy's overhead negligible.
BLOCK_LABELS = 1 << 18

KeyArray = NDArray[np.uint64]


def run_bounds(values: NDArray[np.unsignedinteger]) -> NDArray[np.int64]:
    """Return where each run of equal values begins, and where the last one ends."""
    if not len(values):
        return np.zeros(1, dtype=np.int64)
    is_bound = np.ones(len(values) + 1, dtype=bool)
    np.not_equal(values[1:], values[:-1], out=is_bound[1:-1])
    return np.flatnonzero(is_bound)


@dataclass(frozen=True, slots=True)
class BitLayout:
    """The bits of a packed label: item << (rater_bits + code_bits) | rater << code_bits | code."""

    rater_bits: int
    code_bits: int

    @classmethod
    def of(cls, *, n_items: int, n_raters: int, n_categories: int) -> "BitLayout":
        """Return the layout. Raises ValueError if a label does not fit into 64 bits."""
        layout = cls(max(1, (n_raters - 1).bit_length()), max(1, (n_categories - 1).bit_length()))
        if layout.rater_bits + layout.code_bits + n_items.bit_length() > 64:
            raise ValueError(f"{n_items} items x {n_raters} raters x {n_categories} categories are too many")
        return layout

    def pack(self, items: IntArray, raters: IntArray, codes: IntArray) -> KeyArray:
        keys = items.astype(np.uint64) << np.uint64(self.rater_bits) | raters.astype(np.uint64)
        keys <<= np.uint64(self.code_bits)
        keys |= codes.astype(np.uint64)
        return keys

    def items(self, keys: KeyArray) -> NDArray[np.int64]:
        return (keys >> np.uint64(self.rater_bits + self.code_bits)).astype(np.int64)

    def item_bounds(self, keys: KeyArray) -> NDArray[np.int64]:
        """Return where the items of sorted keys begin, and where the last one ends."""
        return run_bounds(keys >> np.uint64(self.rater_bits + self.code_bits))

    def raters(self, keys: KeyArray) -> NDArray[np.int64]:
        mask = np.uint64((1 << self.rater_bits) - 1)
        return ((keys >> np.uint64(self.code_bits)) & mask).astype(np.int64)

    def codes(self, keys: KeyArray) -> NDArray[np.int64]:
        return (keys & np.uint64((1 << self.code_bits) - 1)).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class DenseRatings:
    """codes: (N, R) uint8 or uint16; the declared position, or n_categories where there is no label."""

    codes: NDArray[np.unsignedinteger]
    n_categories: int
    n_labels: int

    @property
    def n_items(self) -> int:
        return self.codes.shape[0]

    @property
    def n_raters(self) -> int:
        return self.codes.shape[1]

    @property
    def layout(self) -> BitLayout:
        return BitLayout.of(n_items=self.n_items, n_raters=self.n_raters, n_categories=self.n_categories)

    def packed_blocks(self) -> Iterator[KeyArray]:
        """All labels as packed keys in ascending order, in blocks of whole items."""
        layout, raters = self.layout, np.arange(self.n_raters)
        for start, block in self.blocks():
            items = np.arange(start, start + len(block))
            yield layout.pack(items[:, None], raters, block)[block != self.n_categories]

    def category_counts(self) -> Iterator[NDArray[np.int64]]:
        """How many raters put each item in each category, (n, K), in blocks of items."""
        width = self.n_categories + 1
        for _, block in self.blocks():
            cells = block + (np.arange(len(block), dtype=np.int64) * width)[:, None]
            counts = np.bincount(cells.ravel(), minlength=len(block) * width)
            yield counts.reshape(len(block), width)[:, : self.n_categories]

    def labels_per_rater(self) -> NDArray[np.int64]:
        """(R,) how many items each rater labeled."""
        totals = np.zeros(self.n_raters, dtype=np.int64)
        for _, block in self.blocks():
            totals += np.count_nonzero(block != self.n_categories, axis=0)
        return totals

    def extent(self, *, least: int) -> tuple[int, int, int]:
        """Return the numbers of items with at least this many labels, of their raters, and of their labels."""
        n_items = n_labels = 0
        is_rater = np.zeros(self.n_raters, dtype=bool)
        for _, block in self.blocks():
            is_there = block != self.n_categories
            sizes = np.count_nonzero(is_there, axis=1)
            enough = sizes >= least
            is_rater |= is_there[enough].any(axis=0)
            n_items += int(np.count_nonzero(enough))
            n_labels += int(sizes[enough].sum())
        return n_items, int(np.count_nonzero(is_rater)), n_labels

    def blocks(self) -> Iterator[tuple[int, NDArray[np.unsignedinteger]]]:
        step = max(1, BLOCK_LABELS // max(1, self.n_raters))
        for start in range(0, self.n_items, step):
            yield start, self.codes[start : start + step]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class SparseRatings:
    """keys: (labels,) uint64, packed by `layout`, ascending: by item, then rater."""

    keys: KeyArray
    n_items: int
    n_raters: int
    n_categories: int

    @property
    def n_labels(self) -> int:
        return len(self.keys)

    @property
    def layout(self) -> BitLayout:
        return BitLayout.of(n_items=self.n_items, n_raters=self.n_raters, n_categories=self.n_categories)

    def packed_blocks(self, n_labels: int = 0) -> Iterator[KeyArray]:
        """All labels as packed keys in ascending order, in blocks of whole items, of about n_labels."""
        shift = np.uint64(self.layout.rater_bits + self.layout.code_bits)
        start = 0
        while start < len(self.keys):
            stop = start + (n_labels or BLOCK_LABELS)
            if stop < len(self.keys):
                # The block ends with the item that holds its last label.
                stop = int(
                    np.searchsorted(self.keys, ((self.keys[stop - 1] >> shift) + np.uint64(1)) << shift)
                )
            yield self.keys[start:stop]
            start = stop

    def category_counts(self) -> Iterator[NDArray[np.int64]]:
        """How many raters put each item in each category, (n, K), in blocks of items."""
        layout = self.layout
        for keys in self.packed_blocks():
            items = layout.items(keys)
            rows = items - items[0]
            counts = np.bincount(
                rows * self.n_categories + layout.codes(keys),
                minlength=(int(rows[-1]) + 1) * self.n_categories,
            )
            yield counts.reshape(-1, self.n_categories)

    def labels_per_rater(self) -> NDArray[np.int64]:
        """(R,) how many items each rater labeled."""
        totals = np.zeros(self.n_raters, dtype=np.int64)
        for keys in self.packed_blocks():
            totals += np.bincount(self.layout.raters(keys), minlength=self.n_raters)
        return totals

    def extent(self, *, least: int) -> tuple[int, int, int]:
        """Return the numbers of items with at least this many labels, of their raters, and of their labels."""
        n_items = n_labels = 0
        is_rater = np.zeros(self.n_raters, dtype=bool)
        for keys in self.packed_blocks():
            sizes = np.diff(self.layout.item_bounds(keys))
            enough = sizes >= least
            raters = self.layout.raters(keys)
            is_rater[raters if enough.all() else raters[np.repeat(enough, sizes)]] = True
            n_items += int(np.count_nonzero(enough))
            n_labels += int(sizes[enough].sum())
        return n_items, int(np.count_nonzero(is_rater)), n_labels


Ratings = DenseRatings | SparseRatings


def code_type(n_categories: int) -> type[np.uint8] | type[np.uint16]:
    """Return the smallest type that holds every position and the marker of a missing label."""
    if n_categories > 65_535:
        raise ValueError(f"at most 65535 categories, got {n_categories}")
    return np.uint8 if n_categories <= 254 else np.uint16


def to_dense(ratings: Ratings) -> DenseRatings:
    if isinstance(ratings, DenseRatings):
        return ratings
    shape = (ratings.n_items, ratings.n_raters)
    codes = np.full(shape, ratings.n_categories, dtype=code_type(ratings.n_categories))
    layout = ratings.layout
    for keys in ratings.packed_blocks():
        codes[layout.items(keys), layout.raters(keys)] = layout.codes(keys)
    return DenseRatings(codes, ratings.n_categories, ratings.n_labels)


def to_sparse(ratings: Ratings) -> SparseRatings:
    if isinstance(ratings, SparseRatings):
        return ratings
    keys = np.empty(ratings.n_labels, dtype=np.uint64)
    start = 0
    for block in ratings.packed_blocks():
        keys[start : start + len(block)] = block
        start += len(block)
    return SparseRatings(keys, ratings.n_items, ratings.n_raters, ratings.n_categories)


def only_raters(ratings: Ratings, raters: Sequence[int]) -> Ratings:
    """Return the labels of some raters, by ascending columns, on the items that at least one of them labeled."""
    if len(raters) == ratings.n_raters:
        return ratings
    places = np.asarray(raters, dtype=np.int64)
    if isinstance(ratings, DenseRatings):
        codes = ratings.codes[:, places]
        is_there = codes != ratings.n_categories
        return DenseRatings(
            codes[is_there.any(axis=1)], ratings.n_categories, int(np.count_nonzero(is_there))
        )
    return _only_of_sparse(ratings, places)


def _only_of_sparse(ratings: SparseRatings, places: NDArray[np.int64]) -> SparseRatings:
    """In blocks, since copies of all labels would take several times their memory."""
    columns = np.full(ratings.n_raters, -1)
    columns[places] = np.arange(len(places))
    packed = np.empty(ratings.labels_per_rater()[places].sum(), dtype=np.uint64)
    found = SparseRatings(packed, ratings.n_items, len(places), ratings.n_categories)
    old, new = ratings.layout, found.layout
    n_items = n_labels = 0
    for block in ratings.packed_blocks():
        keys = block[columns[old.raters(block)] >= 0]
        bounds = old.item_bounds(keys)
        rows = np.repeat(np.arange(n_items, n_items + len(bounds) - 1), np.diff(bounds))
        # In this order of items and raters, the keys stay ascending.
        packed[n_labels : n_labels + len(keys)] = new.pack(rows, columns[old.raters(keys)], old.codes(keys))
        n_items, n_labels = n_items + len(bounds) - 1, n_labels + len(keys)
    return replace(found, n_items=n_items)
