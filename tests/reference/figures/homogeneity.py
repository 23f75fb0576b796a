"""Our tests of whether two raters use the categories alike."""

from collections.abc import Callable
from functools import partial

from scipy.special import chdtrc

from reports.agreement.pairs import homogeneity
from reports.agreement.results import IntArray, SignificanceTests
from tests.reference.data import Dataset
from tests.reference.rows import Figures, Options, Statistic

Test = Callable[[IntArray], SignificanceTests]


def mcnemar(dataset: Dataset, options: Options) -> SignificanceTests:
    return homogeneity.mcnemar(
        dataset.table()[None],
        exact=options.get("exact", False),
        corrected=options.get("correct", False),
    )


def mcnemar_statistic(dataset: Dataset, options: Options) -> Figures:
    return Figures(value=float(mcnemar(dataset, options).statistic[0]))


def mcnemar_p(dataset: Dataset, options: Options) -> Figures:
    return Figures(value=float(mcnemar(dataset, options).p_value[0]))


def statistic(dataset: Dataset, options: Options, *, test: Test) -> Figures:
    return Figures(value=float(test(dataset.table()[None]).statistic[0]))


def p_value(dataset: Dataset, options: Options, *, test: Test) -> Figures:
    """Some count pairs of categories among the degrees of freedom that have no items at all."""
    found = test(dataset.table()[None])
    if found.df[0] == options["df"]:
        return Figures(value=float(found.p_value[0]))
    p = float(chdtrc(options["df"], found.statistic[0]))
    return Figures(value=p, convention="degrees of freedom of empty pairs of categories too")


FIGURES: dict[str, Statistic] = {"mcnemar_chi2": mcnemar_statistic, "mcnemar_p": mcnemar_p}
for name in ("bowker", "stuart_maxwell", "bhapkar"):
    FIGURES[f"{name}_chi2"] = partial(statistic, test=getattr(homogeneity, name))
    FIGURES[f"{name}_p"] = partial(p_value, test=getattr(homogeneity, name))
