"""Bootstrap and jackknife of statistics of two raters, from their confusion matrices alone.

The items of a pair differ only in their cell of the table, so drawing items means drawing cells, and leaving out an
item means removing one from a cell.
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
    Each pair is drawn from its own stream with the same seed, so its interval does not depend on the other pairs.
    No interval, in addition to the cases of `bootstrap_limits`: no item is shared (`no_overlap`).
    """
    is_bca = BootstrapMethod(method) is BootstrapMethod.BCA
    n = tables.sum(axis=(1, 2), dtype=np.int64)
    # One pair at a time: the draws take a thousand times as long as this loop step.
    replicates = [pair_replicates(table, values, seed=seed, n_replicates=n_replicates) for table in tables]
    speed = acceleration(jackknife_table_values(tables, values), _cells(tables)) if is_bca else None
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

    tables, values: as for `bootstrap_pairs`. Leaving out any item of a cell gives the same value, so K^2 values are
    enough. No interval, in addition to the cases of `jackknife_limits`: no item is shared (`no_overlap`).
    """
    return jackknife_limits(
        values(tables.astype(np.int64)),
        jackknife_table_values(tables, values),
        _cells(tables),
        confidence=confidence,
        lowest=-1,
    )


def jackknife_table_values(tables: IntArray, values: TableValues) -> FloatArray:
    """(P, K^2) the statistic without one item from each cell; NaN for empty cells."""
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
    """(B,) the statistic on draws of the same number of items from the cells of this table; NaN without items."""
    if not table.any():
        return np.full(n_replicates, np.nan)
    drawn = drawn_tables(table, seed=seed, n_replicates=n_replicates)
    return np.concatenate([values(some) for some in drawn])


def drawn_tables(
    table: IntArray, *, seed: int | np.random.SeedSequence, n_replicates: int
) -> Iterator[NDArray[np.int64]]:
    """Yield blocks of tables, (b, K, K), of the same number of items drawn from the cells of this table."""
    places = np.flatnonzero(table)
    counts = table.ravel()[places].astype(np.int64)
    for weights in item_weights(counts, seed=seed, n_replicates=n_replicates):
        for rows in blocks(len(weights), width=table.size):
            cells = np.zeros((rows.stop - rows.start, table.size), dtype=np.int64)
            cells[:, places] = weights[rows]
            yield cells.reshape(-1, *table.shape)
