"""Our figures for sets of categories."""

import numpy as np

from reports.agreement.overall.label_differences import Difference, PairwiseDifference, alpha_of_labels
from reports.agreement.results import FloatArray, IntArray
from reports.agreement.sample import Scale
from reports.agreement.sets.alpha import set_alpha
from reports.agreement.sets.distances import BitSets
from reports.agreement.sets.members import SetSample
from tests.reference.data import Dataset
from tests.reference.rows import Figures, NotComputedError, Options, Statistic, figures_of

EMPTY = "{}"
PASSONNEAU = "1 - J*M, M in {1,2/3,1/3,0} (Passonneau 2006)"


def sample_of_sets(dataset: Dataset) -> SetSample:
    """Labels such as "A|B", or {} for the empty set."""
    chosen = [set() if label == EMPTY else set(label.split("|")) for _, _, label in dataset.labels]
    categories = sorted(set().union(*chosen))
    return SetSample.from_labels(
        [dataset.items.index(item) for item, _, _ in dataset.labels],
        [dataset.raters.index(rater) for _, rater, _ in dataset.labels],
        [[category in each for category in categories] for each in chosen],
    )


def alpha(dataset: Dataset, options: Options) -> Figures:
    sample = sample_of_sets(dataset)
    name = options.get("masi", options["metric"])
    if name in ("jaccard", PASSONNEAU):
        return figures_of(set_alpha(sample, options["metric"]))
    if name not in DISTANCES:
        raise NotComputedError(name)
    items = sample.labeled_items
    every_item_once = np.ones((1, len(items.starts)))
    distance = PairwiseDifference(DISTANCES[name](BitSets.of(sample.members)))
    value = alpha_of_labels(items, Scale(len(sample.members)), every_item_once, differences=distance)[0]
    return Figures(value=float(value), convention=f"our alpha with the row's distance, {name}")


def rounded_masi(sets: BitSets) -> Difference:
    """MASI with .67 and .33 in the place of thirds."""

    def distance(some: IntArray, others: IntArray) -> FloatArray:
        jaccard, monotony = factors(sets, some, others)
        return 1 - jaccard * np.round(monotony, 2)

    return distance


def product_of_both(sets: BitSets) -> Difference:
    """(1 - J)(1 - M)."""

    def distance(some: IntArray, others: IntArray) -> FloatArray:
        jaccard, monotony = factors(sets, some, others)
        return (1 - jaccard) * (1 - monotony)

    return distance


def steps_of_sets(sets: BitSets) -> Difference:
    """0 for equal sets, 1/3 where one holds the other, the empty set too, 2/3 for an overlap, 1 for none."""

    def distance(some: IntArray, others: IntArray) -> FloatArray:
        shared, sizes = sets.shared(some, others), (sets.sizes[some], sets.sizes[others])
        holds = shared == np.minimum(*sizes)
        is_equal = holds & (sizes[0] == sizes[1])
        return np.select([is_equal, holds, shared > 0], [0, 1 / 3, 2 / 3], default=1.0)

    return distance


def factors(sets: BitSets, some: IntArray, others: IntArray) -> tuple[FloatArray, FloatArray]:
    """J, and the M of MASI: 1 for equal sets, 2/3 where one holds the other, 1/3 for an overlap, 0 for none."""
    return sets.jaccard(some, others), 1 - steps_of_sets(sets)(some, others)


DISTANCES = {
    "1 - J*M, M in {1,0.67,0.33,0} (nltk constants)": rounded_masi,
    "(1-J)*(1-M) (DKPro 2.x)": product_of_both,
    "dkpro_set_distance": steps_of_sets,
}

FIGURES: dict[str, Statistic] = {"set_alpha": alpha}
