"""What a statistic of all raters is made of."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reports.agreement.overall.linearised import LinearisedInterval, linearised_interval
from reports.agreement.results import FloatArray, Interval, Size
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
    those of items with two or more. interval: from the linearised values. lowest: the least value there can be, where
    intervals of the jackknife end. full_interval: (units, scale, confidence), of a value of 1 whose linearised values
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
