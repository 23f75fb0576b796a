"""The same figures by other libraries."""

import itertools
import time
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from tests.benchmarks.workloads import Labels, Workload

# Pairs on which a slow peer is timed, spread over all; the rest is extrapolated.
SAMPLED = 24


def sampled(codes: NDArray[np.integer], of_pair: Callable[[int, int], object]) -> float:
    """Seconds for all pairs of raters, from a sample of them."""
    pairs = list(itertools.combinations(range(codes.shape[1]), 2))
    chosen = pairs[:: max(1, len(pairs) // SAMPLED)]
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for a, b in chosen:
            of_pair(a, b)
    return (time.perf_counter() - start) * len(pairs) / len(chosen)


def scikit_learn(codes: NDArray[np.integer], n_categories: int) -> float:
    """Kappa with all three weights, no error."""
    labels = np.arange(n_categories)

    def of_pair(a: int, b: int) -> None:
        shared = (codes[:, a] < n_categories) & (codes[:, b] < n_categories)
        x, y = codes[shared, a], codes[shared, b]
        for weights in (None, "linear", "quadratic"):
            cohen_kappa_score(x, y, labels=labels, weights=weights)

    return sampled(codes, of_pair)


def bincount_and_statsmodels(codes: NDArray[np.integer], n_categories: int) -> float:
    """Kappa and its error with all three weights, from a table by np.bincount."""
    width = n_categories + 1
    wide = codes.astype(np.int64)

    def of_pair(a: int, b: int) -> None:
        counts = np.bincount(wide[:, a] * width + wide[:, b], minlength=width**2).reshape(width, width)
        for weights in (None, "linear", "quadratic"):
            cohens_kappa(counts[:-1, :-1], wt=weights, return_results=True)

    return sampled(codes, of_pair)


def pandas_pairs(labels: Labels) -> int:
    """Tables of all pairs by a join of the labels with themselves."""
    frame = pd.DataFrame({"item": labels.items, "rater": labels.raters, "code": labels.codes})
    joined = frame.merge(frame, on="item")
    joined = joined[joined["rater_x"] < joined["rater_y"]]
    return len(joined.groupby(["rater_x", "rater_y", "code_x", "code_y"], sort=False).size())


def scipy_pairs(labels: Labels, load: Workload) -> int:
    """Tables of all pairs as X'X of a sparse matrix with a column for each rater and category."""
    columns = labels.raters * load.n_categories + labels.codes
    shape = (load.n_items, load.n_raters * load.n_categories)
    x = sparse.csr_array((np.ones(len(labels), dtype=np.int32), (labels.items, columns)), shape=shape)
    return int(sparse.triu(x.T @ x, k=1).nnz)
