"""Krippendorff's alpha of sets of categories."""

from functools import partial

from reports.agreement.overall.label_differences import (
    Difference,
    LabeledItems,
    PairwiseDifference,
    alpha_of_labels,
    item_alpha_of_labels,
)
from reports.agreement.overall.statistic import estimate
from reports.agreement.results import Coefficient, FloatArray, IntArray
from reports.agreement.sample import Sample, Scale
from reports.agreement.sets.distances import BitSets, SetDistance, similarity_of
from reports.agreement.sets.members import SetSample
from reports.agreement.statistic import Statistic


def set_alpha(sample: SetSample, distance: SetDistance | str, *, confidence: float = 0.95) -> Coefficient:
    """Krippendorff's alpha of sets, with a t interval over items.

    Over items with two or more labels: alpha = 1 - (N - 1) sum o_ck d_ck / sum n_c n_k d_ck, where c and k are sets.
    d: jaccard 1 - |A n B| / |A u B|; masi 1 - J M with the M of Passonneau (1, 2/3, 1/3, 0); 0 for two empty sets.
    Undefined: `no_items`; `no_overlap`; `no_variation`, all sets equal.
    Sources: Krippendorff 2011, Computing Krippendorff's alpha-reliability; Passonneau 2006, LREC; the error: Gwet 2011,
    On the Krippendorff's alpha coefficient.
    """
    statistic = set_alpha_statistic(sample, SetDistance(distance))
    return estimate(statistic, sample.sample, Scale(len(sample.members)), confidence=confidence)


def set_alpha_statistic(sample: SetSample, distance: SetDistance) -> Statistic:
    """Return alpha as a statistic of `sample.sample`, whose categories are the distinct sets."""
    differences = PairwiseDifference(_difference(BitSets.of(sample.members), distance))

    def units(of: Sample) -> LabeledItems:
        return sample.labeled_items

    return Statistic(
        name=f"krippendorff_alpha_{distance}",
        units=units,
        values=partial(alpha_of_labels, differences=differences),
        item_values=partial(item_alpha_of_labels, differences=differences),
        method=lambda scale: str(distance),
    )


def _difference(sets: BitSets, distance: SetDistance) -> Difference:
    similarity = similarity_of(sets, distance)

    def difference(some: IntArray, others: IntArray) -> FloatArray:
        return 1 - similarity(some, others)

    return difference
