"""The components of a statistic of all raters, and its estimate with error and interval."""

import numpy as np

from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.results import Coefficient, Interval, Reason, Size, Undefined
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic


def estimate(statistic: Statistic, sample: Sample, scale: Scale, *, confidence: float = 0.95) -> Coefficient:
    """The statistic on this sample, with an interval from its linearized values or, without them, the jackknife.

    Undefined, with None and a reason: no item has a label (`no_items`) or two labels (`no_overlap`); the labels lack
    the variation that the statistic needs (`no_variation`).
    """
    used = size_used(statistic, sample)
    method = statistic.method(scale)
    value = None
    try:
        value = point(statistic, sample, scale)
        found = _interval(statistic, sample, scale, value, confidence)
        if statistic.note:
            method = f"{method}, {statistic.note(statistic.units(sample), scale)}"
    except Undefined as undefined:
        found = Interval(reason=undefined.reason, method="")
    return Coefficient(
        value=value,
        se=found.se,
        ci_low=found.low,
        ci_high=found.high,
        reason=found.reason,
        used=used,
        left_out=sample.size.without(used),
        method=method,
        interval_method=found.method,
    )


def size_used(statistic: Statistic, sample: Sample) -> Size:
    """The numbers of items, raters, and labels that a value of this statistic is based on."""
    if statistic.used:
        return statistic.used(sample)
    return sample.size if statistic.uses_single else sample.pairable_size


def point(statistic: Statistic, sample: Sample, scale: Scale) -> float:
    """Return only the value; raises Undefined."""
    if not sample.size.n_items:
        raise Undefined(Reason.NO_ITEMS)
    if not sample.pairable_size.n_items:
        raise Undefined(Reason.NO_OVERLAP)
    units = statistic.units(sample)
    weights = units.n_items[None, :].astype(np.float64)
    value = float(statistic.values(units, scale, weights)[0])
    if np.isnan(value):
        raise Undefined(Reason.NO_VARIATION)
    return value


def _interval(
    statistic: Statistic, sample: Sample, scale: Scale, value: float, confidence: float
) -> Interval:
    if statistic.item_values is None:
        return jackknife(statistic, sample, scale, confidence=confidence)
    units = statistic.units(sample)
    item_values = statistic.item_values(units, scale, value)
    found = statistic.interval(value, item_values, units, confidence)
    if found.reason is Reason.DEGENERATE_SE and statistic.full_interval is not None:
        return statistic.full_interval(units, scale, confidence)
    return found
