"""Which raters label each item, so that all work alike and every two raters share alike many items."""

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


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
    Items come in random order; each goes to the raters with the least work so far, and among those to the ones who
    shared the fewest items with the raters that it has.
    """
    n_items, n_raters = len(wanted), len(available)
    has = np.zeros((n_items, n_raters), dtype=bool) if taken is None else taken.copy()
    new = np.zeros_like(has)
    work = has.sum(axis=0)
    shared = shared_items(has)
    ties = random.random((min(n_items, 4096), n_raters)) / 2
    for place, item in enumerate(random.permutation(n_items)):
        row = has[item]
        missing = min(int(wanted[item]) - int(row.sum()), int((available & ~row).sum()))
        for _ in range(missing):
            rater = _next_rater(
                row, work=work, shared=shared, available=available, ties=ties[place % len(ties)]
            )
            shared[rater, row] += 1
            shared[row, rater] += 1
            work[rater] += 1
            row[rater] = new[item, rater] = True
    return new


def _next_rater(
    row: BoolArray, *, work: IntArray, shared: IntArray, available: BoolArray, ties: NDArray[np.float64]
) -> int:
    """The rater with the least work, then with the fewest items shared with the raters of this row, then by chance."""
    free = np.flatnonzero(available & ~row)
    least = free[work[free] == work[free].min()]
    return int(least[np.argmin(shared[least][:, row].sum(axis=1) + ties[least])])


def shared_items(has: BoolArray) -> IntArray:
    """(R, R) how many items each two raters share; 0 for a rater and oneself. has: (N, R)."""
    both = has.astype(np.float32)
    shared = np.zeros((has.shape[1], has.shape[1]), dtype=np.int64)
    # Sums in float32 are exact up to 2^24 items.
    for start in range(0, len(both), 1 << 20):
        block = both[start : start + (1 << 20)]
        shared += (block.T @ block).astype(np.int64)
    np.fill_diagonal(shared, 0)
    return shared
