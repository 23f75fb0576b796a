"""Bootstrap and jackknife of statistics of two raters, from their tables of counts alone.

The items of a pair differ in nothing but their cell of the table, so that drawing items is drawing cells, and leaving
out an item is taking one from a cell.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from reports.agreement.intervals.bootstrap import N_REPLICATES
from reports.agreement.intervals.jackknife import acceleration, jackknife_limits
from reports.agreement.intervals.replicates import ReplicatedEstimates, blocks
from reports.agreement.intervals.resampling import BootstrapMethod, bootstrap_limits, item_weights
from reports.agreement.results import FloatArray, IntArray

TableValues = Callable[[NDArray[np.int64]], FloatArray]


def bootstrap_pairs(
    tables: IntArray,
    values: TableValues,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
    method: BootstrapMethod | str = BootstrapMethod.PERCENTILE,
    confidence: float = 0.95,
) -> ReplicatedEstimates:
    """Bootstrap intervals of a statistic of P pairs of raters.

    tables: (P, K, K) int, counts of items. values: any tables (T, K, K) -> (T,), NaN where undefined.
    Every pair is drawn from a stream of its own with the same seed, so that its interval does not depend on which
    pairs stand beside it. Without interval, besides what `bootstrap_limits` names: no item is shared (`no_overlap`).
    """
    is_bca = BootstrapMethod(method) is BootstrapMethod.BCA
    n = tables.sum(axis=(1, 2), dtype=np.int64)
    # One pair at a time: its draws take a thousand times as long as this step.
    replicates = [pair_replicates(table, values, seed=seed, n_replicates=n_replicates) for table in tables]
    speed = acceleration(left_out_pairs(tables, values), _cells(tables)) if is_bca else None
    return bootstrap_limits(
        values(tables.astype(np.int64)),
        np.array(replicates).reshape(len(tables), n_replicates),
        n=n,
        acceleration=speed,
        confidence=confidence,
    )


def jackknife_pairs(
    tables: IntArray, values: TableValues, *, confidence: float = 0.95
) -> ReplicatedEstimates:
    """Jackknife errors and intervals of a statistic of P pairs, clipped to [-1, 1].

    tables, values: as for `bootstrap_pairs`. Items in the same cell leave the same value behind, so that K^2 values
    are enough. Without interval, besides what `jackknife_limits` names: no item is shared (`no_overlap`).
    """
    return jackknife_limits(
        values(tables.astype(np.int64)),
        left_out_pairs(tables, values),
        _cells(tables),
        confidence=confidence,
        lowest=-1,
    )


def left_out_pairs(tables: IntArray, values: TableValues) -> FloatArray:
    """(P, K^2) the statistic without one item of each cell; NaN for empty cells."""
    cells = _cells(tables)
    found = np.full(cells.shape, np.nan)
    pairs, places = np.nonzero(cells)
    for rows in blocks(len(pairs), width=cells.shape[1]):
        without = cells[pairs[rows]]
        without[np.arange(len(without)), places[rows]] -= 1
        found[pairs[rows], places[rows]] = values(without.reshape(-1, *tables.shape[1:]))
    return found


def _cells(tables: IntArray) -> NDArray[np.int64]:
    return tables.reshape(len(tables), tables.shape[1] * tables.shape[2]).astype(np.int64)


def pair_replicates(
    table: IntArray,
    values: TableValues,
    *,
    seed: int | np.random.SeedSequence,
    n_replicates: int,
) -> FloatArray:
    """(B,) the statistic on draws of as many items from the cells of this table; NaN without items."""
    if not table.any():
        return np.full(n_replicates, np.nan)
    drawn = drawn_tables(table, seed=seed, n_replicates=n_replicates)
    return np.concatenate([values(some) for some in drawn])


def drawn_tables(
    table: IntArray, *, seed: int | np.random.SeedSequence, n_replicates: int
) -> Iterator[NDArray[np.int64]]:
    """(b, K, K) tables of as many items, each drawn from the cells of this table, in blocks."""
    places = np.flatnonzero(table)
    counts = table.ravel()[places].astype(np.int64)
    for weights in item_weights(counts, seed=seed, n_replicates=n_replicates):
        for rows in blocks(len(weights), width=table.size):
            cells = np.zeros((rows.stop - rows.start, table.size), dtype=np.int64)
            cells[:, places] = weights[rows]
            yield cells.reshape(-1, *table.shape)
