"""The delete-one-item jackknife: how far a statistic moves when one item is left out."""

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from reports.agreement.intervals.replicates import (
    ROUNDING,
    blocks,
    has_too_many_undefined,
    why_undefined,
    without_spread,
)
from reports.agreement.results import FloatArray, Interval, Reason, Undefined
from reports.agreement.sample import Sample, Scale

if TYPE_CHECKING:
    # For typing alone: a statistic without linearised values takes its own error from here.
    from reports.agreement.overall.statistic import Statistic, Units

METHOD = "jackknife, t over items"


def jackknife(statistic: "Statistic", sample: Sample, scale: Scale, *, confidence: float = 0.95) -> Interval:
    """Standard error and t interval of a statistic of all raters, from leaving out each of its n items in turn.

    Items are those that the statistic uses: with two labels or more, or with one if it `uses_single`.
    se^2 = (n - 1) / n sum_i (value_(i) - mean)^2, value_(i) without item i, mean over all value_(i); the interval is
    the value and t_{n-1} standard errors on both sides, its upper limit clipped at 1.
    Without interval: an undefined value, with its reason; fewer than two pairable items (`n<2`); more than 5 % of the
    value_(i) undefined (`too_many_undefined`), while fewer are counted and the mean square is that of the others; no
    difference between items: `degenerate_se` with error 0 in full agreement, else `degenerate_margins`.
    Source: Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 11.
    """
    return jackknife_each(statistic, sample, scale, confidence=confidence)[0]


def jackknife_each(
    statistic: "Statistic", sample: Sample, scale: Scale, *, confidence: float = 0.95
) -> list[Interval]:
    """The same for each of a statistic's values: K of one value per category, or a single one."""
    units = statistic.units(sample)
    if reason := why_undefined(units):
        return [Interval(reason=reason, method=METHOD)]
    try:
        values = _columns(statistic.values(units, scale, units.n_items[None, :].astype(np.float64)))[0]
        without = left_out_values(statistic, units, scale)
    except Undefined as undefined:
        return [Interval(reason=undefined.reason, method=METHOD)]
    n_items = units.n_items[used_kinds(statistic, units)]
    return [
        jackknife_interval(float(value), column, n_items, confidence=confidence)
        for value, column in zip(values, _columns(without).T, strict=True)
    ]


def used_kinds(statistic: "Statistic", units: "Units") -> NDArray[np.bool_]:
    """(U,) the kinds of items that enter the statistic."""
    return units.n_labels >= (1 if statistic.uses_single else 2)


def left_out_values(statistic: "Statistic", units: "Units", scale: Scale) -> FloatArray:
    """(V,) or (V, K): the statistic without one item, for each of the V kinds of items that it uses."""
    kinds = np.flatnonzero(used_kinds(statistic, units))
    found = []
    for rows in blocks(len(kinds), width=len(units.n_items)):
        weights = np.repeat(units.n_items[None, :].astype(np.float64), len(kinds[rows]), axis=0)
        weights[np.arange(len(weights)), kinds[rows]] -= 1
        found.append(statistic.values(units, scale, weights))
    return np.concatenate(found)


def jackknife_interval(
    value: float, left_out: FloatArray, n_items: NDArray[np.int64], *, confidence: float = 0.95
) -> Interval:
    """The interval of a value from what it is without one item.

    left_out: (U,), NaN where undefined; n_items: (U,), how many items leave this when they are left out.
    """
    n = int(n_items.sum())
    is_defined = ~np.isnan(left_out)
    n_defined = int(n_items[is_defined].sum())
    interval = partial(Interval, method=METHOD, n_replicates=n, n_undefined=n - n_defined)
    if math.isnan(value):
        return interval(reason=Reason.NO_VARIATION)
    if n < 2:
        return interval(reason=Reason.ONE_ITEM)
    if has_too_many_undefined(n - n_defined, n):
        return interval(reason=Reason.TOO_MANY_UNDEFINED)
    mean_square = _mean_square(left_out[is_defined], n_items[is_defined])
    if mean_square <= ROUNDING * max(1.0, value * value):
        se_if_full, reason = without_spread(value)
        return interval(se=se_if_full, reason=reason)
    se = math.sqrt((n - 1) * mean_square)
    margin = float(stdtrit(n - 1, (1 + confidence) / 2)) * se
    return interval(se=se, low=value - margin, high=min(1.0, value + margin))


def _mean_square(values: FloatArray, n_items: NDArray[np.int64]) -> float:
    n = n_items.sum()
    mean = float((values * n_items).sum() / n)
    return float(((values - mean) ** 2 * n_items).sum() / n)


def _columns(values: FloatArray) -> FloatArray:
    """(B, K) of (B,) or (B, K)."""
    return values if values.ndim == 2 else values[:, None]
