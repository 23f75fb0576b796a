"""Tables of counts from sorted labels: only the pairs of raters that share items are ever touched."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from reports.agreement.counting import BLOCK_CELLS, PairCounts, Tick, pair_block
from reports.agreement.ratings import KeyArray, SparseRatings

# Events (two labels of one item) that are held at a time: 8 bytes each, 64 MiB.
MAX_EVENTS = 1 << 23

EventArray = NDArray[np.unsignedinteger]


def count(ratings: SparseRatings, *, min_shared: int, tick: Tick | None) -> Iterator[PairCounts]:
    """Write an event for every two labels of an item, sort the events, and count the runs of equal ones.

    An event is packed as first rater, second rater, first code, second code, so that sorting brings the cells
    of a pair together. First raters are taken in ranges with at most about MAX_EVENTS events each.
    """
    ranges = _rater_ranges(ratings)
    for done, (low, high) in enumerate(ranges, start=1):
        events = _events(ratings, low, high)
        events.sort()
        yield from _tables(events, ratings, min_shared)
        if tick:
            tick(done / len(ranges))


def _labels_after(ratings: SparseRatings, keys: KeyArray) -> NDArray[np.int64]:
    """How many labels of the same item follow each label of a block."""
    items = keys >> np.uint64(ratings.layout.rater_bits + ratings.layout.code_bits)
    stops = np.append(np.flatnonzero(items[1:] != items[:-1]) + 1, len(items))
    return np.repeat(stops, np.diff(stops, prepend=0)) - np.arange(1, len(items) + 1)


def _rater_ranges(ratings: SparseRatings) -> list[tuple[int, int]]:
    """Ranges of first raters with about equal numbers of events."""
    if ratings.n_raters < 2:
        return []
    events = np.zeros(ratings.n_raters, dtype=np.int64)
    for keys in ratings.packed_blocks():
        after = _labels_after(ratings, keys)
        weighted = np.bincount(ratings.layout.raters(keys), weights=after, minlength=ratings.n_raters)
        events += weighted.astype(np.int64)
    part = (np.cumsum(events) - 1) // MAX_EVENTS
    starts = np.flatnonzero(np.diff(part, prepend=part[:1] - 1))
    return list(zip(starts.tolist(), [*starts[1:].tolist(), ratings.n_raters], strict=True))


def _events(ratings: SparseRatings, low: int, high: int) -> EventArray:
    """The events whose first rater is in [low, high)."""
    layout = ratings.layout
    if 2 * (layout.rater_bits + layout.code_bits) > 64:
        raise ValueError(f"{ratings.n_raters} raters x {ratings.n_categories} categories are too many")
    is_all = (low, high) == (0, ratings.n_raters)
    is_short = 2 * (layout.rater_bits + layout.code_bits) <= 32
    kind: type[np.unsignedinteger] = np.uint32 if is_short else np.uint64
    found: list[EventArray] = [np.empty(0, dtype=kind)]
    for keys in ratings.packed_blocks():
        after = _labels_after(ratings, keys)
        raters: EventArray = layout.raters(keys).astype(kind)
        codes: EventArray = layout.codes(keys).astype(kind)
        seconds = raters << kind(2 * layout.code_bits) | codes
        firsts = raters << kind(layout.rater_bits + 2 * layout.code_bits) | codes << kind(layout.code_bits)
        here = after > 0 if is_all else (after > 0) & (raters >= low) & (raters < high)
        positions = np.flatnonzero(here)
        lag = 1
        while len(positions):
            found.append(firsts[positions] | seconds[positions + lag])
            lag += 1
            positions = positions[after[positions] >= lag]
    return np.concatenate(found)


def _tables(events: EventArray, ratings: SparseRatings, min_shared: int) -> Iterator[PairCounts]:
    """Blocks of tables from sorted events."""
    if not len(events):
        return
    layout = ratings.layout
    starts = np.flatnonzero(np.concatenate(([True], events[1:] != events[:-1])))
    counts = np.diff(starts, append=len(events))
    cells = events[starts].astype(np.uint64)
    pairs = cells >> np.uint64(2 * layout.code_bits)
    first_cells = np.flatnonzero(np.concatenate(([True], pairs[1:] != pairs[:-1])))
    n = np.add.reduceat(counts, first_cells)
    sizes = np.diff(first_cells, append=len(cells))
    kept = np.flatnonzero(n >= min_shared)
    step = max(1, BLOCK_CELLS // ratings.n_categories**2)
    for start in range(0, len(kept), step):
        block = kept[start : start + step]
        # The cells of these pairs, one after another, and the position of each one's pair in the block.
        table_of = np.repeat(np.arange(len(block)), sizes[block])
        within = np.arange(len(table_of)) - np.repeat(np.cumsum(sizes[block]) - sizes[block], sizes[block])
        chosen = np.repeat(first_cells[block], sizes[block]) + within
        yield _block(cells[chosen], counts[chosen], table_of, pairs[first_cells[block]], ratings)


def _block(
    cells: KeyArray,
    counts: NDArray[np.int64],
    table_of: NDArray[np.int64],
    pairs: KeyArray,
    ratings: SparseRatings,
) -> PairCounts:
    layout, n_categories = ratings.layout, ratings.n_categories
    mask = np.uint64((1 << layout.code_bits) - 1)
    tables = np.zeros((len(pairs), n_categories, n_categories), dtype=np.int32)
    tables[table_of, (cells >> np.uint64(layout.code_bits)) & mask, cells & mask] = counts
    rater_a = (pairs >> np.uint64(layout.rater_bits)).astype(np.int64)
    rater_b = (pairs & np.uint64((1 << layout.rater_bits) - 1)).astype(np.int64)
    return pair_block(rater_a, rater_b, tables)
