"""Our figures for numbers."""

from functools import partial

import numpy as np

from reports.agreement.numbers.bland_altman import LimitsOfAgreement, limits_of_agreement
from reports.agreement.numbers.concordance import Concordances, lin_concordance
from reports.agreement.numbers.icc import intraclass_correlations
from reports.agreement.numbers.kendall import kendall_w, kendall_w_zero
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.pairs import NumberPairs, all_number_pairs
from tests.reference.conventions import with_even_t_limits, with_z_limits
from tests.reference.data import Dataset
from tests.reference.rows import Figures, Options, Statistic, figures_of


def pair_of(dataset: Dataset, options: Options) -> NumberPairs:
    """The two raters of the row, in its order."""
    columns = [dataset.raters.index(rater) for rater in options["raters"]]
    return all_number_pairs(NumberSample(dataset.numbers[:, columns]))


def icc(dataset: Dataset, options: Options) -> Figures:
    name = options["type"].lower().translate(str.maketrans({"(": "_", ",": "_", ")": ""}))
    return figures_of(intraclass_correlations(NumberSample(dataset.numbers))[name])


def limits(dataset: Dataset, options: Options) -> LimitsOfAgreement:
    return limits_of_agreement(pair_of(dataset, options))


def limit(dataset: Dataset, options: Options, *, name: str) -> Figures:
    figures = figures_of(getattr(limits(dataset, options), name).at(0))
    if options.get("ci") == "bland_altman_1999_t" and name != "bias":
        n_items = int(pair_of(dataset, options).n[0])
        return with_even_t_limits(figures, n_items, convention="approximate limits of Bland & Altman 1999")
    return figures


def difference_sd(dataset: Dataset, options: Options) -> Figures:
    return Figures(value=float(limits(dataset, options).sd[0]))


def concordance(dataset: Dataset, options: Options) -> Concordances:
    return lin_concordance(pair_of(dataset, options))


def lin_ccc(dataset: Dataset, options: Options) -> Figures:
    figures = figures_of(concordance(dataset, options).coefficient.at(0))
    if options["ci"] == "asymptotic":
        return with_z_limits(figures, convention="normal limits of rho_c itself")
    return figures


def bias_correction(dataset: Dataset, options: Options) -> Figures:
    return Figures(value=float(concordance(dataset, options).bias_correction[0]))


def w(dataset: Dataset, options: Options) -> Figures:
    sample = NumberSample(dataset.numbers)
    value = kendall_w(sample).value
    if options["ties"] == "corrected":
        return Figures(value=value)
    n, m = sample.complete.shape
    ties = sum(
        int(((sizes := np.unique(column, return_counts=True)[1]) ** 3 - sizes).sum())
        for column in sample.complete.T
    )
    largest = m * m * (n**3 - n)
    return Figures(value=value * (largest - m * ties) / largest, convention="W not corrected for ties")


def w_chi_squared(dataset: Dataset, options: Options) -> Figures:
    found = kendall_w_zero(NumberSample(dataset.numbers))
    assert found.df[0] == options["df"]
    return Figures(value=float(found.statistic[0]))


FIGURES: dict[str, Statistic] = {
    "icc": icc,
    "bland_altman_bias": partial(limit, name="bias"),
    "bland_altman_loa_lower": partial(limit, name="lower"),
    "bland_altman_loa_upper": partial(limit, name="upper"),
    "bland_altman_sd": difference_sd,
    "lin_ccc": lin_ccc,
    "lin_ccc_bias_correction_Cb": bias_correction,
    "kendall_w": w,
    "kendall_w_chi2": w_chi_squared,
}
