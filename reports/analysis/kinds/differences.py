"""Differences between two sets of labels that are numbers or sets of categories, as JSON."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reports.agreement.intervals.difference import Difference
from reports.agreement.intervals.joint import join_items
from reports.agreement.intervals.sample_difference import bootstrap_joint_difference, joint_difference
from reports.agreement.numbers import kendall
from reports.agreement.numbers.alpha import labelled_items, number_alpha_statistic
from reports.agreement.numbers.concordance_difference import concordance_difference
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.overall.label_differences import LabelledItems
from reports.agreement.results import IntArray, Reason, Undefined
from reports.agreement.sample import Scale
from reports.agreement.sets.alpha import set_alpha_statistic
from reports.agreement.sets.distances import SetDistance
from reports.agreement.sets.members import SetSample
from reports.agreement.sets.similarity import similarity_statistics
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level
from reports.analysis.comparison import difference_of, flat_difference
from reports.analysis.options import IntervalMethod, Options

# Labels that all replicates of a bootstrap go through; beyond it the formula stands.
MAX_STEPS = 1_000_000_000
OF_RANKS = (kendall.STATISTIC, kendall.UNCORRECTED)

Found = dict[str, dict[str, Any]]


def number_differences(
    samples: tuple[NumberSample, NumberSample],
    items: tuple[IntArray, IntArray],
    level: Level,
    options: Options,
) -> Found:
    """Alpha of the first sample less that of the second, on the level of the question and as intervals; Kendall's W.

    items: (N,), who the rows of each sample are; shared ones are paired. Of two raters each, Lin's concordance too.
    """
    levels = {"krippendorff_alpha": level}
    if level is not Level.INTERVAL:
        levels["krippendorff_alpha_interval"] = Level.INTERVAL
    rows = [np.flatnonzero(sample.labels_per_item >= 2) for sample in samples]
    places = _items_of(items, rows)
    found = {name: _of_numbers(samples, places, each, options) for name, each in levels.items()}
    found |= {each.name: _of_ranks(each, samples, items, options) for each in OF_RANKS}
    if all(sample.size.n_raters == 2 for sample in samples):
        found["lin_concordance"] = _of_concordance(samples, items, options)
    return {name: flat_difference(difference) for name, difference in found.items()}


def _of_ranks(
    statistic: Statistic,
    samples: tuple[NumberSample, NumberSample],
    items: tuple[IntArray, IntArray],
    options: Options,
) -> Difference:
    """Of the items that all raters of a sample labelled."""
    try:
        first, second, scale = kendall.ranked_alike(*samples)
    except Undefined as undefined:
        return _undefined(undefined.reason)
    if options.replicates * sum(sample.size.n_labels for sample in samples) > MAX_STEPS:
        options = replace(options, interval=IntervalMethod.ANALYTIC)
    places = _items_of(items, [np.flatnonzero(sample.is_complete) for sample in samples])
    by = {"first_items": places[0], "second_items": places[1], "confidence": options.confidence}
    return difference_of(statistic, first, second, scale, options, by)


def _of_concordance(
    samples: tuple[NumberSample, NumberSample], items: tuple[IntArray, IntArray], options: Options
) -> Difference:
    """Lin's concordance of two raters; by the jackknife, whatever the options ask for."""
    places = _items_of(items, [np.flatnonzero(sample.is_complete) for sample in samples])
    return concordance_difference(
        samples[0].complete,
        samples[1].complete,
        first_items=places[0],
        second_items=places[1],
        confidence=options.confidence,
    )


def _of_numbers(
    samples: tuple[NumberSample, NumberSample],
    items: tuple[IntArray, IntArray],
    level: Level,
    options: Options,
) -> Difference:
    if level is Level.RATIO and any((sample.values < 0).any() for sample in samples):
        return _undefined(Reason.NEGATIVE_VALUES)
    if reason := _why_undefined(samples):
        return _undefined(reason)
    return _difference(
        [number_alpha_statistic(sample, level) for sample in samples],
        [labelled_items(sample)[1] for sample in samples],
        items,
        options,
        # Ranks would be other ranks in each draw, and ratios of many numbers take too long.
        is_drawn=level in {Level.NOMINAL, Level.INTERVAL},
    )


def set_differences(
    samples: tuple[SetSample, SetSample], items: tuple[IntArray, IntArray], options: Options
) -> Found:
    """Alpha with both distances, and the mean similarities, of the first sample less those of the second."""
    places = _items_of(items, [_pairable_rows(sample) for sample in samples])
    units = [sample.labelled_items for sample in samples]
    reason = _why_undefined([sample.sample for sample in samples])
    first, second = (_set_statistics(sample) for sample in samples)
    return {
        name: flat_difference(
            _undefined(reason) if reason else _difference([first[name], second[name]], units, places, options)
        )
        for name in first
    }


def _set_statistics(sample: SetSample) -> dict[str, Statistic]:
    alphas = {
        "krippendorff_alpha": set_alpha_statistic(sample, SetDistance.MASI),
        "krippendorff_alpha_jaccard": set_alpha_statistic(sample, SetDistance.JACCARD),
    }
    return alphas | {each.name: each for each in similarity_statistics(sample)}


def _pairable_rows(sample: SetSample) -> IntArray:
    return np.flatnonzero(np.bincount(sample.labels[0], minlength=sample.ratings.n_items) >= 2)


def _items_of(items: tuple[IntArray, IntArray], rows: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    first, second = (np.asarray(some)[chosen] for some, chosen in zip(items, rows, strict=True))
    return first, second


def _why_undefined(samples: Sequence[Any]) -> Reason:
    """samples: with the sizes that `Sample` and `NumberSample` have."""
    for sample in samples:
        if not sample.pairable_size.n_items:
            return Reason.NO_OVERLAP if sample.size.n_items else Reason.NO_ITEMS
    return Reason.NONE


def _undefined(reason: Reason) -> Difference:
    return Difference(n_shared=0, n_first=0, n_second=0, method="", reason=reason)


def _difference(
    statistics: Sequence[Statistic],
    units: Sequence[LabelledItems],
    items: tuple[IntArray, IntArray],
    options: Options,
    *,
    is_drawn: bool = True,
) -> Difference:
    (first, second), (of_first, of_second) = statistics, units
    joint = join_items((first, second), (of_first, of_second), items)
    n_steps = options.replicates * sum(len(each.codes) for each in units)
    try:
        if options.is_bootstrap and is_drawn and n_steps <= MAX_STEPS:
            return bootstrap_joint_difference(
                joint,
                Scale(1),
                seed=options.seed,
                n_replicates=options.replicates,
                confidence=options.confidence,
            )
        return joint_difference(joint, Scale(1), confidence=options.confidence)
    except Undefined as undefined:
        return _undefined(undefined.reason)
