"""Tables of counts from sorted labels: only the pairs of raters that share items are ever touched."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.counting import BLOCK_CELLS, PairCounts, Tick, pair_block
from reports.agreement.ratings import KeyArray, Layout, SparseRatings

# Events (two labels of one item) that are held at a time: 8 bytes each, 64 MiB.
MAX_EVENTS = 1 << 23
# Labels that are worked on at a time, so that all of their intermediate values stay in cache.
BLOCK_LABELS = 1 << 15
# Where fewer than one in this many labels still has a partner, they are picked out one by one.
FEW = 8

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


def count(ratings: SparseRatings, *, min_shared: int, tick: Tick | None) -> Iterator[PairCounts]:
    """Write an event for every two labels of an item, sort the events, and count the runs of equal ones.

    First raters are taken in ranges with at most about MAX_EVENTS events each.
    """
    layout = EventLayout.of(ratings.layout)
    ranges = _rater_ranges(ratings)
    for done, (low, high) in enumerate(ranges, start=1):
        events = _events(ratings, layout, low, high)
        events.sort()
        yield from _tables(events, layout, ratings.n_categories, min_shared)
        if tick:
            tick(done / len(ranges))


def _items(ratings: SparseRatings, keys: KeyArray) -> KeyArray:
    return keys >> np.uint64(ratings.layout.rater_bits + ratings.layout.code_bits)


def _rater_ranges(ratings: SparseRatings) -> list[tuple[int, int]]:
    """Ranges of first raters with about equal numbers of events."""
    if ratings.n_raters < 2 or not ratings.n_labels:
        return []
    events = np.zeros(ratings.n_raters, dtype=np.int64)
    n_events = 0
    for keys in ratings.packed_blocks():
        stops = np.flatnonzero(np.diff(_items(ratings, keys), append=np.uint64(1 << 63))) + 1
        sizes = np.diff(stops, prepend=0)
        n_events += int((sizes * (sizes - 1)).sum()) // 2
    if n_events <= MAX_EVENTS:
        return [(0, ratings.n_raters)]
    for keys in ratings.packed_blocks():
        after = _labels_after(_items(ratings, keys))
        weighted = np.bincount(ratings.layout.raters(keys), weights=after, minlength=ratings.n_raters)
        events += weighted.astype(np.int64)
    part = (np.cumsum(events) - 1) // MAX_EVENTS
    starts = np.flatnonzero(np.diff(part, prepend=part[:1] - 1))
    return list(zip(starts.tolist(), [*starts[1:].tolist(), ratings.n_raters], strict=True))


def _labels_after(items: KeyArray) -> NDArray[np.int64]:
    """How many labels of the same item follow each label of a block."""
    stops = np.append(np.flatnonzero(items[1:] != items[:-1]) + 1, len(items))
    return np.repeat(stops, np.diff(stops, prepend=0)) - np.arange(1, len(items) + 1)


def _events(ratings: SparseRatings, layout: EventLayout, low: int, high: int) -> EventArray:
    """The events whose first rater is in [low, high)."""
    is_all = (low, high) == (0, ratings.n_raters)
    first_shift = layout.kind(layout.rater_bits + 2 * layout.code_bits)
    found: list[EventArray] = [np.empty(0, dtype=layout.kind)]
    for keys in ratings.packed_blocks(BLOCK_LABELS):
        items = _items(ratings, keys)
        firsts, seconds = layout.halves(keys)
        is_first = None
        if not is_all:
            raters = firsts >> first_shift
            is_first = (raters >= low) & (raters < high)
        found.extend(_block_events(items, firsts, seconds, is_first))
    return np.concatenate(found)


def _block_events(
    items: KeyArray, firsts: EventArray, seconds: EventArray, is_first: NDArray[np.bool_] | None
) -> Iterator[EventArray]:
    """Each label with the next of its item, then with the one after, until no item is left."""
    for lag in range(1, len(items)):
        is_same = items[lag:] == items[:-lag]
        n_same = np.count_nonzero(is_same)
        if not n_same:
            return
        if n_same * FEW < len(items):
            yield from _long_items(items, firsts, seconds, is_first, np.flatnonzero(is_same), lag)
            return
        if is_first is not None:
            is_same &= is_first[:-lag]
        yield (firsts[:-lag] | seconds[lag:])[is_same]


def _long_items(
    items: KeyArray,
    firsts: EventArray,
    seconds: EventArray,
    is_first: NDArray[np.bool_] | None,
    positions: NDArray[np.int64],
    lag: int,
) -> Iterator[EventArray]:
    """The same from here on, for the few labels whose items go on."""
    after = _labels_after(items)
    if is_first is not None:
        positions = positions[is_first[positions]]
    while len(positions):
        yield firsts[positions] | seconds[positions + lag]
        lag += 1
        positions = positions[after[positions] >= lag]


def _tables(
    events: EventArray, layout: EventLayout, n_categories: int, min_shared: int
) -> Iterator[PairCounts]:
    """Blocks of tables from sorted events."""
    if not len(events):
        return
    starts = _run_starts(events)
    cells = events[starts]
    first_cells = _run_starts(layout.pairs(cells))
    n = np.diff(starts[first_cells], append=len(events))
    sizes = np.diff(first_cells, append=len(cells))
    kept = np.flatnonzero(n >= min_shared)
    step = max(1, BLOCK_CELLS // n_categories**2)
    for start in range(0, len(kept), step):
        block = kept[start : start + step]
        # The cells of these pairs, one after another, and the position of each one's pair in the block.
        table_of = np.repeat(np.arange(len(block)), sizes[block])
        before = np.cumsum(sizes[block]) - sizes[block]
        chosen = np.arange(len(table_of)) + np.repeat(first_cells[block] - before, sizes[block])
        stops = np.where(
            chosen + 1 < len(starts), starts[np.minimum(chosen + 1, len(starts) - 1)], len(events)
        )
        counts = stops - starts[chosen]
        yield _block(cells[chosen], counts, table_of, len(block), layout, n_categories)


def _run_starts(values: EventArray) -> NDArray[np.int64]:
    """Where each run of equal values begins."""
    is_start = np.empty(len(values), dtype=bool)
    is_start[0] = True
    np.not_equal(values[1:], values[:-1], out=is_start[1:])
    return np.flatnonzero(is_start)


def _block(
    cells: EventArray,
    counts: NDArray[np.int64],
    table_of: NDArray[np.int64],
    n_pairs: int,
    layout: EventLayout,
    n_categories: int,
) -> PairCounts:
    mask = layout.kind((1 << layout.code_bits) - 1)
    rows = (cells >> layout.kind(layout.code_bits) & mask).astype(np.int64)
    places = (table_of * n_categories + rows) * n_categories + (cells & mask).astype(np.int64)
    tables = np.zeros(n_pairs * n_categories**2, dtype=np.int32)
    tables[places] = counts
    first_of_pair = np.flatnonzero(np.diff(table_of, prepend=-1))
    pairs = layout.pairs(cells[first_of_pair]).astype(np.uint64)
    rater_a = (pairs >> np.uint64(layout.rater_bits)).astype(np.int64)
    rater_b = (pairs & np.uint64((1 << layout.rater_bits) - 1)).astype(np.int64)
    return pair_block(rater_a, rater_b, tables.reshape(n_pairs, n_categories, n_categories))
