"""Published tables of two raters, and the delete-1 jackknife over their items."""

from collections.abc import Callable

import numpy as np

COHEN_1960_1 = [[25, 13, 12], [12, 2, 16], [3, 15, 2]]
COHEN_1960_2 = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
FLEISS_COHEN_EVERITT_1969 = [[106, 10, 4], [22, 28, 10], [2, 12, 6]]
LANDIS_KOCH_1977_WINNIPEG = [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]]
AGRESTI_1992_CARCINOMA = [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]
BRENNAN_PREDIGER_1981_1 = [[50, 0, 0], [10, 10, 10], [20, 0, 0]]
GWET_ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
FEINSTEIN_CICCHETTI_1990_1A = [[40, 9], [6, 45]]
FEINSTEIN_CICCHETTI_1990_1B = [[80, 10], [5, 5]]
CATS_DOGS_1 = [[10, 7], [5, 8]]
CATS_DOGS_2 = [[22, 9], [7, 13]]
CATS_DOGS_3 = [[60, 125], [5, 5000]]
# KNIME, "Cohen's kappa: an overview": truth by row, model by column, bad and good credit.
KNIME_BASE = [[9, 21], [18, 252]]
KNIME_BALANCED = [[18, 12], [22, 248]]


def jackknife_errors(values: Callable[[np.ndarray], np.ndarray], table: list[list[int]]) -> np.ndarray:
    """Delete-1 standard errors of values, a function of (P, K, K) counts to (P, ...), for one table."""
    counts = np.array(table)
    cells = np.argwhere(counts)
    without = np.repeat(counts[None], len(cells), axis=0)
    without[np.arange(len(cells)), cells[:, 0], cells[:, 1]] -= 1
    times, n = counts[cells[:, 0], cells[:, 1]], counts.sum()
    replicates = values(without)
    mean = np.average(replicates, axis=0, weights=times)
    return np.sqrt((n - 1) * np.average((replicates - mean) ** 2, axis=0, weights=times))
