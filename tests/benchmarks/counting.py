"""Counting and kappas in memory."""

import itertools

import numpy as np

from reports.agreement import counting_sparse
from reports.agreement.building import build
from reports.agreement.counting import count_pairs
from reports.agreement.intervals.bootstrap import bootstrap
from reports.agreement.overall.chance_corrected import FLEISS_KAPPA, GWET_AC, PERCENT_AGREEMENT
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.ratings import DenseRatings, Ratings, SparseRatings, to_dense, to_sparse
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights, weighting
from tests.benchmarks import peers
from tests.benchmarks.measuring import Results, measure, measure_in_turn, seconds
from tests.benchmarks.workloads import Labels, Workload

KAPPAS = (Weights.UNWEIGHTED, Weights.LINEAR, Weights.QUADRATIC)
OF_ALL_RATERS = (PERCENT_AGREEMENT, FLEISS_KAPPA, KRIPPENDORFF_ALPHA, GWET_AC)
# Goals: times as fast as scikit-learn, and megabytes.
DENSE_GOALS = {"a1": (40, None), "a2": (200, 20), "a2m": (200, 20), "a3": (150, 150), "d": (25, 200)}
EVENT_NANOSECONDS = 70
# Over the labels themselves.
SPARSE_MEGABYTES = 256
# Where the memory for events is bounded.
RANGES = 8
BOOTSTRAP_SECONDS = {"a2": 3.0, "b": 0.1, "c": 2.0}


def kappas(ratings: Ratings, *, min_shared: int = 1) -> int:
    """All pairs with all three weights; returns how many pairs."""
    costs = [weighting(weights, n_categories=ratings.n_categories) for weights in KAPPAS]
    n_pairs = 0
    for block in count_pairs(ratings, min_shared=min_shared):
        for each in costs:
            cohen_kappa(block.tables, each)
        n_pairs += len(block)
    return n_pairs


def of_all_raters(ratings: Ratings) -> None:
    sample, scale = Sample(ratings), Scale(ratings.n_categories)
    for statistic in OF_ALL_RATERS:
        estimate(statistic, sample, scale)


def everything(ratings: Ratings, *, min_shared: int = 1) -> int:
    of_all_raters(ratings)
    return kappas(ratings, min_shared=min_shared)


def count_only(ratings: Ratings, *, min_shared: int = 1) -> int:
    return sum(len(block) for block in count_pairs(ratings, min_shared=min_shared))


def run(load: Workload, labels: Labels, results: Results) -> None:
    ratings, _, _ = build(labels.items, labels.raters, labels.codes, n_categories=load.n_categories)
    results.notes.append(
        f"{load.name}: {load.about}; {len(labels):,} labels, kept {type(ratings).__name__[:-7].lower()}."
    )
    found = measure(lambda: of_all_raters(ratings))
    results.notes.append(
        f"{load.name}: percent agreement, Fleiss, alpha and AC1 in {seconds(found.seconds)},"
        f" {found.megabytes:.0f} MB."
    )
    run_bootstrap(load, ratings, results)
    if load.is_sparse:
        run_sparse(load, labels, to_sparse(ratings), results)
    else:
        run_dense(load, to_dense(ratings), results)


def run_dense(load: Workload, ratings: DenseRatings, results: Results) -> None:
    ours = measure(lambda: kappas(ratings), repeats=5)
    goal, megabytes = DENSE_GOALS[load.name]
    name = f"{load.name}: all pairs, 3 kappas with errors"
    peer = peers.scikit_learn(ratings.codes, load.n_categories)
    note = ", sampled" if load.name != "a1" else ""
    results.faster(f"{name}, against scikit-learn", ours.seconds, peer, goal=goal, note=note)
    if megabytes:
        results.at_most(f"{name}, memory", ours.megabytes, goal=megabytes, unit="MB")
    if load.name == "a2":
        run_jackknife(load, ratings, results)
        peer = peers.bincount_and_statsmodels(ratings.codes, load.n_categories)
        results.faster(
            f"{name}, against np.bincount and statsmodels", ours.seconds, peer, goal=20, note=", sampled"
        )


def run_jackknife(load: Workload, ratings: Ratings, results: Results) -> None:
    """How far the error of kappa is from what leaving out each item in turn gives, over some pairs and all weights."""
    pairs = next(count_pairs(ratings))
    n_categories = load.n_categories
    one = np.eye(n_categories**2, dtype=np.int32).reshape(-1, n_categories, n_categories)
    furthest = 0.0
    for weights, table in itertools.product(KAPPAS, pairs.tables[:: len(pairs) // peers.SAMPLED]):
        costs = weighting(weights, n_categories=n_categories)
        n_items = table.ravel()
        [error] = cohen_kappa(table[None], costs).se
        # Items of the same cell leave the same kappa behind.
        left = cohen_kappa((table - one)[n_items > 0], costs).kappa
        counts = n_items[n_items > 0]
        mean = np.average(left, weights=counts)
        by_jackknife = np.sqrt((n_items.sum() - 1) / n_items.sum() * (counts * (left - mean) ** 2).sum())
        furthest = max(furthest, abs(error / by_jackknife - 1))
    what = f"{load.name}: error of kappa, furthest from the jackknife over items, as a share"
    results.at_most(what, furthest, goal=1e-3, unit="")


def run_sparse(load: Workload, labels: Labels, ratings: SparseRatings, results: Results) -> None:
    sizes = np.bincount(labels.items)
    n_events = int((sizes * (sizes - 1) // 2).sum())
    found = measure_in_turn(
        {
            "ours": lambda: count_only(ratings, min_shared=10),
            "in ranges": lambda: count_in_ranges(ratings, n_events),
            "pandas": lambda: peers.pandas_pairs(labels),
            "scipy": lambda: peers.scipy_pairs(labels, load),
        }
    )
    ours = found["ours"]
    name = f"{load.name}: tables of all pairs with 10 items or more"
    per_event = ours.seconds / n_events * 1e9
    results.at_most(f"{name}, per two labels of an item", per_event, goal=EVENT_NANOSECONDS, unit="ns")
    results.at_most(f"{name}, memory", ours.megabytes, goal=SPARSE_MEGABYTES, unit="MB")
    if load.name == "c":
        ranged = found["in ranges"]
        name_ranged = f"c: the same in {RANGES} ranges of raters"
        results.at_most(f"{name_ranged}, memory", ranged.megabytes, goal=SPARSE_MEGABYTES, unit="MB")
        results.within(f"{name_ranged}, against all at once", ranged.seconds, ours.seconds, goal=1.5)
    results.faster(f"{name}, against pandas", ours.seconds, found["pandas"].seconds, goal=8)
    results.faster(f"{name}, against scipy.sparse", ours.seconds, found["scipy"].seconds, goal=2.5)
    every = measure(lambda: kappas(ratings), repeats=1)
    results.notes.append(
        f"{load.name}: all {every.value:,} pairs, 3 kappas with errors, in {seconds(every.seconds)},"
        f" {every.megabytes:.0f} MB."
    )


def count_in_ranges(ratings: SparseRatings, n_events: int) -> int:
    """With so little room for events that first raters are taken in several ranges."""
    before = counting_sparse.MAX_EVENTS
    counting_sparse.MAX_EVENTS = -(-n_events // RANGES)
    try:
        return count_only(ratings, min_shared=10)
    finally:
        counting_sparse.MAX_EVENTS = before


def run_bootstrap(load: Workload, ratings: Ratings, results: Results) -> None:
    """2,000 replicates of all statistics of all raters."""
    if goal := BOOTSTRAP_SECONDS.get(load.name):
        found = measure(
            lambda: bootstrap(OF_ALL_RATERS, Sample(ratings), Scale(load.n_categories), seed=1), repeats=2
        )
        results.at_most(f"{load.name}: 2,000 bootstrap replicates", found.seconds, goal=goal, unit="s")
