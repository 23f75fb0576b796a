"""How the cost of counting sparse labels grows with the labels and with the raters."""

from dataclasses import replace

import numpy as np

from reports.agreement.building import build
from reports.agreement.ratings import SparseRatings, to_sparse
from tests.benchmarks.counting import count_only
from tests.benchmarks.measuring import Results, measure_in_turn
from tests.benchmarks.workloads import WORKLOADS, labels_of

# Of b, which has 2,000 raters.
ITEMS = (125_000, 250_000, 500_000, 1_000_000)
RATERS = (200, 2_000, 20_000, 200_000)
ITEMS_OF_RATERS = 500_000


def run(results: Results) -> None:
    by_items = {n: sparse(n_items=n, n_raters=2_000) for n in ITEMS}
    results.at_most("b: growth of counting with labels, exponent", exponent(by_items), goal=1.1, unit="")
    by_raters = {n: sparse(n_items=ITEMS_OF_RATERS, n_raters=n) for n in RATERS}
    results.at_most("b: growth of counting with raters, exponent", exponent(by_raters), goal=0.15, unit="")


def sparse(*, n_items: int, n_raters: int) -> SparseRatings:
    load = replace(WORKLOADS["b"], n_items=n_items, n_raters=n_raters)
    labels = labels_of(load)
    return to_sparse(build(labels.items, labels.raters, labels.codes, n_categories=load.n_categories)[0])


def exponent(sizes: dict[int, SparseRatings]) -> float:
    """The slope of log seconds over log size."""
    found = measure_in_turn(
        {str(n): lambda kept=kept: count_only(kept, min_shared=10) for n, kept in sizes.items()}, repeats=5
    )
    slope, _ = np.polyfit(np.log(list(sizes)), np.log([each.seconds for each in found.values()]), 1)
    return float(slope)
