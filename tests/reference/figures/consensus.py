"""Our figures for the consensus of raters."""

from functools import cache

import numpy as np

from reports.agreement.consensus.dawid_skene import DawidSkene, dawid_skene_of_labels
from reports.agreement.consensus.item_labels import ItemLabels
from tests.reference.data import Dataset
from tests.reference.rows import Figures, Options, Statistic


def observer_of(rater: str) -> str:
    """obs1 for obs1_t1: one observer labeled every item three times."""
    return rater.split("_")[0]


@cache
def estimates(dataset: Dataset) -> DawidSkene:
    observers = list(dict.fromkeys(map(observer_of, dataset.raters)))
    return dawid_skene_of_labels(
        ItemLabels(
            items=np.array([dataset.items.index(item) for item, _, _ in dataset.labels]),
            raters=np.array([observers.index(observer_of(rater)) for _, rater, _ in dataset.labels]),
            codes=np.array([dataset.categories.index(label) for _, _, label in dataset.labels]),
            n_items=len(dataset.items),
            n_raters=len(observers),
            n_categories=len(dataset.categories),
        )
    )


def prevalence(dataset: Dataset, options: Options) -> Figures:
    return Figures(value=float(estimates(dataset).prevalence[dataset.categories.index(options["category"])]))


def error_rate(dataset: Dataset, options: Options) -> Figures:
    observers = list(dict.fromkeys(map(observer_of, dataset.raters)))
    row, column = (dataset.categories.index(options[name]) for name in ("true", "observed"))
    return Figures(value=float(estimates(dataset).confusion[observers.index(options["worker"]), row, column]))


def log_likelihood(dataset: Dataset, _: Options) -> Figures:
    return Figures(value=estimates(dataset).log_likelihood)


FIGURES: dict[str, Statistic] = {
    "dawid_skene_log_likelihood": log_likelihood,
    "dawid_skene_prevalence": prevalence,
    "dawid_skene_error_rate": error_rate,
}
