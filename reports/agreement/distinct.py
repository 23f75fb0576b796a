"""The distinct rows of a matrix of small numbers."""

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import IntArray

# The largest number that a row, or a part of it, is encoded as.
MOST = 1 << 62


def distinct_rows(rows: NDArray[np.integer]) -> tuple[IntArray, IntArray, NDArray[np.int64]]:
    """Return (D,) where each distinct row is found, (N,) the number of each row's, and (D,) how many rows are the same.

    rows: (N, K) non-negative integers. Distinct rows are in ascending order, the first column first, as those of
    `np.unique` with axis 0, which takes many times as long: rows encoded as one number each sort faster.
    """
    order = np.argsort(keys := _keys(rows))
    keys = keys[order]
    is_new = np.ones(len(keys), dtype=bool)
    is_new[1:] = keys[1:] != keys[:-1]
    starts = np.flatnonzero(is_new)
    kinds = np.empty(len(keys), dtype=np.int64)
    kinds[order] = np.cumsum(is_new) - 1
    return order[starts], kinds, np.diff(starts, append=len(keys)).astype(np.int64)


def _keys(rows: NDArray[np.integer]) -> IntArray:
    """Return (N,) numbers that are equal only for equal rows, and in the order of the rows."""
    keys, highest = np.zeros(len(rows), dtype=np.int64), 0
    n_values = int(rows.max(initial=0)) + 1
    for column in rows.T:
        if (highest + 1) * n_values > MOST:
            # The ranks of the columns so far are much smaller than their numbers.
            _, keys = np.unique(keys, return_inverse=True)
            highest = len(rows)
        keys = keys * n_values + column
        highest = (highest + 1) * n_values
    return keys
