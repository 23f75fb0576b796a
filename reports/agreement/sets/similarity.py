"""Mean similarity of two sets of one item over items: percent agreement for sets."""

from functools import partial

import numpy as np

from reports.agreement.overall.label_differences import Difference, LabeledItems, PairwiseDifference
from reports.agreement.overall.linearised import linearised_interval
from reports.agreement.overall.statistic import estimate
from reports.agreement.results import Coefficient, FloatArray, IntArray
from reports.agreement.sample import Sample, Scale
from reports.agreement.sets.distances import BitSets
from reports.agreement.sets.members import SetSample
from reports.agreement.statistic import Statistic


def mean_similarities(sample: SetSample, *, confidence: float = 0.95) -> dict[str, Coefficient]:
    """The mean similarity of pairs of labels, over items with two or more labels, with a t interval.

    percent_agreement: 1 for identical sets, else 0. mean_jaccard: |A n B| / |A u B|. mean_masi: 1 - the MASI distance
    of Passonneau 2006. Each is 1 for two empty sets.
    Undefined: `no_items`; `no_overlap`.
    Source: Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed., for the mean over items and its error.
    """
    scale = Scale(len(sample.members))
    return {
        each.name: estimate(each, sample.sample, scale, confidence=confidence)
        for each in similarity_statistics(sample)
    }


def similarity_statistics(sample: SetSample) -> list[Statistic]:
    """Return the three as statistics of `sample.sample`."""
    sets = BitSets.of(sample.members)
    differences: dict[str, Difference] = {
        "percent_agreement": _unequal,
        "mean_jaccard": partial(_complement, sets.jaccard),
        "mean_masi": partial(_complement, sets.masi),
    }
    return [_statistic(name, sample, difference) for name, difference in differences.items()]


def _unequal(some: IntArray, others: IntArray) -> FloatArray:
    return (some != others).astype(np.float64)


def _complement(similarity: Difference, some: IntArray, others: IntArray) -> FloatArray:
    return 1 - similarity(some, others)


def _statistic(name: str, sample: SetSample, difference: Difference) -> Statistic:
    def item_similarity(items: LabeledItems) -> FloatArray:
        return 1 - PairwiseDifference(difference).within(items) / (items.n_labels * (items.n_labels - 1))

    def values(items: LabeledItems, scale: Scale, weights: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.einsum("bu,u->b", weights, item_similarity(items)) / weights.sum(axis=1)

    def item_values(items: LabeledItems, scale: Scale, value: float) -> FloatArray:
        return item_similarity(items)

    def units(of: Sample) -> LabeledItems:
        return sample.labeled_items

    return Statistic(
        name=name,
        units=units,
        values=values,
        item_values=item_values,
        interval=partial(linearised_interval, lowest=0.0),
        method=lambda scale: "item mean",
        lowest=0.0,
    )
