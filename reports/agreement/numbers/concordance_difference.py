"""The difference between two values of Lin's concordance of a pair of raters, from samples that may share items."""

import numpy as np
from numpy.typing import ArrayLike

from reports.agreement.intervals.difference import ComparedValue, Difference, linearised_difference
from reports.agreement.results import FloatArray, IntArray, Reason


def concordance_difference(
    first: ArrayLike,
    second: ArrayLike,
    *,
    first_items: ArrayLike,
    second_items: ArrayLike,
    confidence: float = 0.95,
) -> Difference:
    """Lin's rho_c of the first sample minus that of the second, by the pseudo-values of the jackknife.

    first, second: (N, 2) numbers of both raters on each item. first_items, second_items: (N,), identities of the items;
    shared ones are paired. Item i has n rho - (n - 1) rho_(i). See `linearised_difference` for error and test.
    Undefined where rho_c is: `no_variation`, both raters always gave one and the same number; `no_overlap`, no item.
    """
    ids = [np.asarray(some, dtype=np.int64) for some in (first_items, second_items)]
    everyone = np.unique(np.concatenate(ids))
    sides = [
        _side(
            np.asarray(numbers, dtype=np.float64).reshape(-1, 2),
            np.searchsorted(everyone, own),
            len(everyone),
        )
        for numbers, own in zip((first, second), ids, strict=True)
    ]
    n_items = np.ones(len(everyone), dtype=np.int64)
    return linearised_difference(sides[0], sides[1], n_items, confidence=confidence)


def _side(numbers: FloatArray, places: IntArray, n_items: int) -> ComparedValue:
    item_values = np.full(n_items, np.nan)
    if not len(numbers):
        return ComparedValue(value=np.nan, item_values=item_values, reason=Reason.NO_OVERLAP)
    # Centered, so that large numbers lose no digits.
    value, left_out = _concordance(numbers - numbers.mean())
    if np.isnan(value):
        return ComparedValue(value=np.nan, item_values=item_values, reason=Reason.NO_VARIATION)
    if len(numbers) < 3 or np.isnan(left_out).any():
        item_values[places] = value
        return ComparedValue(value=value, item_values=item_values, reason=Reason.TOO_FEW_ITEMS)
    item_values[places] = len(numbers) * value - (len(numbers) - 1) * left_out
    return ComparedValue(value=value, item_values=item_values)


def _concordance(numbers: FloatArray) -> tuple[float, FloatArray]:
    """rho_c, and (N,) its values without each item; NaN where all numbers are equal."""
    x, y = numbers.T
    terms = np.stack((x, y, x**2, y**2, (x - y) ** 2))
    sums = terms.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        left_out = _from_sums(sums[:, None] - terms, len(x) - 1)
    return float(_from_sums(sums[:, None], len(x))[0]), left_out


def _from_sums(sums: FloatArray, n: int) -> FloatArray:
    """1 - mean (x - y)^2 / (s_x^2 + s_y^2 + (mean x - mean y)^2), moments divided by n."""
    if not n:
        return np.full(sums.shape[1], np.nan)
    x, y, squares_x, squares_y, apart = sums / n
    spread = squares_x - x**2 + squares_y - y**2 + (x - y) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > 0, 1 - apart / spread, np.nan)
