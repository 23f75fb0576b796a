"""What a statistic of all raters is made of, and its estimate with error and interval."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.overall.linearised import linearised_interval
from reports.agreement.results import Coefficient, FloatArray, Interval, Reason, Size, Undefined
from reports.agreement.sample import Sample, Scale


class Units(Protocol):
    """Kinds of items, by all that a statistic needs to know of them: `ItemPatterns` or `ItemProfiles`."""

    @property
    def n_items(self) -> NDArray[np.int64]: ...

    @property
    def n_labels(self) -> NDArray[np.int64]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """One statistic of all raters.

    name: of the value without weights; weighted_name: with weights, "" if it takes none.
    units: the kinds of items of a sample that it is computed from.
    values: (units, scale, weights (B, U)) -> (B,) or, for one value per category, (B, K): the statistic of B samples,
    each with weights[b, u] items of kind u; NaN where undefined. It may raise Undefined if no sample can have a value.
    item_values: (units, scale, value) -> (U,): its linearised value on each kind of item, whose mean over items is the
    statistic, NaN for items that do not count; None where no formula is known.
    method: which of several definitions this is. uses_single: whether items with one label enter the value.
    note: what else to say of how this value came about. used: the labels that it rests on, if they are neither all nor
    those of items with two or more.
    """

    name: str
    weighted_name: str = ""
    units: Callable[[Sample], Any]
    values: Callable[[Any, Scale, FloatArray], FloatArray]
    item_values: Callable[[Any, Scale, float], FloatArray] | None = None
    method: Callable[[Scale], str]
    uses_single: bool = False
    note: Callable[[Any, Scale], str] | None = None
    used: Callable[[Sample], Size] | None = None


def estimate(statistic: Statistic, sample: Sample, scale: Scale, *, confidence: float = 0.95) -> Coefficient:
    """The statistic on this sample, with a t interval over items from its linearised values or, without, the jackknife.

    Undefined, with None and a reason: no item has a label (`no_items`) or two (`no_overlap`); the labels do not vary
    as the statistic needs (`no_variation`).
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
    """How many of the items, raters and labels a value of this statistic rests on."""
    if statistic.used:
        return statistic.used(sample)
    return sample.size if statistic.uses_single else sample.pairable_size


def point(statistic: Statistic, sample: Sample, scale: Scale) -> float:
    """The value alone; raises Undefined."""
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
    return linearised_interval(value, item_values, units, confidence=confidence)
