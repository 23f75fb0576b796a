"""Our figures for two raters, from their table of counts."""

from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import PairKappa
from tests.reference.conventions import cohen_1960_se, with_t_limits, with_z_limits
from tests.reference.data import Dataset
from tests.reference.rows import Figures, NotComputedError, Options, Statistic


def kappa_of(dataset: Dataset, options: Options) -> PairKappa:
    table = dataset.table(options.get("raters"))
    scale = dataset.scale(weights=options.get("weights", "none"))
    return cohen_kappa(table[None], scale.weighting).pair(0)


def kappa(dataset: Dataset, options: Options) -> Figures:
    if options["variance"] == "fce_null":
        raise NotComputedError("null error")
    found = kappa_of(dataset, options)
    figures = Figures(value=found.kappa, se=found.se, low=found.ci_low, high=found.ci_high)
    if options["variance"] == "cohen1960":
        se = cohen_1960_se(found.observed, found.expected, found.n)
        return with_z_limits(Figures(value=found.kappa, se=se), convention="error of Cohen 1960")
    if options.get("ci") == "t_n-1_upper_clipped_1":
        return with_t_limits(figures, found.n)
    if found.ci_low == -1 or found.ci_high == 1:
        return with_z_limits(figures, convention="limits beyond -1 and 1")
    return figures


def kappa_max(dataset: Dataset, options: Options) -> Figures:
    return Figures(value=kappa_of(dataset, options).kappa_max)


FIGURES: dict[str, Statistic] = {"cohen_kappa": kappa, "cohen_kappa_max": kappa_max}
