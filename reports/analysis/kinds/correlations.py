"""Differences of intraclass correlations between two parts of the labels."""

import numpy as np
from numpy.typing import NDArray

from reports.agreement.intervals.difference import Difference
from reports.agreement.intervals.joint import join_items
from reports.agreement.numbers.icc import NAMES, complete_items, icc_statistics
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.one_way import one_way_statistics, rated_items
from reports.agreement.results import Reason, Undefined
from reports.agreement.statistic import ItemKinds, Statistic
from reports.analysis.kinds.feasible import (
    difference_of,
    items_in,
    undefined_difference,
    why_undefined,
)
from reports.analysis.label_arrays import LabelSubset
from reports.analysis.options import Options

ONE_WAY = ("icc_1_1", "icc_1_k")
CORRELATIONS = NAMES
# The jackknife processes all items once for each item.
MAX_ITEMS = 20_000


def correlation_difference(
    name: str, first: LabelSubset, second: LabelSubset, options: Options
) -> Difference:
    """Return first part minus second, by the jackknife over items unless the options ask for a bootstrap."""
    a, b = first.sample, second.sample
    if reason := why_undefined(a, b):
        return undefined_difference(reason)
    if a.size.n_items + b.size.n_items > MAX_ITEMS:
        return undefined_difference(Reason.TOO_LARGE)
    items = tuple(items_in(part, _rows(name, part.sample)) for part in (first, second))
    try:
        statistics = (_statistic(name, a), _statistic(name, b))
        units = (_units(name, a), _units(name, b))
        joint = join_items(statistics, units, (items[0], items[1]))
        return difference_of(joint, options, n_labels=a.size.n_labels + b.size.n_labels)
    except Undefined as undefined:
        return undefined_difference(undefined.reason)


def _statistic(name: str, sample: NumberSample) -> Statistic:
    found = one_way_statistics(sample) if name in ONE_WAY else icc_statistics(sample)
    return next(each for each in found if each.name == name)


def _units(name: str, sample: NumberSample) -> ItemKinds:
    return rated_items(sample) if name in ONE_WAY else complete_items(sample)


def _rows(name: str, sample: NumberSample) -> NDArray[np.bool_]:
    """Return (N,) the items that the coefficient is based on."""
    return sample.labels_per_item >= 2 if name in ONE_WAY else sample.is_complete
