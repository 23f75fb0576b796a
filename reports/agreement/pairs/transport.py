"""The cheapest table with given margins, for a whole stack of margins at once."""

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray

# Cells processed at a time, so that a step's intermediate values stay small.
BLOCK_CELLS = 1 << 16
# A path is cheaper only if the difference exceeds rounding, as a share of the largest cost.
ROUNDING = 1e-12
NONE = -1


def cheapest(rows: FloatArray, columns: FloatArray, costs: FloatArray) -> FloatArray:
    """The least sum of costs of any table with these margins, for any costs.

    rows, columns: (P, K) margins of counts with equal sums. costs: (K, K) >= 0, 0 on the diagonal.
    Returns (P,) float64, in the unit of the costs. Integer counts are moved, so only the final sum is rounded.
    Solves the transport problem by successive shortest paths: the diagonal, which costs nothing, is filled as far as
    possible; then the remaining rows go to the remaining columns, each time along the cheapest path, which may displace
    earlier placements.
    Source: Ahuja, Magnanti & Orlin 1993, Network Flows, chapter 9.
    """
    step = max(1, BLOCK_CELLS // max(1, costs.size))
    blocks = [slice(start, start + step) for start in range(0, len(rows), step)]
    return np.concatenate([np.empty(0)] + [_block(rows[each], columns[each], costs) for each in blocks])


def _block(rows: FloatArray, columns: FloatArray, costs: FloatArray) -> FloatArray:
    diagonal = np.minimum(rows, columns)
    supply, demand = rows - diagonal, columns - diagonal
    placed = diagonal[:, :, None] * np.eye(len(costs))
    total, position = np.zeros(len(rows)), np.arange(len(rows))
    while len(position):
        is_open = supply.any(axis=1) & demand.any(axis=1)
        total[position[~is_open]] = np.einsum("pkl,kl->p", placed[~is_open], costs)
        position, placed = position[is_open], placed[is_open]
        supply, demand = supply[is_open], demand[is_open]
        _place(supply, demand, placed, costs)
    return total


def _place(supply: FloatArray, demand: FloatArray, placed: FloatArray, costs: FloatArray) -> None:
    """Fill each table along its cheapest path with as much as the path holds; changes the arrays in place.

    supply, demand: (P, K) the remainders of rows and columns. placed: (P, K, K) the contents of the cells.
    """
    to_column, row_before, column_before = _cheapest_ways(supply, placed, costs)
    tables = np.arange(len(supply))
    column = end = np.where(demand > 0, to_column, np.inf).argmin(axis=1)
    amount = demand[tables, end]
    way = []
    while len(tables):
        row = row_before[tables, column]
        pushed = column_before[tables, row]
        way.append((tables, row, column, pushed))
        goes_on = pushed != NONE
        holds = np.where(goes_on, placed[tables, row, pushed], supply[tables, row])
        amount[tables] = np.minimum(amount[tables], holds)
        tables, column = tables[goes_on], pushed[goes_on]
    for tables, row, column, pushed in way:
        placed[tables, row, column] += amount[tables]
        goes_on = pushed != NONE
        placed[tables[goes_on], row[goes_on], pushed[goes_on]] -= amount[tables[goes_on]]
        supply[tables[~goes_on], row[~goes_on]] -= amount[tables[~goes_on]]
    demand[np.arange(len(demand)), end] -= amount


def _cheapest_ways(
    supply: FloatArray, placed: FloatArray, costs: FloatArray
) -> tuple[FloatArray, NDArray[np.intp], NDArray[np.intp]]:
    """The cost of moving one unit from any row with supply to each column, and the rows and columns on the path.

    One unit more in cell (k, l) costs c_kl; one less, where there is one, refunds it.
    Returns (P, K) each: the cost; the row before a column; the column before a row, NONE where a path starts.
    """
    margin = ROUNDING * costs.max()
    to_row = np.where(supply > 0, 0.0, np.inf)
    to_column = np.full_like(to_row, np.inf)
    row_before = np.full(to_row.shape, NONE)
    column_before = np.full(to_row.shape, NONE)
    while True:
        by_row = to_row[:, :, None] + costs
        _improve(to_column, row_before, by_row.min(axis=1), by_row.argmin(axis=1), margin)
        by_column = np.where(placed > 0, to_column[:, None, :] - costs, np.inf)
        if not _improve(to_row, column_before, by_column.min(axis=2), by_column.argmin(axis=2), margin):
            return to_column, row_before, column_before


def _improve(
    best: FloatArray, before: NDArray[np.intp], found: FloatArray, through: NDArray[np.intp], margin: float
) -> bool:
    is_better = found < best - margin
    best[is_better], before[is_better] = found[is_better], through[is_better]
    return bool(is_better.any())
