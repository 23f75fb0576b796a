"""Our figures for all raters together."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.overall.agreeing import (
    ALL_AGREE,
    PERCENT_AGREEMENT_BY_LABELS,
    PERCENT_AGREEMENT_BY_PAIRS,
)
from reports.agreement.overall.category_agreement import by_category
from reports.agreement.overall.chance_corrected import (
    BRENNAN_PREDIGER,
    FLEISS_KAPPA,
    GWET_AC,
    PERCENT_AGREEMENT,
)
from reports.agreement.overall.conger import CONGER_KAPPA
from reports.agreement.overall.fleiss_test import fleiss_zero, fleiss_zero_by_category
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA, WEIGHTED_ALPHA
from reports.agreement.overall.light import LIGHT_KAPPA
from reports.agreement.overall.statistic import estimate
from reports.agreement.statistic import Statistic as OverallStatistic
from tests.reference.conventions import with_gwet_error, with_se_over_n, with_t_limits
from tests.reference.data import MISSING, Dataset
from tests.reference.figures import two_raters
from tests.reference.rows import Figures, NotComputedError, Options, Statistic, figures_of

# Errors of the two raters' table rather than of items.
TABLE = "gwet_table_n"
NULL = "fleiss1979_null"

# Whose error counts items with a single label, as other programs compute it.
OF_SINGLE = (PERCENT_AGREEMENT, FLEISS_KAPPA, BRENNAN_PREDIGER, GWET_AC, CONGER_KAPPA)

CONVENTIONS = {
    None: PERCENT_AGREEMENT,
    "rating_weighted (=1-Do of alpha)": PERCENT_AGREEMENT_BY_LABELS,
    "pair_pooled": PERCENT_AGREEMENT_BY_PAIRS,
}


def coefficient(dataset: Dataset, options: Options, *, statistic: OverallStatistic) -> Figures:
    if options.get("variance") == TABLE:
        return two_raters.coefficient(dataset, options, name=statistic.name)
    scale = dataset.scale(weights=options.get("weights", "none"), metric=options.get("metric", "nominal"))
    figures = figures_of(estimate(statistic, dataset.sample, scale))
    if options.get("variance") == "gwet_unconditional" and statistic in OF_SINGLE:
        return with_gwet_error(figures, statistic, dataset.sample, scale)
    return figures


def percent_agreement(dataset: Dataset, options: Options) -> Figures:
    """By the row's convention: how much an item counts, and t limits where ours are Wilson's."""
    figures = coefficient(dataset, options, statistic=CONVENTIONS[options.get("convention")])
    is_by_t = "ci" in options and figures.se is not None and options.get("variance") != TABLE
    return with_t_limits(figures, dataset.sample.size.n_items) if is_by_t else figures


def fleiss_kappa(dataset: Dataset, options: Options) -> Figures:
    # The errors of tables are those of Scott's pi.
    by_items = options | ({"variance": ""} if options.get("variance") == TABLE else {})
    figures = coefficient(dataset, by_items, statistic=FLEISS_KAPPA)
    if options.get("variance") != NULL:
        return figures
    return Figures(value=figures.value, se=figures.value / float(fleiss_zero(dataset.sample).statistic[0]))


def of_category(dataset: Dataset, options: Options, *, name: str) -> Figures:
    """A figure of one category; Fleiss' kappa of it has an error for the test that it is 0."""
    category = dataset.categories.index(options["category"])
    figures = figures_of(by_category(dataset.sample, dataset.scale())[name].at(category))
    if options.get("variance") != NULL:
        return figures
    z = float(fleiss_zero_by_category(dataset.sample).statistic[category])
    return Figures(value=figures.value, se=figures.value / z)


def ac1(dataset: Dataset, options: Options) -> Figures:
    if "prevalence" not in options:
        return coefficient(dataset, options, statistic=GWET_AC)
    pairable = of_items(dataset, (dataset.codes != MISSING).sum(axis=1) >= 2)
    if (pairable.codes == MISSING).any():
        raise NotComputedError("prevalence pooled over items with unequal numbers of labels")
    value = coefficient(pairable, options, statistic=GWET_AC).value
    return Figures(value=value, convention="prevalence of pairable items only")


def of_items(dataset: Dataset, keep: NDArray[np.bool_]) -> Dataset:
    """The data set with only some of its items, in the order of `items`."""
    kept = {item for item, is_kept in zip(dataset.items, keep, strict=True) if is_kept}
    return Dataset(
        name=dataset.name,
        raters=dataset.raters,
        labels=tuple(label for label in dataset.labels if label[0] in kept),
        categories=dataset.categories,
        is_numeric=dataset.is_numeric,
    )


def alpha(dataset: Dataset, options: Options) -> Figures:
    is_weighted = options.get("weights", "none") != "none"
    is_of_table = options.get("variance") == TABLE
    if is_of_table and not is_weighted:
        return two_raters.alpha(dataset, options)
    statistic = WEIGHTED_ALPHA if is_weighted else KRIPPENDORFF_ALPHA
    figures = coefficient(dataset, {**options, "variance": ""}, statistic=statistic)
    n_items = dataset.sample.size.n_items
    if is_of_table:
        return with_t_limits(with_se_over_n(figures, n_items), n_items)
    if "ci" in options and dataset.sample.size != dataset.sample.pairable_size:
        return with_t_limits(figures, n_items)
    return figures


def alpha_jackknife_se(dataset: Dataset, options: Options) -> Figures:
    scale = dataset.scale(metric=options["metric"])
    return Figures(value=jackknife(KRIPPENDORFF_ALPHA, dataset.sample, scale).se)


FIGURES: dict[str, Statistic] = {
    "percent_agreement": percent_agreement,
    "percent_agreement_all_raters": partial(coefficient, statistic=ALL_AGREE),
    "specific_agreement_category": partial(of_category, name="specific_agreement"),
    "fleiss_kappa": fleiss_kappa,
    "fleiss_kappa_category": partial(of_category, name="fleiss_kappa"),
    "conger_kappa": partial(coefficient, statistic=CONGER_KAPPA),
    "light_kappa": partial(coefficient, statistic=LIGHT_KAPPA),
    "krippendorff_alpha": alpha,
    "krippendorff_alpha_jackknife_se": alpha_jackknife_se,
    "brennan_prediger": partial(coefficient, statistic=BRENNAN_PREDIGER),
    "gwet_ac1": ac1,
    "gwet_ac2": partial(coefficient, statistic=GWET_AC),
}
