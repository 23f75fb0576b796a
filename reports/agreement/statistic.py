"""The definition of a statistic of all raters."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reports.agreement.overall.linearised import LinearisedInterval, linearised_interval
from reports.agreement.results import FloatArray, Interval, Size
from reports.agreement.sample import Sample, Scale


class ItemKinds(Protocol):
    """Kinds of items, by what a statistic needs to know about them: `ItemPatterns` or `ItemProfiles`."""

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
    item_values: (units, scale, value) -> (U,): its linearized value on each kind of item, whose mean over items is the
    statistic, NaN for items that do not count; None if no formula is known.
    method: which of several definitions this is. uses_single: whether items with one label enter the value.
    note: further information on how this value was computed. used: the labels that it is based on, if neither all nor
    those of items with two or more. interval: from the linearized values. lowest: the lowest possible value, at which
    jackknife intervals are clipped. full_interval: (units, scale, confidence), for a value of 1 whose linearized values
    do not vary; None for none. is_share: whether the value is a share of items or of labels.
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
    interval: LinearisedInterval = linearised_interval
    full_interval: Callable[[Any, Scale, float], Interval] | None = None
    lowest: float = -math.inf
    is_share: bool = False
