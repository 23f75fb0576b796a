"""Our figures for two raters, from their table of counts."""

from functools import partial

from reports.agreement.pairs import chance_corrected, indices
from reports.agreement.pairs.cohen import cohen_kappa, kappa_null_se
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.pairs.krippendorff import krippendorff_alpha
from reports.agreement.pairs.specific import specific_agreement
from reports.agreement.results import FITTED, PairKappa, kappa_method
from tests.reference.conventions import (
    as_of_independent_shares,
    cohen_1960_se,
    doubled_exact_limits,
    with_se_over_n,
    with_t_limits,
    with_z_limits,
)
from tests.reference.data import Dataset
from tests.reference.rows import Figures, Options, Statistic, figures_of


def tables_of(dataset: Dataset, options: Options) -> PairTables:
    table = dataset.table(options.get("raters"))
    return PairTables(table[None], dataset.scale(weights=options.get("weights", "none")).weighting)


def kappa_of(dataset: Dataset, options: Options) -> PairKappa:
    tables = tables_of(dataset, options)
    return cohen_kappa(tables.counts, tables.weighting).pair(0)


def kappa(dataset: Dataset, options: Options) -> Figures:
    found = kappa_of(dataset, options)
    figures = Figures(value=found.kappa, se=found.se, low=found.ci_low, high=found.ci_high)
    if options["variance"] == "cohen1960":
        se = cohen_1960_se(found.observed, found.expected, found.n)
        return with_z_limits(Figures(value=found.kappa, se=se), convention="error of Cohen 1960")
    if options["variance"] == "fce_null":
        return null_kappa(dataset, options, found.kappa)
    if options.get("ci") == "t_n-1_upper_clipped_1":
        return with_t_limits(figures, found.n)
    if found.ci_low is not None and kappa_method(found.kappa, found.ci_low, found.ci_high) == FITTED:
        return with_z_limits(figures, convention="normal limits where ours are of the goodness of fit")
    if found.ci_low == -1 or found.ci_high == 1:
        return with_z_limits(figures, convention="limits beyond -1 and 1")
    return figures


def null_kappa(dataset: Dataset, options: Options, value: float) -> Figures:
    """Kappa with the error for the test that it is 0, which some take for an interval too."""
    tables = tables_of(dataset, options)
    figures = Figures(value=value, se=float(kappa_null_se(tables.counts, tables.weighting)[0]))
    if "ci" not in options:
        return figures
    return with_z_limits(figures, convention="interval from the error for the test of kappa = 0")


def kappa_max(dataset: Dataset, options: Options) -> Figures:
    return Figures(value=kappa_of(dataset, options).kappa_max)


COEFFICIENTS = {
    "scott_pi": chance_corrected.scott_pi,
    "brennan_prediger": chance_corrected.brennan_prediger,
    "gwet_ac1": chance_corrected.gwet_ac,
    "gwet_ac2": chance_corrected.gwet_ac,
}


def coefficient(dataset: Dataset, options: Options, *, name: str) -> Figures:
    tables = tables_of(dataset, options)
    figures = figures_of(COEFFICIENTS[name](tables).at(0))
    return with_t_limits(figures, int(tables.n[0])) if "ci" in options else figures


def alpha(dataset: Dataset, options: Options) -> Figures:
    counts = tables_of(dataset, options).counts
    n = int(counts.sum())
    figures = figures_of(krippendorff_alpha(counts, dataset.scale()).at(0))
    return with_t_limits(with_se_over_n(figures, n), n)


def index(dataset: Dataset, options: Options, *, name: str) -> Figures:
    """Prevalence or bias index; the rows' limits take the two shares for those of different items."""
    counts = tables_of(dataset, options).counts
    figures = figures_of(getattr(indices, name)(counts).at(0))
    (a, b), (c, d) = counts[0].tolist()
    shares = {"prevalence_index": (a, d), "bias_index": (a + b, a + c)}[name]
    return as_of_independent_shares(figures, *shares, int(counts.sum()))


def pabak(dataset: Dataset, options: Options) -> Figures:
    tables = tables_of(dataset, options)
    n = int(tables.n[0])
    agreement = chance_corrected.percent_agreement(tables).at(0).value
    if tables.counts.shape[1] > 2:
        return Figures(value=2 * agreement - 1, convention="2 po - 1 for more than two categories")
    figures = figures_of(indices.pabak(tables.counts).at(0))
    return doubled_exact_limits(figures, round(agreement * n), n)


def specific(dataset: Dataset, options: Options, *, category: int) -> Figures:
    found = specific_agreement(tables_of(dataset, options).counts)
    return figures_of(found.at(0, category))


FIGURES: dict[str, Statistic] = {
    "cohen_kappa": kappa,
    "cohen_kappa_max": kappa_max,
    "scott_pi": partial(coefficient, name="scott_pi"),
    "prevalence_index": partial(index, name="prevalence_index"),
    "bias_index": partial(index, name="bias_index"),
    "pabak": pabak,
    "positive_agreement": partial(specific, category=0),
    "negative_agreement": partial(specific, category=1),
}
