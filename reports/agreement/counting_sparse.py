"""Confusion matrices from sorted labels: only pairs of raters that share items are processed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from reports.agreement.pair_counts import BLOCK_CELLS, PairCounts, pair_block
from reports.agreement.ratings import BitLayout, KeyArray, SparseRatings, run_bounds

# Events (two labels of one item) in memory at a time: 8 bytes each, 128 MiB.
MAX_EVENTS = 1 << 24
# Labels and events processed at a time, so that all intermediate values stay in cache.
BLOCK_LABELS = 1 << 17
BLOCK_EVENTS = 1 << 18
# Items with up to this many labels are processed together, size by size.
SHORT_ITEM = 4

EventArray = NDArray[np.unsignedinteger]


@dataclass(frozen=True, slots=True)
class EventLayout:
    """The bits of an event: first rater, second rater, first code, second code.

    In sorted order, the cells of a pair are adjacent.
    """

    rater_bits: int
    code_bits: int
    kind: type[np.unsignedinteger]

    @classmethod
    def of(cls, layout: BitLayout) -> "EventLayout":
        """Return the layout of events. Raises ValueError if an event does not fit into 64 bits."""
        n_bits = 2 * (layout.rater_bits + layout.code_bits)
        if n_bits > 64:
            raise ValueError(f"raters and categories of {n_bits // 2} bits are too many")
        return cls(layout.rater_bits, layout.code_bits, np.uint32 if n_bits <= 32 else np.uint64)

    def narrow(self, keys: KeyArray) -> EventArray:
        """Return packed labels in the type of events: without the item, or with a part of it."""
        return keys.astype(self.kind, copy=False)

    def firsts(self, labels: EventArray) -> EventArray:
        """Return the bits that labels contribute to an event as its first half."""
        raters, codes = self._of_labels(labels)
        half: EventArray = raters << self.kind(self.rater_bits + self.code_bits) | codes
        return half << self.kind(self.code_bits)

    def seconds(self, labels: EventArray) -> EventArray:
        """Return the bits that labels contribute to an event as its second half."""
        raters, codes = self._of_labels(labels)
        return raters << self.kind(2 * self.code_bits) | codes

    def _of_labels(self, labels: EventArray) -> tuple[EventArray, EventArray]:
        code_mask = self.kind((1 << self.code_bits) - 1)
        rater_mask = self.kind((1 << self.rater_bits) - 1)
        return labels >> self.kind(self.code_bits) & rater_mask, labels & code_mask

    def pairs(self, events: EventArray) -> EventArray:
        return events >> self.kind(2 * self.code_bits)


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """First raters in ranges of about equal numbers of events.

    n_events: of each range. of_label: (labels,) the range of an event whose first label this is; the number of ranges
    where no label of the item follows. after: (labels,) how many labels of the item follow. Both are empty if there is
    one range. most: the most events of a range. n_blocks: of each range, once they are counted.
    """

    n_events: list[int]
    of_label: NDArray[np.unsignedinteger]
    after: NDArray[np.unsignedinteger]
    most: int
    n_blocks: list[int] = field(default_factory=list)

    def firsts(self, number: int, labels: slice) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which of these labels are first labels of a range, and how many follow each."""
        positions = np.flatnonzero(self.of_label[labels] == number)
        return positions, self.after[labels][positions].astype(np.int64)


def count(
    ratings: SparseRatings, *, min_shared: int, first: int = 0, place: Mapping[str, int] | None = None
) -> Iterator[PairCounts]:
    """Write an event for every two labels of an item, sort the events, and count the runs of equal ones.

    Yields the blocks from `first` on, which counts those of pairs with at least one shared item. place: what `places`
    returns for `first`; without it, all blocks have to be counted to find it.
    """
    [found] = places(ratings, [first]) if place is None else [place]
    n_passed = found["n_before"]
    for number in range(found["range"], len(_ranges_of(ratings).n_events)):
        for tables in _tables(ratings, number, min_shared):
            yield from tables.blocks(max(0, first - n_passed))
            n_passed += tables.n_blocks


def places(ratings: SparseRatings, firsts: Sequence[int]) -> list[dict[str, int]]:
    """Return where to find these blocks: in which range, and how many blocks are before that range."""
    if not any(firsts):
        return [{"range": 0, "n_before": 0} for _ in firsts]
    before = np.cumsum([0, *_n_blocks_by_range(ratings)])
    ranges = np.searchsorted(before[1:], firsts, side="right")
    return [{"range": int(number), "n_before": int(before[number])} for number in ranges]


def n_blocks(ratings: SparseRatings) -> int:
    return sum(_n_blocks_by_range(ratings))


def _n_blocks_by_range(ratings: SparseRatings) -> list[int]:
    found = _ranges_of(ratings)
    if not found.n_blocks:
        numbers = range(len(found.n_events))
        found.n_blocks.extend(sum(each.n_blocks for each in _tables(ratings, n, 1)) for n in numbers)
    return found.n_blocks


NO_LABELS = np.empty(0, dtype=np.uint8)
# What shards of the same labels need again.
_ranges: WeakKeyDictionary[SparseRatings, Ranges] = WeakKeyDictionary()


def _ranges_of(ratings: SparseRatings) -> Ranges:
    """Return ranges of first raters with at most about MAX_EVENTS events each."""
    found = _ranges.get(ratings)
    if found is None or found.most != MAX_EVENTS:
        n_events = sum(_n_events(ratings, keys) for keys in ratings.packed_blocks(BLOCK_LABELS))
        one = Ranges([n_events], NO_LABELS, NO_LABELS, MAX_EVENTS)
        _ranges[ratings] = found = _rater_ranges(ratings) if n_events > MAX_EVENTS else one
    return found


def _tables(ratings: SparseRatings, number: int, min_shared: int) -> Iterator["_Tables"]:
    """Yield the tables of a range, in blocks of whole pairs."""
    layout = EventLayout.of(ratings.layout)
    events = _events(ratings, layout, _ranges_of(ratings), number)
    events.sort()
    for block in _whole_pairs(events, layout):
        yield _Tables(block, layout, ratings.n_categories, min_shared)


def _n_events(ratings: SparseRatings, keys: KeyArray) -> int:
    sizes = np.diff(ratings.layout.item_bounds(keys))
    return int((sizes * (sizes - 1)).sum()) // 2


def _rater_ranges(ratings: SparseRatings) -> Ranges:
    of_rater = np.zeros(ratings.n_raters, dtype=np.int64)
    after = np.empty(ratings.n_labels, dtype=np.min_scalar_type(ratings.n_raters))
    for labels, keys in _blocks(ratings):
        following = _labels_after(ratings.layout.item_bounds(keys))
        after[labels] = following
        weighted = np.bincount(ratings.layout.raters(keys), weights=following, minlength=ratings.n_raters)
        of_rater += weighted.astype(np.int64)
    # A rater without events, before all others, is included with them.
    range_of = np.maximum(np.cumsum(of_rater) - 1, 0) // MAX_EVENTS
    starts = np.flatnonzero(np.diff(range_of, prepend=-1))
    n_events = np.add.reduceat(of_rater, starts).tolist()
    range_of = np.searchsorted(starts, np.arange(ratings.n_raters), side="right") - 1
    of_label = np.empty(ratings.n_labels, dtype=np.min_scalar_type(len(starts)))
    for labels, keys in _blocks(ratings):
        of_label[labels] = np.where(after[labels], range_of[ratings.layout.raters(keys)], len(starts))
    return Ranges(n_events, of_label, after, MAX_EVENTS)


def _blocks(ratings: SparseRatings) -> Iterator[tuple[slice, KeyArray]]:
    """Yield blocks of whole items, and the positions of their labels among all."""
    start = 0
    for keys in ratings.packed_blocks(BLOCK_LABELS):
        yield slice(start, start + len(keys)), keys
        start += len(keys)


def _labels_after(bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many labels of the same item follow each label, from the positions where items begin."""
    return np.repeat(bounds[1:], np.diff(bounds)) - np.arange(1, bounds[-1] + 1)


def _events(ratings: SparseRatings, layout: EventLayout, ranges: Ranges, number: int) -> EventArray:
    """Return the events of a range."""
    events = np.empty(ranges.n_events[number], dtype=layout.kind)
    n_done = 0
    for labels, keys in _blocks(ratings):
        if len(ranges.n_events) > 1:
            found = _block_events(keys, layout, *ranges.firsts(number, labels))
        else:
            found = _item_events(keys, layout, ratings.layout.item_bounds(keys))
        for block in found:
            events[n_done : n_done + len(block)] = block
            n_done += len(block)
    return events


def _item_events(keys: KeyArray, layout: EventLayout, bounds: NDArray[np.int64]) -> Iterator[EventArray]:
    """Yield the events of all items of a block; short items of the same size are processed together."""
    starts, sizes = bounds[:-1], np.diff(bounds)
    labels = layout.narrow(keys)
    for size in range(2, SHORT_ITEM + 1):
        of_size = starts[sizes == size]
        columns = [labels[of_size + place] for place in range(size)] if len(of_size) else []
        seconds = [layout.seconds(column) for column in columns]
        for place, column in enumerate(columns, start=1):
            first = layout.firsts(column)
            yield from (first | second for second in seconds[place:])
    is_long = sizes > SHORT_ITEM
    if is_long.any():
        after = _labels_after(bounds)
        after[np.repeat(~is_long, sizes)] = 0
        firsts = np.flatnonzero(after)
        yield from _block_events(keys, layout, firsts, after[firsts])


def _block_events(
    keys: KeyArray, layout: EventLayout, firsts: NDArray[np.int64], after: NDArray[np.int64]
) -> Iterator[EventArray]:
    """Yield each first label with the later labels of its item, about BLOCK_EVENTS at a time."""
    if not len(firsts):
        return
    labels = layout.narrow(keys)
    stops = np.cumsum(after)
    cuts = np.searchsorted(stops, np.arange(BLOCK_EVENTS, stops[-1], BLOCK_EVENTS))
    for low, high in pairwise(sorted({0, *cuts.tolist(), len(firsts)})):
        positions, sizes = firsts[low:high], after[low:high]
        starts = stops[low:high] - sizes
        # The partners of a label are all later ones; events are numbered throughout the block.
        partners = np.repeat(positions + 1 - starts, sizes)
        partners += np.arange(starts[0], stops[high - 1])
        yield np.repeat(layout.firsts(labels[positions]), sizes) | layout.seconds(labels[partners])


def _whole_pairs(events: EventArray, layout: EventLayout) -> Iterator[EventArray]:
    """Yield sorted events in blocks of about BLOCK_EVENTS, split between pairs."""
    shift = layout.kind(2 * layout.code_bits)
    start = 0
    while start < len(events):
        stop = start + BLOCK_EVENTS
        if stop < len(events):
            last_of_pair = events[stop - 1] | ((layout.kind(1) << shift) - layout.kind(1))
            stop = int(np.searchsorted(events, last_of_pair, side="right"))
        yield events[start:stop]
        start = stop


class _Tables:
    """The tables of sorted events, in blocks of pairs."""

    def __init__(self, events: EventArray, layout: EventLayout, n_categories: int, min_shared: int) -> None:
        if min_shared > 1:
            n = np.diff(run_bounds(layout.pairs(events)))
            events = events[np.repeat(n >= min_shared, n)]
        starts = run_bounds(events)
        self._cells, self._counts = events[starts[:-1]], np.diff(starts)
        self._bounds = run_bounds(layout.pairs(self._cells))
        self._starts = range(0, len(self._bounds) - 1, max(1, BLOCK_CELLS // n_categories**2))
        self._layout, self._n_categories = layout, n_categories

    @property
    def n_blocks(self) -> int:
        return len(self._starts)

    def blocks(self, first: int) -> Iterator[PairCounts]:
        for start in self._starts[first:]:
            of_pair = self._bounds[start : start + self._starts.step + 1]
            of_block = slice(of_pair[0], of_pair[-1])
            yield _block(
                self._cells[of_block],
                self._counts[of_block],
                np.diff(of_pair),
                self._layout,
                self._n_categories,
            )


def _block(
    cells: EventArray,
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    layout: EventLayout,
    n_categories: int,
) -> PairCounts:
    """Return the tables of pairs. sizes: how many of these cells belong to each pair, in order."""
    n_pairs = len(sizes)
    table_of = np.repeat(np.arange(n_pairs), sizes)
    mask = layout.kind((1 << layout.code_bits) - 1)
    rows = (cells >> layout.kind(layout.code_bits) & mask).astype(np.int64)
    places = (table_of * n_categories + rows) * n_categories + (cells & mask).astype(np.int64)
    tables = np.zeros(n_pairs * n_categories**2, dtype=np.int32)
    tables[places] = counts
    pairs = layout.pairs(cells[np.cumsum(sizes) - sizes]).astype(np.uint64)
    rater_a = (pairs >> np.uint64(layout.rater_bits)).astype(np.int64)
    rater_b = (pairs & np.uint64((1 << layout.rater_bits) - 1)).astype(np.int64)
    return pair_block(rater_a, rater_b, tables.reshape(n_pairs, n_categories, n_categories))
