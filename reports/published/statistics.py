"""The functions that compute each statistic of an example."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from reports.agreement.consensus.dawid_skene import DawidSkene, dawid_skene_of_labels
from reports.agreement.interpretation.benchmark import probabilistic
from reports.agreement.interpretation.scales import SCALES
from reports.agreement.numbers.bland_altman import LimitsOfAgreement, limits_of_agreement
from reports.agreement.numbers.concordance import lin_concordance
from reports.agreement.numbers.icc import intraclass_correlations
from reports.agreement.numbers.kendall import kendall_w
from reports.agreement.numbers.pairs import all_number_pairs
from reports.agreement.overall.category_agreement import by_category
from reports.agreement.overall.coefficients import overall
from reports.agreement.overall.fleiss_test import fleiss_zero
from reports.agreement.pairs import chance_corrected, homogeneity
from reports.agreement.pairs.cohen import cohen_kappa, kappa_null_se
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.planning.goodness_of_fit import items_for_fit_test, items_for_lower_limit
from reports.agreement.planning.kappa import items_for_kappa_test
from reports.agreement.results import Coefficient, Estimates, SignificanceTests
from reports.agreement.sets.alpha import set_alpha
from reports.agreement.weights import weighting
from reports.published.examples import Example

Statistic = Callable[..., float | None]
# By name, as used in printed_figures.toml; each takes an example and the arguments given there.
STATISTICS: dict[str, Statistic] = {}


def statistic(function: Statistic) -> Statistic:
    STATISTICS[function.__name__] = function
    return function


@statistic
def pair_kappa(example: Example, *, of: str = "kappa", weights: str = "unweighted") -> float | None:
    """Return kappa, se, observed, or kappa_max of a table, by the name in `of`."""
    return _number(cohen_kappa(example.tables, example.scale(weights=weights).weighting).pair(0), of)


@statistic
def pair_null_se(example: Example, *, weights: str) -> float:
    return float(kappa_null_se(example.tables, example.scale(weights=weights).weighting)[0])


PAIR_COEFFICIENTS: dict[str, Callable[[PairTables], Estimates]] = {
    "scott_pi": chance_corrected.scott_pi,
    "brennan_prediger": chance_corrected.brennan_prediger,
    "gwet_ac": chance_corrected.gwet_ac,
}


@statistic
def pair_coefficient(example: Example, *, of: str) -> float | None:
    return PAIR_COEFFICIENTS[of](PairTables(example.tables, example.scale().weighting)).at(0).value


PAIR_TESTS: dict[str, Callable[[np.ndarray], SignificanceTests]] = {
    "bowker": homogeneity.bowker,
    "stuart_maxwell": homogeneity.stuart_maxwell,
    "bhapkar": homogeneity.bhapkar,
}


@statistic
def pair_test(example: Example, *, of: str) -> float:
    """Return the statistic of a test of the raters' marginals."""
    return float(PAIR_TESTS[of](example.tables).statistic[0])


@cache
def _overall(example: Example, level: str, weights: str) -> dict[str, Coefficient]:
    return overall(example.sample, example.scale(level=level, weights=weights))


@statistic
def coefficient(
    example: Example,
    *,
    of: str,
    attribute: str = "value",
    level: str = "nominal",
    weights: str = "unweighted",
) -> float | None:
    """Return an overall coefficient. attribute: value or se."""
    return _number(_overall(example, level, weights)[of], attribute)


@statistic
def fleiss_null_se(example: Example) -> float:
    kappa = _overall(example, "nominal", "unweighted")["fleiss_kappa"].value
    return float(kappa / fleiss_zero(example.sample).statistic[0])


@statistic
def category(example: Example, *, of: str, category: str) -> float | None:
    """Return a statistic of one category."""
    return by_category(example.sample, example.scale())[of].at(example.categories.index(category)).value


@statistic
def icc(example: Example, *, of: str, attribute: str = "value") -> float | None:
    return _number(intraclass_correlations(example.numbers)[of], attribute)


@statistic
def concordance(example: Example) -> float | None:
    return lin_concordance(all_number_pairs(example.numbers)).coefficient.at(0).value


def _limits(example: Example) -> LimitsOfAgreement:
    return limits_of_agreement(all_number_pairs(example.numbers))


@statistic
def limit(example: Example, *, of: str) -> float | None:
    """Return a limit of agreement. of: bias, lower, or upper."""
    estimates: Estimates = getattr(_limits(example), of)
    return estimates.at(0).value


@statistic
def limits_sd(example: Example) -> float:
    return float(_limits(example).sd[0])


@statistic
def concordance_of_ranks(example: Example) -> float | None:
    return kendall_w(example.numbers).value


@statistic
def alpha_of_sets(example: Example, *, distance: str) -> float | None:
    return set_alpha(example.sets, distance).value


@cache
def _dawid_skene(example: Example) -> DawidSkene:
    return dawid_skene_of_labels(example.repeated_labels)


@statistic
def true_share(example: Example, *, category: str) -> float:
    """Return the estimated share of a true category."""
    return float(_dawid_skene(example).prevalence[example.categories.index(category)])


@statistic
def kappa_items(
    _: Example, *, margins: list[float], kappa: float, null: float, power: float = 0.8, n_sides: int = 2
) -> float:
    weights = weighting("unweighted", n_categories=len(margins))
    return items_for_kappa_test(
        margins, margins, weights, kappa=kappa, null=null, power=power, n_sides=n_sides
    ).n_items


@statistic
def fit_items(_: Example, *, prevalence: list[float], kappa: float, null: float) -> float:
    return items_for_fit_test(prevalence, kappa=kappa, null=null).n_items


@statistic
def limit_items(_: Example, *, prevalence: list[float], kappa: float, lower: float) -> float:
    return items_for_lower_limit(prevalence, kappa=kappa, lower=lower).n_items


@statistic
def certainty(_: Example, *, value: float, se: float, scale: str, word: str) -> float:
    """Return the probability of this class or a better one, by Gwet's benchmarking."""
    found = probabilistic(value, se, SCALES[scale])
    return found.cumulative[found.words.index(word)]


def _number(found: Any, attribute: str) -> float | None:
    number: float | None = getattr(found, attribute)
    return number
