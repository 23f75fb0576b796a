"""Which raters label each item, so that all work alike and every two raters share alike many items."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


# Items that all lack as many raters are assigned in tiles of about so many: one is worked out, the others repeat it.
TILE = 16_384


def allocate(
    wanted: IntArray,
    *,
    available: BoolArray,
    taken: BoolArray | None = None,
    random: np.random.Generator,
) -> BoolArray:
    """New raters for each item, up to the wanted number of raters in all.

    wanted: (N,) how many raters each item should have. available: (R,) who can be given new items. taken: (N, R) who
    has or had the item already; they count, keep it, and never get it again.
    Returns (N, R), True for each new assignment; none of them is taken already. An item gets fewer raters than wanted
    only if there are not so many.
    Items come in random order, those that somebody has first; each goes to the raters with the least work so far, and
    among those to the ones who shared the fewest items with the raters that it has. Of very many items that nobody
    has, most are assigned by tiles, each of which gives every rater the same work.
    """
    has = np.zeros((len(wanted), len(available)), dtype=bool) if taken is None else taken.copy()
    n_free = (has < available).sum(axis=1)
    missing = np.minimum(wanted - has.sum(axis=1), n_free)
    # Nothing to choose: all who can get the item do.
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
    """An allocation under way: who has what, how much work that is, and what every two raters share."""

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
    """Assign most of many items that nobody has by tiles; returns those that are left."""
    raters = np.flatnonzero(state.available)
    # As many items as make the work of all raters the same.
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
        # Each tile with its raters in another order, so that what is uneven in one does not add up.
        who = random.permutation(raters)
        state.has[np.ix_(items[start : start + size], who)] = tile
        state.shared[np.ix_(who, who)] += shared
        state.work[who] += tile.sum(axis=0)
    return items[level + n_tiles * size :]


def _next_rater(state: _Allocation, row: BoolArray, ties: NDArray[np.float64]) -> int:
    """The rater with the least work, then with the fewest items shared with the raters of this row, then by chance."""
    free = np.flatnonzero(state.available & ~row)
    work = state.work[free]
    least = free[work == work.min()]
    return int(least[np.argmin(state.shared[least][:, row].sum(axis=1) + ties[least])])


def shared_items(has: BoolArray) -> IntArray:
    """(R, R) how many items each two raters share; 0 for a rater and oneself. has: (N, R)."""
    shared = np.zeros((has.shape[1], has.shape[1]), dtype=np.int64)
    # In blocks, for memory; sums in float32 are exact up to 2^24 items.
    for start in range(0, len(has), 1 << 16):
        block = has[start : start + (1 << 16)].astype(np.float32)
        shared += (block.T @ block).astype(np.int64)
    np.fill_diagonal(shared, 0)
    return shared
