"""Categories that one rater uses more or less often than the others on the same items."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from reports.agreement.intervals.holm import holm
from reports.agreement.pairs.estimates import reasons, symmetric_estimates
from reports.agreement.results import Estimates, FloatArray, IntArray, Reason, number

# A variance of shares below this is rounding error.
ROUNDING = 1e-12
# Up to this many items x categories, cells are counted by position rather than sorted.
MAX_CELLS = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class ChosenCategories:
    """The chosen categories, each once per label: (M,) items counting from 0, and (M,) categories."""

    items: IntArray
    categories: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class CategoryBias:
    """Results for K categories, (K,) each.

    own: the rater's share of items with the category. others: the mean over the same items of the share of the others
    who chose it. difference: own - others, with error and interval. p_value: two-sided, for no difference, corrected
    for the number of categories; NaN where there is no error.
    """

    own: FloatArray
    others: FloatArray
    difference: Estimates
    p_value: FloatArray


def category_bias(
    own: ChosenCategories,
    others: ChosenCategories,
    n_others: NDArray[np.int64],
    *,
    n_categories: int,
    confidence: float = 0.95,
) -> CategoryBias:
    """How much more often one rater chooses each category than the others do on the same items.

    n_others: (n,) labels of the others on each item of the rater; items without any are left out. For item i and
    category k let d = [the rater chose k] - (share of the others who chose k): the difference is the mean of d over
    items, its error that of a paired mean, the interval t with n - 1 degrees of freedom.
    Undefined: `no_overlap`, no item has a label by another rater. P-values are corrected by Holm's method.
    Sources: Student 1908, Biometrika 6, 1-25; Holm 1979, Scandinavian Journal of Statistics 6, 65-70.
    """
    own = _only(own, n_others > 0)
    n, k = float(np.count_nonzero(n_others)), n_categories
    cells, times = _counted(others.items * k + others.categories, len(n_others) * k)
    shares, categories = times / n_others[cells // k], cells % k
    n_own = np.bincount(own.categories, minlength=k).astype(np.float64)
    sums = np.bincount(categories, weights=shares, minlength=k)
    squares = np.bincount(categories, weights=shares**2, minlength=k)
    met = _shares_of(own.items * k + own.categories, cells, shares)
    products = np.bincount(own.categories, weights=met, minlength=k)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (n_own - sums) / n
        # Items on which neither chose the category have d = 0, and need no cell.
        variance = (n_own - 2 * products + squares - n * value**2) / (n - 1)
        se = np.sqrt(np.where(variance > ROUNDING, variance, 0) / n)
        shared = n_own / n, sums / n
    size = np.full(k, n)
    undefined = reasons(value.shape, (size == 0, Reason.NO_OVERLAP))
    difference = symmetric_estimates(
        value, se, n=size, undefined=undefined, confidence=confidence, df=size - 1
    )
    p_values = holm([number(p) for p in _p_values(difference, n)])
    return CategoryBias(*shared, difference, np.array(p_values, dtype=np.float64))


def _counted(cells: IntArray, n_cells: int) -> tuple[IntArray, IntArray]:
    """Return the distinct cells in ascending order, and their counts."""
    if n_cells > MAX_CELLS:
        return np.unique(cells, return_counts=True)
    times = np.bincount(cells, minlength=n_cells)
    found = np.flatnonzero(times)
    return found, times[found]


def _only(chosen: ChosenCategories, is_wanted: NDArray[np.bool_]) -> ChosenCategories:
    keep = is_wanted[chosen.items]
    return ChosenCategories(chosen.items[keep], chosen.categories[keep])


def _shares_of(wanted: IntArray, cells: IntArray, shares: FloatArray) -> FloatArray:
    """Return the share of each wanted cell, 0 for missing cells; cells: ascending."""
    if not len(cells):
        return np.zeros(len(wanted))
    places = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
    return np.where(cells[places] == wanted, shares[places], 0.0)


def _p_values(difference: Estimates, n: float) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.abs(difference.value) / np.where(difference.se > 0, difference.se, np.nan)
    return np.asarray(2 * stdtr(max(n - 1, 1), -t), dtype=np.float64)
