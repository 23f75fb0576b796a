"""Our figures for a rater against a reference."""

from functools import partial

from reports.agreement.pairs.reference import ReferenceAgreement, against_reference
from tests.reference.data import Dataset
from tests.reference.rows import Figures, Options, Statistic, figures_of


def agreement(dataset: Dataset, options: Options) -> ReferenceAgreement:
    table = dataset.table((options["rater"], options["gold"]))
    return against_reference(table[None])


def of_category(dataset: Dataset, options: Options, *, name: str) -> Figures:
    category = dataset.categories.index(options["positive"])
    return figures_of(getattr(agreement(dataset, options), name).at(0, category))


def of_all(dataset: Dataset, options: Options, *, name: str) -> Figures:
    return figures_of(getattr(agreement(dataset, options), name).at(0))


FIGURES: dict[str, Statistic] = {
    "tpr_hit_rate": partial(of_category, name="recall"),
    "tnr_specificity": partial(of_category, name="specificity"),
    "ppv_precision": partial(of_category, name="precision"),
    "f1": partial(of_category, name="f1"),
    "balanced_accuracy": partial(of_all, name="balanced_accuracy"),
    "mcc": partial(of_all, name="matthews"),
}
