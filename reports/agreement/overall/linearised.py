"""The standard error shared by statistics of all raters: the variance over items of linearized values."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import stdtrit

from reports.agreement.intervals.wilson import wilson_limits
from reports.agreement.results import FloatArray, Interval, Reason

METHOD, WILSON = "t over items", "Wilson"
# A mean square below this share of the squared value is rounding error.
ROUNDING = 1e-24

# (value, its linearized value on each kind of item, the kinds of items, confidence)
LinearisedInterval = Callable[[float, FloatArray, Any, float], Interval]


def linearised_interval(
    value: float, item_values: FloatArray, units: Any, confidence: float = 0.95, *, lowest: float = -1.0
) -> Interval:
    """Standard error and t interval of a statistic from its linearized value on each kind of item.

    item_values: (U,), one for each kind; their mean over items is the statistic; NaN for kinds that are not
    among the n items.
    var = sum (value_i - value)^2 / (n (n - 1)), without a finite-population factor; t with one degree of freedom less
    than there are items with two labels, since those with one hardly vary; clipped at 1 and at the lowest value, unless
    the value itself lies below it. Fewer than two pairable items: no error (`n<2`). All items alike: error 0 and no
    interval in full agreement (`degenerate_se`), neither error nor interval otherwise (`degenerate_margins`).
    Source: Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed., chapter 5.
    """
    is_pairable = units.n_labels >= 2
    if units.n_items[is_pairable].sum() < 2:
        return Interval(reason=Reason.ONE_ITEM, method=METHOD)
    n, mean_square = spread(value, item_values, units)
    if mean_square == 0:
        is_full = math.isclose(value, 1, abs_tol=1e-12)
        reason = Reason.DEGENERATE_SE if is_full else Reason.DEGENERATE_MARGINS
        return Interval(se=0.0 if is_full else None, reason=reason, method=METHOD)
    se = math.sqrt(mean_square / (n - 1))
    df = int(units.n_items[is_pairable & ~np.isnan(item_values)].sum()) - 1
    margin = float(stdtrit(df, (1 + confidence) / 2)) * se
    low = value - margin if value < lowest else max(lowest, value - margin)
    return Interval(se=se, low=low, high=min(1.0, value + margin), method=METHOD)


def spread(value: float, item_values: FloatArray, units: Any) -> tuple[int, float]:
    """n, the items that count, and the mean square of their linearized values about the statistic, 0 for rounding."""
    counts = ~np.isnan(item_values)
    n = int(units.n_items[counts].sum())
    mean_square = float(((item_values[counts] - value) ** 2 * units.n_items[counts]).sum() / n)
    return n, 0.0 if mean_square <= ROUNDING * max(1.0, value * value) else mean_square


def share_interval(value: float, item_values: FloatArray, units: Any, confidence: float = 0.95) -> Interval:
    """Standard error and Wilson interval of a share of items or labels, within [0, 1].

    The error is that of `linearised_interval`. The interval is Wilson's for the number n* of independent items that
    would have the same error, value (1 - value) / n* = mean square / n: for two raters, whose items either agree or do
    not, n* = n. A share of 0 or 1 has n* = n. All items alike in between: no error and no interval
    (`degenerate_margins`).
    Sources: Wilson 1927, Journal of the American Statistical Association 22, 209-212; Korn & Graubard 1998, Survey
    Methodology 24, 193-201, for the effective number.
    """
    found = linearised_interval(value, item_values, units, confidence)
    if found.reason is Reason.ONE_ITEM:
        return replace(found, method=WILSON)
    n, mean_square = spread(value, item_values, units)
    return wilson_interval(value, n, mean_square, se=found.se, confidence=confidence)


def wilson_interval(
    share: float, n: int, mean_square: float, *, se: float | None, confidence: float
) -> Interval:
    """The interval of a share of n items whose linearized values have this mean square; see `share_interval`."""
    is_end = math.isclose(share, 1, abs_tol=1e-12) or math.isclose(share, 0, abs_tol=1e-12)
    if mean_square == 0 and not is_end:
        return Interval(reason=Reason.DEGENERATE_MARGINS, method=WILSON)
    effective = n if is_end else n * share * (1 - share) / mean_square
    at = round(share) if is_end else share
    low, high = wilson_limits(np.array(at, dtype=np.float64), np.array(effective), confidence=confidence)
    return Interval(se=0.0 if se is None else se, low=float(low), high=float(high), method=WILSON)
