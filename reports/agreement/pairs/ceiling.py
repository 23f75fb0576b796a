"""The least disagreement possible with given margins."""

import numpy as np
from numpy.typing import NDArray

from reports.agreement.pairs.transport import cheapest
from reports.agreement.results import FloatArray


def least_disagreement(rows: FloatArray, columns: FloatArray, costs: FloatArray) -> FloatArray:
    """The smallest sum of costs of any table with these margins.

    rows, columns: (P, K) margins of counts with equal sums. costs: (K, K) >= 0, symmetric, 0 on the diagonal.
    Returns (P,) float64, in the unit of the costs. Kappa max is 1 - this / expected cost.
    One cost for all disagreements: the diagonal is filled as far as possible, leaving n - sum of min(row, column).
    Costs that are convex in the distance on a scale, such as linear, quadratic, and ordinal ones, have the Monge
    property, for which filling the table from the corner is optimal (Hoffman 1963). Any others: the transport problem.
    """
    off_diagonal = costs[~np.eye(len(costs), dtype=bool)]
    if not len(off_diagonal) or (off_diagonal == off_diagonal[0]).all():
        cost = off_diagonal[0] if len(off_diagonal) else 0.0
        return cost * (rows.sum(axis=1) - np.minimum(rows, columns).sum(axis=1))
    order = _scale_order(costs)
    ordered = costs[np.ix_(order, order)]
    if not _is_monge(ordered):
        return cheapest(rows, columns, costs)
    return _corner_cost(rows[:, order], columns[:, order], ordered)


def _scale_order(costs: FloatArray) -> NDArray[np.intp]:
    """Return the order of the categories along their scale: by the cost from one of its ends."""
    end = int(np.argmax(costs.max(axis=1)))
    return np.argsort(costs[end], kind="stable")


def _is_monge(costs: FloatArray) -> bool:
    """Return whether c(k, l) + c(k+1, l+1) <= c(k, l+1) + c(k+1, l) for all neighbors."""
    excess = costs[:-1, :-1] + costs[1:, 1:] - costs[:-1, 1:] - costs[1:, :-1]
    return bool((excess <= 1e-9 * costs.max()).all())


def _corner_cost(rows: FloatArray, columns: FloatArray, costs: FloatArray) -> FloatArray:
    """The cost of the table filled from its corner, from the 2K steps of both cumulative margins."""
    n_categories = rows.shape[1]
    steps = np.concatenate((np.cumsum(rows, axis=1), np.cumsum(columns, axis=1)), axis=1)
    order = np.argsort(steps, axis=1, kind="stable")
    steps = np.take_along_axis(steps, order, axis=1)
    is_row = order < n_categories
    passed_rows = np.cumsum(is_row, axis=1) - is_row
    passed_columns = np.cumsum(~is_row, axis=1) - ~is_row
    # Beyond the last category, steps have zero width, so any cost will do.
    last = n_categories - 1
    cell_costs = costs[np.minimum(passed_rows, last), np.minimum(passed_columns, last)]
    return (np.diff(steps, axis=1, prepend=0) * cell_costs).sum(axis=1)
