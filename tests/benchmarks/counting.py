"""Counting and kappas in memory."""

import numpy as np

from reports.agreement.building import build
from reports.agreement.counting import count_pairs
from reports.agreement.overall.chance_corrected import FLEISS_KAPPA, GWET_AC, PERCENT_AGREEMENT
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.ratings import DenseRatings, Ratings, SparseRatings, to_dense, to_sparse
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights, weighting
from tests.benchmarks import peers
from tests.benchmarks.measuring import Measured, Results, measure, seconds
from tests.benchmarks.workloads import Labels, Workload

KAPPAS = (Weights.UNWEIGHTED, Weights.LINEAR, Weights.QUADRATIC)
OF_ALL_RATERS = (PERCENT_AGREEMENT, FLEISS_KAPPA, KRIPPENDORFF_ALPHA, GWET_AC)
# Goals: times as fast as scikit-learn, and megabytes.
DENSE_GOALS = {"a1": (40, None), "a2": (200, 20), "a2m": (200, 20), "a3": (150, 150), "d": (25, 200)}
EVENT_NANOSECONDS = 70
# Over the labels themselves.
SPARSE_MEGABYTES = 256


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
        peer = peers.bincount_and_statsmodels(ratings.codes, load.n_categories)
        results.faster(
            f"{name}, against np.bincount and statsmodels", ours.seconds, peer, goal=20, note=", sampled"
        )


def run_sparse(load: Workload, labels: Labels, ratings: SparseRatings, results: Results) -> None:
    ours = measure(lambda: count_only(ratings, min_shared=10), repeats=3)
    sizes = np.bincount(labels.items)
    n_events = int((sizes * (sizes - 1) // 2).sum())
    name = f"{load.name}: tables of all pairs with 10 items or more"
    per_event = ours.seconds / n_events * 1e9
    results.at_most(f"{name}, per two labels of an item", per_event, goal=EVENT_NANOSECONDS, unit="ns")
    results.at_most(f"{name}, memory", ours.megabytes, goal=SPARSE_MEGABYTES, unit="MB")
    by_pandas = measure(lambda: peers.pandas_pairs(labels), repeats=1)
    results.faster(f"{name}, against pandas", ours.seconds, by_pandas.seconds, goal=8)
    by_scipy: Measured = measure(lambda: peers.scipy_pairs(labels, load), repeats=1)
    results.faster(f"{name}, against scipy.sparse", ours.seconds, by_scipy.seconds, goal=2.5)
    every = measure(lambda: kappas(ratings), repeats=1)
    results.notes.append(
        f"{load.name}: all {every.value:,} pairs, 3 kappas with errors, in {seconds(every.seconds)},"
        f" {every.megabytes:.0f} MB."
    )
