"""Our figure for each statistic of an example."""

from collections.abc import Callable
from functools import cache

import numpy as np

from reports.agreement.consensus.dawid_skene import DawidSkene, dawid_skene_of_labels
from reports.agreement.numbers.bland_altman import LimitsOfAgreement, limits_of_agreement
from reports.agreement.numbers.concordance import lin_concordance
from reports.agreement.numbers.icc import intraclass_correlations
from reports.agreement.numbers.kendall import kendall_w
from reports.agreement.numbers.pairs import all_number_pairs
from reports.agreement.overall.categories import by_category
from reports.agreement.overall.coefficients import overall
from reports.agreement.overall.fleiss_test import fleiss_zero
from reports.agreement.pairs import chance_corrected, homogeneity
from reports.agreement.pairs.cohen import cohen_kappa, kappa_null_se
from reports.agreement.pairs.tables import PairTables
from reports.agreement.planning.goodness_of_fit import items_for_fit_test, items_for_lower_limit
from reports.agreement.planning.kappa import items_for_kappa_test
from reports.agreement.reading.benchmark import probabilistic
from reports.agreement.reading.scales import SCALES
from reports.agreement.results import Coefficient, Estimates, PairKappa, SignificanceTests
from reports.agreement.sets.alpha import set_alpha
from reports.agreement.weights import weighting
from reports.published.examples import Example, examples

Compute = Callable[[], float | None]


def _kappa(example: Example, weights: str) -> PairKappa:
    return cohen_kappa(example.tables, example.scale(weights=weights).weighting).pair(0)


def pair_kappa(name: str, attribute: str = "kappa", *, weights: str = "unweighted") -> Compute:
    """kappa, se, observed or kappa_max of a table."""
    return lambda: getattr(_kappa(examples()[name], weights), attribute)


def pair_null_se(name: str, *, weights: str) -> Compute:
    def compute() -> float:
        example = examples()[name]
        return float(kappa_null_se(example.tables, example.scale(weights=weights).weighting)[0])

    return compute


PairEstimates = Callable[[PairTables], Estimates]
PAIR_COEFFICIENTS: dict[str, PairEstimates] = {
    "scott_pi": chance_corrected.scott_pi,
    "brennan_prediger": chance_corrected.brennan_prediger,
    "gwet_ac": chance_corrected.gwet_ac,
}


def pair_coefficient(name: str, coefficient: str, attribute: str = "value") -> Compute:
    def compute() -> float | None:
        example = examples()[name]
        tables = PairTables(example.tables, example.scale().weighting)
        found: float | None = getattr(PAIR_COEFFICIENTS[coefficient](tables).at(0), attribute)
        return found

    return compute


PAIR_TESTS: dict[str, Callable[[np.ndarray], SignificanceTests]] = {
    "bowker": homogeneity.bowker,
    "stuart_maxwell": homogeneity.stuart_maxwell,
    "bhapkar": homogeneity.bhapkar,
}


def pair_test(name: str, of: str) -> Compute:
    """The statistic of a test of both raters' totals."""
    return lambda: float(PAIR_TESTS[of](examples()[name].tables).statistic[0])


@cache
def _overall(name: str, level: str, weights: str) -> dict[str, Coefficient]:
    example = examples()[name]
    return overall(example.sample, example.scale(level=level, weights=weights))


def coefficient(
    name: str, of: str, attribute: str = "value", *, level: str = "nominal", weights: str = "unweighted"
) -> Compute:
    """value or se of a coefficient of all raters."""
    return lambda: getattr(_overall(name, level, weights)[of], attribute)


def fleiss_null_se(name: str) -> Compute:
    def compute() -> float:
        kappa = _overall(name, "nominal", "unweighted")["fleiss_kappa"].value
        return float(kappa / fleiss_zero(examples()[name].sample).statistic[0])

    return compute


def category(name: str, of: str, position: int) -> Compute:
    """A statistic of one category."""

    def compute() -> float | None:
        example = examples()[name]
        return by_category(example.sample, example.scale())[of].at(position).value

    return compute


def icc(name: str, of: str, attribute: str = "value") -> Compute:
    return lambda: getattr(intraclass_correlations(examples()[name].numbers)[of], attribute)


def concordance(name: str) -> Compute:
    return lambda: lin_concordance(all_number_pairs(examples()[name].numbers)).coefficient.at(0).value


def _limits(name: str) -> LimitsOfAgreement:
    return limits_of_agreement(all_number_pairs(examples()[name].numbers))


def limit(name: str, of: str) -> Compute:
    """bias, lower or upper."""
    return lambda: getattr(_limits(name), of).at(0).value


def limits_sd(name: str) -> Compute:
    return lambda: float(_limits(name).sd[0])


def concordance_of_ranks(name: str) -> Compute:
    return lambda: kendall_w(examples()[name].numbers).value


def alpha_of_sets(name: str, distance: str) -> Compute:
    return lambda: set_alpha(examples()[name].sets, distance).value


@cache
def _dawid_skene(name: str) -> DawidSkene:
    return dawid_skene_of_labels(examples()[name].repeated_labels)


def true_share(name: str, position: int) -> Compute:
    """The estimated share of a true category."""
    return lambda: float(_dawid_skene(name).prevalence[position])


def log_likelihood(name: str) -> Compute:
    return lambda: _dawid_skene(name).log_likelihood


def kappa_items(
    margins: list[float], kappa: float, null: float, *, power: float = 0.8, n_sides: int = 2
) -> Compute:
    def compute() -> float:
        weights = weighting("unweighted", n_categories=len(margins))
        return items_for_kappa_test(
            margins, margins, weights, kappa=kappa, null=null, power=power, n_sides=n_sides
        ).n_items

    return compute


def fit_items(prevalence: list[float], kappa: float, null: float) -> Compute:
    return lambda: items_for_fit_test(prevalence, kappa=kappa, null=null).n_items


def limit_items(prevalence: list[float], kappa: float, lower: float) -> Compute:
    return lambda: items_for_lower_limit(prevalence, kappa=kappa, lower=lower).n_items


def certainty(value: float, se: float, scale: str, place: int) -> Compute:
    """The probability of one of the best classes, by Gwet's benchmarking."""
    return lambda: probabilistic(value, se, SCALES[scale]).cumulative[place]
