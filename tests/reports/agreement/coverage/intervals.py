"""The coverage of each kind of interval, in studies of a number of items."""

from collections.abc import Callable
from functools import cache
from typing import cast

import numpy as np

from reports.agreement.intervals.bootstrap import bootstrap
from reports.agreement.numbers.icc import intraclass_correlations
from reports.agreement.numbers.incomplete import incomplete_correlations
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.overall.chance_corrected import FLEISS_KAPPA
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.chance_corrected import percent_agreement
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.patterns import ItemPatterns
from reports.agreement.results import FloatArray, IntArray, PairKappas
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level, Weighting, weighting
from tests.reports.agreement.coverage.drawing import Coverage, Population, coverage

# So many items make any sample the population.
VERY_MANY = 1e12
SEED = 1
KappaOfTables = Callable[[IntArray, Weighting], PairKappas]


def limits(found: list[tuple[float | None, float | None]]) -> tuple[FloatArray, FloatArray]:
    low, high = np.array(found, dtype=np.float64).T
    return low, high


def of_kappa(
    population: Population,
    n_items: int,
    *,
    weights: str = "unweighted",
    n_studies: int = 20_000,
    seed: int,
    statistic: KappaOfTables = cohen_kappa,
) -> Coverage:
    scheme = weighting(weights, n_categories=len(population.prevalence))
    margins = population.cells.sum(axis=1)
    expected = np.outer(margins, margins)
    truth = 1 - (population.cells * scheme.costs).sum() / (expected * scheme.costs).sum()
    found = statistic(population.tables(n_items, n_studies, seed=seed), scheme)
    return coverage(found.ci_low, found.ci_high, truth)


def of_percent_agreement(
    population: Population, n_items: int, *, n_studies: int = 20_000, seed: int
) -> Coverage:
    """Of the Wilson interval of two raters."""
    scheme = weighting("unweighted", n_categories=len(population.prevalence))
    found = percent_agreement(PairTables(population.tables(n_items, n_studies, seed=seed), scheme))
    return coverage(found.ci_low, found.ci_high, float(np.trace(population.cells)))


@cache
def of_all_raters(
    statistic: Statistic,
    population: Population,
    n_items: int,
    *,
    level: Level = Level.NOMINAL,
    n_studies: int = 2_000,
    n_single: int = 0,
    seed: int,
) -> Coverage:
    scale = Scale(len(population.prevalence), level)
    found = [
        estimate(statistic, cast(Sample, sample), scale)
        for sample in population.samples(n_items, n_studies, seed=seed, n_single=n_single)
    ]
    return coverage(
        *limits([(each.ci_low, each.ci_high) for each in found]), true_value(statistic, population, level)
    )


def true_value(statistic: Statistic, population: Population, level: Level = Level.NOMINAL) -> float:
    splits, chances = population.splits
    patterns = ItemPatterns(splits, np.ones(len(splits), dtype=np.int64))
    scale = Scale(len(population.prevalence), level)
    return float(statistic.values(patterns, scale, chances[None, :] * VERY_MANY)[0])


@cache
def of_bootstrap(
    method: str, population: Population, n_items: int, *, n_studies: int = 500, seed: int
) -> Coverage:
    """Of Fleiss' kappa, with fewer replicates than a report has: the share moves little with them."""
    scale = Scale(len(population.prevalence))
    found = [
        bootstrap([FLEISS_KAPPA], cast(Sample, sample), scale, seed=number, n_replicates=300, method=method)[
            "fleiss_kappa"
        ]
        for number, sample in enumerate(population.samples(n_items, n_studies, seed=seed))
    ]
    truth = true_value(FLEISS_KAPPA, population)
    return coverage(*limits([(each.low, each.high) for each in found]), truth)


@cache
def of_iccs(n_items: int, *, n_raters: int = 3, n_studies: int = 1_200, seed: int) -> dict[str, Coverage]:
    """Of each intraclass correlation; numbers = item + rater + error, normal with variances 4, 0.25 and 1.

    Raters are drawn anew in each study, and for ICC(1) on each item.
    """
    random = np.random.default_rng(seed)
    found: dict[str, list[tuple[float | None, float | None]]] = {}
    for _ in range(n_studies):
        numbers = 2 * random.standard_normal((n_items, 1)) + random.standard_normal((n_items, n_raters))
        same = numbers + 0.5 * random.standard_normal((1, n_raters))
        others = numbers + 0.5 * random.standard_normal((n_items, n_raters))
        anew, crossed = (intraclass_correlations(NumberSample(each)) for each in (others, same))
        for name, each in ({**crossed, **{name: anew[name] for name in ("icc_1_1", "icc_1_k")}}).items():
            found.setdefault(name, []).append((each.ci_low, each.ci_high))
    return {name: coverage(*limits(each), true_icc(name, n_raters)) for name, each in found.items()}


@cache
def of_incomplete_iccs(
    n_items: int, *, n_raters: int = 8, each: int = 3, n_studies: int, seed: int
) -> dict[str, Coverage]:
    """Of those by REML, where each of n_raters raters is as likely as the others to be one of an item's.

    Variances as above; raters are drawn anew in each study.
    """
    random = np.random.default_rng(seed)
    found: dict[str, list[tuple[float | None, float | None]]] = {}
    items = np.repeat(np.arange(n_items), each)
    for _ in range(n_studies):
        raters = random.random((n_items, n_raters)).argsort(axis=1)[:, :each].ravel()
        numbers = 2 * random.standard_normal(n_items)[items] + random.standard_normal(len(items))
        numbers += 0.5 * random.standard_normal(n_raters)[raters]
        sample = NumberSample.from_labels(items, raters, numbers, n_items=n_items, n_raters=n_raters)
        for name, coefficient in incomplete_correlations(sample).items():
            found.setdefault(name, []).append((coefficient.ci_low, coefficient.ci_high))
    return {
        name: coverage(*limits(rows), true_icc(name.removesuffix("_reml"), each))
        for name, rows in found.items()
    }


def true_icc(name: str, n_raters: int) -> float:
    noise = 1.0 if name.startswith("icc_c") else 1.25
    return 4 / (4 + noise / (n_raters if name.endswith("_k") else 1))
