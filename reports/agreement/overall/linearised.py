"""The standard error that statistics of all raters share: the variance over items of linearised values."""

import math
from typing import Any

import numpy as np
from scipy.special import stdtrit

from reports.agreement.results import FloatArray, Interval, Reason

METHOD = "t over items"
# A mean square below this share of the squared value is rounding, not variation.
ROUNDING = 1e-24


def linearised_interval(
    value: float, item_values: FloatArray, units: Any, *, confidence: float = 0.95
) -> Interval:
    """Standard error and t interval of a statistic from its linearised value on each kind of item.

    item_values: (U,), one for each kind, whose mean over items is the statistic; NaN for those that are not
    among the n items.
    var = sum (value_i - value)^2 / (n (n - 1)), without a finite-population factor; t with n - 1 degrees of freedom;
    the upper limit is clipped at 1. Fewer than two pairable items: no error (`n<2`). All items alike: error 0 and no
    interval in full agreement (`degenerate_se`), no error either in anything less (`degenerate_margins`).
    Source: Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed., chapter 5.
    """
    is_pairable = units.n_labels >= 2
    if units.n_items[is_pairable].sum() < 2:
        return Interval(reason=Reason.ONE_ITEM, method=METHOD)
    counts = ~np.isnan(item_values)
    n = int(units.n_items[counts].sum())
    mean_square = float(((item_values[counts] - value) ** 2 * units.n_items[counts]).sum() / n)
    if mean_square <= ROUNDING * max(1.0, value * value):
        is_full = math.isclose(value, 1, abs_tol=1e-12)
        reason = Reason.DEGENERATE_SE if is_full else Reason.DEGENERATE_MARGINS
        return Interval(se=0.0 if is_full else None, reason=reason, method=METHOD)
    se = math.sqrt(mean_square / (n - 1))
    margin = float(stdtrit(n - 1, (1 + confidence) / 2)) * se
    return Interval(se=se, low=value - margin, high=min(1.0, value + margin), method=METHOD)
