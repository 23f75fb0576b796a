"""Figures of plans, scales of reading and simulated intervals for the examples; the data are named numbers."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from reports.agreement.interpretation.benchmark import probabilistic
from reports.agreement.interpretation.scales import SCALES
from reports.agreement.overall.chance_corrected import FLEISS_KAPPA, GWET_AC
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA, WEIGHTED_ALPHA
from reports.agreement.pairs.cohen import kappa_with_normal_interval
from reports.agreement.planning.curve import prevalence_curve
from reports.agreement.planning.guessing import model_for
from reports.agreement.planning.icc import IccForm, IccStudy, items_for_icc_width
from reports.agreement.planning.items_needed import ItemsNeeded
from reports.agreement.planning.kappa import items_for_kappa_test, items_for_kappa_width
from reports.agreement.planning.latent_class import LatentClassModel, by_accuracy, by_sensitivity
from reports.agreement.planning.sets import scale_of_sets
from reports.agreement.planning.simulation import Simulation, items_for_power, items_for_width
from reports.agreement.sample import Scale
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level, weighting
from tests.docs.examples import Data
from tests.reports.agreement.coverage.drawing import Coverage, Population
from tests.reports.agreement.coverage.intervals import (
    SEED,
    of_all_raters,
    of_bootstrap,
    of_iccs,
    of_incomplete_iccs,
    of_kappa,
)


def plan(data: Data, label: str) -> str:
    return f"{_items(data, label).n_items} items"


def _items(data: Data, label: str) -> ItemsNeeded:
    if label == "Alpha with MASI, width":
        return _of_sets(data.keyed)
    given = {key: [float(word) for word in words] for key, words in data.keyed.items()}
    shares = given.get("margins", [0.5, 0.5])
    scheme = weighting("unweighted", n_categories=len(shares))
    kappa = given.get("kappa", [0.5])[0]
    if label in ICCS:
        study = IccStudy(
            icc=given["ICC"][0],
            n_raters=int(given["raters"][0]),
            form=ICCS[label],
            rater_share=given.get("between raters", [0.0])[0],
        )
        return items_for_icc_width(study, half_width=given["half width"][0])
    if label == "Cohen's kappa, width":
        width = given["half width"][0]
        return items_for_kappa_width(shares, shares, scheme, kappa=kappa, half_width=width)
    if label.startswith("Cohen's kappa, test"):
        sides = 1 if label.endswith("one-sided") else 2
        null, power = given["against"][0], given["power"][0]
        return items_for_kappa_test(
            shares, shares, scheme, kappa=kappa, null=null, power=power, n_sides=sides
        )
    name, _, aim = label.partition(", ")
    return _simulated(given, SIMULATED[name], aim)


ICCS = {
    "ICC(1,1), width": IccForm.ONE_WAY,
    "ICC(C,1), width": IccForm.CONSISTENCY,
    "ICC(A,1), width": IccForm.ABSOLUTE,
}


def _of_sets(given: Mapping[str, Sequence[str]]) -> ItemsNeeded:
    scale = scale_of_sets([tuple(word.split("+")) for word in given["sets"]])
    shares, value, width = (
        [float(word) for word in given["shares"]],
        given["alpha"][0],
        given["half width"][0],
    )
    name, n_raters = WEIGHTED_ALPHA.name, int(given["raters"][0])
    model = model_for(name, float(value), shares, n_raters=n_raters, scale=scale)
    simulation = Simulation(model=model, statistic=name, scale=scale, n_replicates=300)
    return items_for_width(simulation, half_width=float(width))


SIMULATED = {"Alpha": KRIPPENDORFF_ALPHA.name, "AC1": GWET_AC.name}


def _simulated(given: dict[str, list[float]], statistic: str, aim: str) -> ItemsNeeded:
    prevalence, n_raters = np.array(given["prevalence"]), int(given["raters"][0])
    right = by_accuracy(given["accuracy"][0], n_categories=len(prevalence))
    model = LatentClassModel(prevalence, np.array([right] * n_raters))
    simulation = Simulation(model=model, statistic=statistic, scale=Scale(len(prevalence)), n_replicates=300)
    if aim == "width":
        return items_for_width(simulation, half_width=given["half width"][0])
    return items_for_power(simulation, null=given["against"][0], power=given["power"][0])


def curve(data: Data, label: str) -> str:
    """Percent agreement, kappa and AC1 of raters with the rates given, at the prevalence of the label."""
    rates = by_sensitivity(*(float(data.keyed[name][0]) for name in ("sensitivity", "specificity")))
    found = prevalence_curve(rates, rates, prevalence=[float(label.split()[-1])])
    columns = (found.percent_agreement, found.cohen_kappa, found.brennan_prediger, found.gwet_ac1)
    return "  ".join(f"{column[0]:.2f}" for column in columns)


def reading(data: Data, label: str) -> str:
    """The word of a scale for the value, and by Gwet's probabilities."""
    scale = next(each for each in SCALES.values() if each.title == label)
    value, se = float(data.keyed["value"][0]), float(data.keyed["SE"][0])
    return f"{scale.word(value)}; at least {probabilistic(value, se, scale).word} with 95% certainty"


def coverage(data: Data, label: str) -> str:
    """The share of intervals that hold the truth, in whole percent, at each number of items of the data.

    The data name the population: the shares of the categories, how often a rater is right, and how many raters. All
    seeds are that of the tests of coverage, so that a run of both simulates once.
    """
    sizes = [int(word) for word in data.keyed["items"]]
    if label in OF_NUMBERS:
        found = [OF_NUMBERS[label](n).held for n in sizes]
    elif label == NONE:
        found = [_normal_kappa(_population(data), n).none for n in sizes]
    else:
        found = [COVERAGES[label](_population(data), n).held for n in sizes]
    return "  ".join(f"{100 * share:.0f}%" for share in found)


def _population(data: Data) -> Population:
    given = data.keyed
    shares = tuple(float(word) for word in given["shares"])
    return Population(shares, accuracy=float(given["right"][0]), n_raters=int(given["raters"][0]))


def _kappa(weights: str) -> Callable[[Population, int], Coverage]:
    return lambda population, n: of_kappa(population, n, weights=weights, seed=SEED)


def _normal_kappa(population: Population, n: int) -> Coverage:
    return of_kappa(population, n, seed=SEED, statistic=kappa_with_normal_interval)


def _of_all(statistic: Statistic, level: Level = Level.NOMINAL) -> Callable[[Population, int], Coverage]:
    return lambda population, n: of_all_raters(statistic, population, n, level=level, seed=SEED)


def _drawn(method: str) -> Callable[[Population, int], Coverage]:
    return lambda population, n: of_bootstrap(method, population, n, seed=SEED)


NONE = "Cohen's kappa, no normal interval"
COVERAGES: dict[str, Callable[[Population, int], Coverage]] = {
    "Cohen's kappa": _kappa("unweighted"),
    "Cohen's kappa, quadratic": _kappa("quadratic"),
    "Cohen's kappa, normal interval": _normal_kappa,
    "Fleiss' kappa": _of_all(FLEISS_KAPPA),
    "Fleiss' kappa, percentile bootstrap": _drawn("percentile"),
    "Fleiss' kappa, BCa bootstrap": _drawn("bca"),
    "Alpha, nominal": _of_all(KRIPPENDORFF_ALPHA),
    "Alpha, ordinal": _of_all(KRIPPENDORFF_ALPHA, Level.ORDINAL),
    "AC1": _of_all(GWET_AC),
}
OF_NUMBERS = {
    "ICC(A,1), three raters": lambda n: of_iccs(n, seed=SEED)["icc_a_1"],
    "ICC(A,1), REML, three of eight raters": lambda n: of_incomplete_iccs(n, n_studies=400, seed=SEED)[
        "icc_a_1_reml"
    ],
    "ICC(C,1), REML, three of eight raters": lambda n: of_incomplete_iccs(n, n_studies=400, seed=SEED)[
        "icc_c_1_reml"
    ],
}
