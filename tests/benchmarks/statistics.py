"""Coefficients with their errors, and their bootstrap, beside the same by other libraries."""

import time
import warnings
from collections.abc import Callable
from typing import Any

import krippendorff
import numpy as np
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from reports.agreement.building import build
from reports.agreement.counting import count_pairs
from reports.agreement.intervals.bootstrap import N_REPLICATES, bootstrap
from reports.agreement.overall.chance_corrected import FLEISS_KAPPA, GWET_AC
from reports.agreement.overall.coefficients import overall
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.ratings import DenseRatings, Ratings, to_dense
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights, weighting
from tests.benchmarks import peers
from tests.benchmarks.measuring import Results, measure, seconds
from tests.benchmarks.workloads import WORKLOADS, Workload, labels_of

COEFFICIENTS, BOOTSTRAP = "coefficients", "bootstrap"
LOAD = Workload("s", 10_000, 50, 5, "50 raters × 10,000 items, 5 categories")
KAPPAS = (Weights.UNWEIGHTED, Weights.LINEAR, Weights.QUADRATIC)
BOOTSTRAPPED = (FLEISS_KAPPA, KRIPPENDORFF_ALPHA, GWET_AC)
# Most seconds for the bootstrap of all three; for s in seconds where a loop takes minutes.
BOOTSTRAP_SECONDS = {"s": 3.0, "a2": 3.0, "b": 0.1, "c": 2.0}
# Replicates on which a loop is timed; the rest is extrapolated.
LOOPED = 20


def run_coefficients(results: Results) -> None:
    ratings = to_dense(ratings_of(LOAD))
    name = f"{LOAD.about}: "
    pairs = measure(lambda: kappas_of_pairs(ratings), repeats=5).seconds
    by_sklearn = peers.scikit_learn(ratings.codes, LOAD.n_categories)
    results.faster(
        f"{name}all pairs, 3 kappas with errors, against scikit-learn without errors",
        pairs,
        by_sklearn,
        goal=40,
        note=", sampled",
    )
    scale = Scale(LOAD.n_categories)
    fleiss = measure(lambda: estimate(FLEISS_KAPPA, Sample(ratings), scale), repeats=5)
    by_statsmodels = measure(lambda: fleiss_by_statsmodels(ratings.codes, LOAD.n_categories), repeats=5)
    assert np.isclose(fleiss.value.value, by_statsmodels.value, rtol=1e-9)
    results.faster(
        f"{name}Fleiss' kappa with its error, against statsmodels without",
        fleiss.seconds,
        by_statsmodels.seconds,
        goal=1,
    )
    alpha = measure(lambda: estimate(KRIPPENDORFF_ALPHA, Sample(ratings), scale), repeats=5)
    by_krippendorff = measure(lambda: alpha_by_krippendorff(ratings.codes, LOAD.n_categories), repeats=5)
    assert np.isclose(alpha.value.value, by_krippendorff.value, rtol=1e-9)
    results.faster(
        f"{name}alpha with its error, against krippendorff without",
        alpha.seconds,
        by_krippendorff.seconds,
        goal=2,
    )
    every = measure(lambda: everything(ratings, scale), repeats=3)
    results.faster(
        f"{name}all of that and every other coefficient of all raters, against these three peers",
        every.seconds,
        by_sklearn + by_statsmodels.seconds + by_krippendorff.seconds,
        goal=5,
        note=", pairs sampled",
    )


def run_bootstrap(results: Results, *, is_full: bool) -> None:
    ratings = to_dense(ratings_of(LOAD))
    ours = run_bootstrap_of(LOAD, ratings, results)
    counts = aggregate_raters(ratings.codes, n_cat=LOAD.n_categories)[0].astype(np.int64)
    from_counts = by_loop(counts, fleiss_kappa) + by_loop(counts, alpha_of_counts)
    from_labels = by_loop(
        ratings.codes, lambda codes: fleiss_by_statsmodels(codes, LOAD.n_categories)
    ) + by_loop(ratings.codes, lambda codes: alpha_by_krippendorff(codes, LOAD.n_categories))
    name = f"{LOAD.about}: {N_REPLICATES:,} bootstrap replicates of Fleiss, alpha and AC1"
    peer = "statsmodels (Fleiss) and krippendorff (alpha)"
    results.faster(
        f"{name}, against drawing labels for {peer}", ours, from_labels, goal=20, note=", extrapolated"
    )
    results.faster(
        f"{name}, against drawing counts for {peer}", ours, from_counts, goal=5, note=", extrapolated"
    )
    for name in ("a2", "b", "c") if is_full else ("a2", "b"):
        run_bootstrap_of(WORKLOADS[name], ratings_of(WORKLOADS[name]), results)


def run_bootstrap_of(load: Workload, ratings: Ratings, results: Results) -> float:
    """Seconds, once the kinds of items are there, as they are for the values themselves."""
    sample, scale = Sample(ratings), Scale(load.n_categories)
    n_kinds = len(sample.patterns.n_items)
    found = measure(lambda: bootstrap(BOOTSTRAPPED, sample, scale, seed=1), repeats=3)
    name = f"{load.about}: {N_REPLICATES:,} bootstrap replicates of Fleiss, alpha and AC1"
    results.at_most(name, found.seconds, goal=BOOTSTRAP_SECONDS[load.name], unit="s")
    results.notes.append(
        f"{load.about}: {n_kinds:,} kinds of items; their bootstrap in {seconds(found.seconds)},"
        f" {found.megabytes:.0f} MB."
    )
    return found.seconds


def ratings_of(load: Workload) -> Ratings:
    labels = labels_of(load)
    return build(labels.items, labels.raters, labels.codes, n_categories=load.n_categories)[0]


def kappas_of_pairs(ratings: DenseRatings) -> None:
    costs = [weighting(weights, n_categories=ratings.n_categories) for weights in KAPPAS]
    for block in count_pairs(ratings):
        for each in costs:
            cohen_kappa(block.tables, each)


def everything(ratings: DenseRatings, scale: Scale) -> None:
    kappas_of_pairs(ratings)
    overall(Sample(ratings), scale)


def fleiss_by_statsmodels(codes: NDArray[np.integer], n_categories: int) -> float:
    return float(fleiss_kappa(aggregate_raters(codes, n_cat=n_categories)[0]))


def alpha_by_krippendorff(codes: NDArray[np.integer], n_categories: int) -> float:
    return float(
        krippendorff.alpha(
            reliability_data=codes.T.astype(np.float64),
            value_domain=np.arange(n_categories, dtype=np.float64),
            level_of_measurement="nominal",
        )
    )


def alpha_of_counts(counts: NDArray[np.int64]) -> float:
    return float(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"))


def by_loop(rows: NDArray[Any], value: Callable[[NDArray[Any]], float]) -> float:
    """Seconds for all replicates, from some: items drawn with replacement, and the library's value of them."""
    random = np.random.default_rng(1)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(LOOPED):
            value(rows[random.integers(0, len(rows), len(rows))])
    return (time.perf_counter() - start) * N_REPLICATES / LOOPED
