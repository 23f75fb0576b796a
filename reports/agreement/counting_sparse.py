"""Tables of counts from sorted labels: only the pairs of raters that share items are ever touched."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reports.agreement.counting import BLOCK_CELLS, PairCounts, Tick, pair_block
from reports.agreement.ratings import KeyArray, Layout, SparseRatings, run_bounds

# Events (two labels of one item) that are held at a time: 8 bytes each, 128 MiB.
MAX_EVENTS = 1 << 24
# Labels and events that are worked on at a time, so that all of their intermediate values stay in cache.
BLOCK_LABELS = 1 << 15
BLOCK_EVENTS = 1 << 18

EventArray = NDArray[np.unsignedinteger]


@dataclass(frozen=True, slots=True)
class EventLayout:
    """The bits of an event: first rater, second rater, first code, second code.

    Sorted, the cells of a pair stand together.
    """

    rater_bits: int
    code_bits: int
    kind: type[np.unsignedinteger]

    @classmethod
    def of(cls, layout: Layout) -> "EventLayout":
        """Raises ValueError if an event does not fit 64 bits."""
        n_bits = 2 * (layout.rater_bits + layout.code_bits)
        if n_bits > 64:
            raise ValueError(f"raters and categories of {n_bits // 2} bits are too many")
        return cls(layout.rater_bits, layout.code_bits, np.uint32 if n_bits <= 32 else np.uint64)

    def halves(self, keys: KeyArray) -> tuple[EventArray, EventArray]:
        """What each label adds to an event as its first and as its second half."""
        kind, code_bits = self.kind, self.code_bits
        labels = (keys & np.uint64((1 << self.rater_bits + code_bits) - 1)).astype(kind)
        raters, codes = labels >> kind(code_bits), labels & kind((1 << code_bits) - 1)
        firsts = raters << kind(self.rater_bits + 2 * code_bits) | codes << kind(code_bits)
        return firsts, raters << kind(2 * code_bits) | codes

    def pairs(self, events: EventArray) -> EventArray:
        return events >> self.kind(2 * self.code_bits)


@dataclass(frozen=True, slots=True)
class RaterRange:
    """First raters from low to high - 1, who have n_events events."""

    low: int
    high: int
    n_events: int


def count(ratings: SparseRatings, *, min_shared: int, tick: Tick | None) -> Iterator[PairCounts]:
    """Write an event for every two labels of an item, sort the events, and count the runs of equal ones.

    First raters are taken in ranges with at most about MAX_EVENTS events each.
    """
    layout = EventLayout.of(ratings.layout)
    ranges = _rater_ranges(ratings)
    for done, raters in enumerate(ranges, start=1):
        events = _events(ratings, layout, raters)
        events.sort()
        for block in _whole_pairs(events, layout):
            yield from _tables(block, layout, ratings.n_categories, min_shared)
        if tick:
            tick(done / len(ranges))


def _rater_ranges(ratings: SparseRatings) -> list[RaterRange]:
    """Ranges of first raters with about equal numbers of events."""
    n_events = sum(_n_events(ratings, keys) for keys in ratings.packed_blocks(BLOCK_LABELS))
    if not n_events:
        return []
    if n_events <= MAX_EVENTS:
        return [RaterRange(0, ratings.n_raters, n_events)]
    of_rater = np.zeros(ratings.n_raters, dtype=np.int64)
    for keys in ratings.packed_blocks(BLOCK_LABELS):
        after = _labels_after(ratings, keys)
        weighted = np.bincount(ratings.layout.raters(keys), weights=after, minlength=ratings.n_raters)
        of_rater += weighted.astype(np.int64)
    part = (np.cumsum(of_rater) - 1) // MAX_EVENTS
    starts = np.flatnonzero(np.diff(part, prepend=part[:1] - 1))
    stops = [*starts[1:].tolist(), ratings.n_raters]
    totals = np.add.reduceat(of_rater, starts).tolist()
    return [RaterRange(*each) for each in zip(starts.tolist(), stops, totals, strict=True)]


def _n_events(ratings: SparseRatings, keys: KeyArray) -> int:
    sizes = np.diff(ratings.layout.item_bounds(keys))
    return int((sizes * (sizes - 1)).sum()) // 2


def _labels_after(ratings: SparseRatings, keys: KeyArray) -> NDArray[np.int64]:
    """How many labels of the same item follow each label of a block."""
    bounds = ratings.layout.item_bounds(keys)
    return np.repeat(bounds[1:], np.diff(bounds)) - np.arange(1, len(keys) + 1)


def _events(ratings: SparseRatings, layout: EventLayout, raters: RaterRange) -> EventArray:
    """The events whose first rater is in the range."""
    is_all = (raters.low, raters.high) == (0, ratings.n_raters)
    events = np.empty(raters.n_events, dtype=layout.kind)
    n_done = 0
    for keys in ratings.packed_blocks(BLOCK_LABELS):
        after = _labels_after(ratings, keys)
        if not is_all:
            of_label = ratings.layout.raters(keys)
            after[(of_label < raters.low) | (of_label >= raters.high)] = 0
        for block in _block_events(keys, layout, after):
            events[n_done : n_done + len(block)] = block
            n_done += len(block)
    return events


def _block_events(keys: KeyArray, layout: EventLayout, after: NDArray[np.int64]) -> Iterator[EventArray]:
    """Each label with those that come after it in its item, about BLOCK_EVENTS at a time."""
    firsts, seconds = layout.halves(keys)
    stops = np.cumsum(after)
    n_events = int(stops[-1])
    cuts = np.searchsorted(stops, np.arange(BLOCK_EVENTS, n_events, BLOCK_EVENTS))
    for low, high in pairwise(sorted({0, *cuts.tolist(), len(keys)})):
        sizes = after[low:high]
        starts = stops[low:high] - sizes
        # The partners of label i are i + 1 and on; events are numbered through the block.
        partners = np.repeat(np.arange(low + 1, high + 1) - starts, sizes)
        partners += np.arange(starts[0], stops[high - 1])
        yield np.repeat(firsts[low:high], sizes) | seconds[partners]


def _whole_pairs(events: EventArray, layout: EventLayout) -> Iterator[EventArray]:
    """Sorted events in blocks of about BLOCK_EVENTS, cut where one pair ends and another begins."""
    shift = layout.kind(2 * layout.code_bits)
    start = 0
    while start < len(events):
        stop = start + BLOCK_EVENTS
        if stop < len(events):
            last_of_pair = events[stop - 1] | ((layout.kind(1) << shift) - layout.kind(1))
            stop = int(np.searchsorted(events, last_of_pair, side="right"))
        yield events[start:stop]
        start = stop


def _tables(
    events: EventArray, layout: EventLayout, n_categories: int, min_shared: int
) -> Iterator[PairCounts]:
    """Blocks of tables from sorted events."""
    if min_shared > 1:
        n = np.diff(run_bounds(layout.pairs(events)))
        events = events[np.repeat(n >= min_shared, n)]
    starts = run_bounds(events)
    cells, counts = events[starts[:-1]], np.diff(starts)
    bounds = run_bounds(layout.pairs(cells))
    step = max(1, BLOCK_CELLS // n_categories**2)
    for start in range(0, len(bounds) - 1, step):
        of_pair = bounds[start : start + step + 1]
        of_block = slice(of_pair[0], of_pair[-1])
        yield _block(cells[of_block], counts[of_block], np.diff(of_pair), layout, n_categories)


def _block(
    cells: EventArray,
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    layout: EventLayout,
    n_categories: int,
) -> PairCounts:
    """The tables of pairs of which each has so many (sizes) of these cells."""
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
