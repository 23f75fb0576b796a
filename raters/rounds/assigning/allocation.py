"""Allocate raters to items so that workload and pairwise overlap are balanced."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


# Approximate tile size. Items that need the same number of raters are assigned in tiles: one is computed and reused.
TILE = 16_384


def allocate(
    wanted: IntArray,
    *,
    available: BoolArray,
    taken: BoolArray | None = None,
    random: np.random.Generator,
) -> BoolArray:
    """Return new raters for each item, up to the wanted total number of raters.

    wanted: (N,) number of raters each item should have. available: (R,) raters who can get new items. taken: (N, R)
    raters who have or had the item; they count toward the total, keep it, and never get it again.
    Returns (N, R), True for each new assignment, excluding those in taken. An item gets fewer raters than wanted only
    if there are not enough.
    Items are processed in random order, those that already have a rater first. Each goes to the raters with the least
    work so far, and among those to the ones who share the fewest items with its current raters. If there are very many
    items without raters, most are assigned in tiles, each of which gives every rater the same amount of work.
    """
    has = np.zeros((len(wanted), len(available)), dtype=bool) if taken is None else taken.copy()
    n_free = (has < available).sum(axis=1)
    missing = np.minimum(wanted - has.sum(axis=1), n_free)
    # No choice: everyone who can get the item gets it.
    is_for_all = missing == n_free
    has[is_for_all] |= available
    ties = random.random((min(len(wanted), 4096), len(available))) / 2
    order = random.permutation(np.flatnonzero(~is_for_all & (missing > 0)))
    is_begun = has[order].any(axis=1)
    state = _Allocation(has, missing, available, has.sum(axis=0), shared_items(has), ties)
    state.assign(order[is_begun])
    fresh = order[~is_begun]
    for n_missing in np.unique(missing[fresh]):
        state.assign(_tiled(state, fresh[missing[fresh] == n_missing], int(n_missing), random))
    return has if taken is None else has & ~taken


@dataclass(slots=True, eq=False)
class _Allocation:
    """Allocation state: who has which items, each rater's workload, and the items shared by each pair."""

    has: BoolArray
    missing: IntArray
    available: BoolArray
    work: IntArray
    shared: IntArray
    ties: NDArray[np.float64]

    def assign(self, items: IntArray) -> None:
        for place, item in enumerate(items):
            row = self.has[item]
            for _ in range(self.missing[item]):
                self._give(row, _next_rater(self, row, self.ties[place % len(self.ties)]))

    def _give(self, row: BoolArray, rater: int) -> None:
        self.shared[rater, row] += 1
        self.shared[row, rater] += 1
        self.work[rater] += 1
        row[rater] = True


def _tiled(state: _Allocation, items: IntArray, n_missing: int, random: np.random.Generator) -> IntArray:
    """Assign most items without raters in tiles; return the remaining items."""
    raters = np.flatnonzero(state.available)
    # A size that gives all raters the same amount of work.
    size = -(-TILE // len(raters)) * len(raters)
    level = 0
    while len(items) - level >= 2 * size and np.ptp(state.work[raters]) > 1:
        state.assign(items[level : level + len(raters)])
        level += len(raters)
    n_tiles = (len(items) - level) // size
    if n_tiles < 2:
        return items[level:]
    everyone = np.ones(len(raters), dtype=bool)
    tile = allocate(np.full(size, n_missing), available=everyone, random=random)
    shared = shared_items(tile)
    for start in range(level, level + n_tiles * size, size):
        # Permute the raters of each tile, so that imbalances within a tile do not add up.
        who = random.permutation(raters)
        state.has[np.ix_(items[start : start + size], who)] = tile
        state.shared[np.ix_(who, who)] += shared
        state.work[who] += tile.sum(axis=0)
    return items[level + n_tiles * size :]


def _next_rater(state: _Allocation, row: BoolArray, ties: NDArray[np.float64]) -> int:
    """Return the rater with the least work; ties: fewest items shared with this row's raters, then random."""
    free = np.flatnonzero(state.available & ~row)
    work = state.work[free]
    least = free[work == work.min()]
    return int(least[np.argmin(state.shared[least][:, row].sum(axis=1) + ties[least])])


def shared_items(has: BoolArray) -> IntArray:
    """Return the number of items shared by each pair of raters, (R, R), with a zero diagonal. has: (N, R)."""
    shared = np.zeros((has.shape[1], has.shape[1]), dtype=np.int64)
    # In blocks to limit memory; float32 sums are exact up to 2^24 items.
    for start in range(0, len(has), 1 << 16):
        block = has[start : start + (1 << 16)].astype(np.float32)
        shared += (block.T @ block).astype(np.int64)
    np.fill_diagonal(shared, 0)
    return shared
