"""Our figures for all raters together."""

from functools import partial

import numpy as np

from reports.agreement.overall.chance_corrected import (
    BRENNAN_PREDIGER,
    FLEISS_KAPPA,
    GWET_AC,
    PERCENT_AGREEMENT,
)
from reports.agreement.overall.conger import CONGER_KAPPA
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA, WEIGHTED_ALPHA
from reports.agreement.overall.statistic import Statistic as OverallStatistic
from reports.agreement.overall.statistic import estimate
from tests.reference.conventions import with_t_limits
from tests.reference.data import MISSING, Dataset
from tests.reference.rows import Figures, NotComputedError, Options, Statistic, figures_of


def coefficient(dataset: Dataset, options: Options, *, statistic: OverallStatistic) -> Figures:
    if options.get("variance") in ("gwet_table_n", "fleiss1979_null"):
        raise NotComputedError(options["variance"])
    scale = dataset.scale(weights=options.get("weights", "none"), metric=options.get("metric", "nominal"))
    return figures_of(estimate(statistic, dataset.sample, scale))


def percent_agreement(dataset: Dataset, options: Options) -> Figures:
    if "convention" in options:
        return rating_weighted_agreement(dataset)
    return coefficient(dataset, options, statistic=PERCENT_AGREEMENT)


def rating_weighted_agreement(dataset: Dataset) -> Figures:
    """Every item counts by its number of labels: the means of items with 2, 3, … labels, weighted by their labels."""
    n_labels = (dataset.codes != MISSING).sum(axis=1)
    sizes = np.unique(n_labels[n_labels >= 2])
    labels = [size * np.count_nonzero(n_labels == size) for size in sizes]
    means = [
        coefficient(of_items(dataset, n_labels == size), {}, statistic=PERCENT_AGREEMENT).value
        for size in sizes
    ]
    value = float(np.average(means, weights=labels))
    return Figures(value=value, convention="mean over items weighted by their labels")


def of_items(dataset: Dataset, keep: np.ndarray) -> Dataset:
    """The data set with only some of its items, in the order of `items`."""
    kept = {item for item, is_kept in zip(dataset.items, keep, strict=True) if is_kept}
    return Dataset(
        name=dataset.name,
        raters=dataset.raters,
        labels=tuple(label for label in dataset.labels if label[0] in kept),
        categories=dataset.categories,
        is_numeric=dataset.is_numeric,
    )


def ac1(dataset: Dataset, options: Options) -> Figures:
    if "prevalence" not in options:
        return coefficient(dataset, options, statistic=GWET_AC)
    pairable = of_items(dataset, (dataset.codes != MISSING).sum(axis=1) >= 2)
    if (pairable.codes == MISSING).any():
        raise NotComputedError("prevalence pooled over items with unequal numbers of labels")
    value = coefficient(pairable, options, statistic=GWET_AC).value
    return Figures(value=value, convention="prevalence of pairable items only")


def alpha(dataset: Dataset, options: Options) -> Figures:
    is_weighted = options.get("weights", "none") != "none"
    figures = coefficient(dataset, options, statistic=WEIGHTED_ALPHA if is_weighted else KRIPPENDORFF_ALPHA)
    if "ci" in options and (dataset.sample.size != dataset.sample.pairable_size):
        return with_t_limits(figures, dataset.sample.size.n_items)
    return figures


FIGURES: dict[str, Statistic] = {
    "percent_agreement": percent_agreement,
    "fleiss_kappa": partial(coefficient, statistic=FLEISS_KAPPA),
    "conger_kappa": partial(coefficient, statistic=CONGER_KAPPA),
    "krippendorff_alpha": alpha,
    "brennan_prediger": partial(coefficient, statistic=BRENNAN_PREDIGER),
    "gwet_ac1": ac1,
    "gwet_ac2": partial(coefficient, statistic=GWET_AC),
}
