"""Mistakes that are recognizable from two raters' labels: swapped categories, or a shifted column."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import IntArray


def best_relabeling(counts: IntArray) -> NDArray[np.int64]:
    """(K,) the category of rater B matched to each category of rater A, so that the most items agree.

    counts: (K, K), rows rater A. This is the optimal assignment; among equally good ones, one that leaves the most
    categories unchanged, so that unused categories keep their place.
    Raises ValueError if counts is not square.
    """
    # Imported here, since it would delay the start of every process by a quarter of a second.
    from scipy.optimize import linear_sum_assignment

    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise ValueError(f"counts must be square, got shape {counts.shape}")
    size = len(counts)
    # One more item outweighs all categories that could stay unchanged.
    gain = counts.astype(np.int64) * (size + 1) + np.eye(size, dtype=np.int64)
    return np.asarray(linear_sum_assignment(gain, maximize=True)[1], dtype=np.int64)


def shifted_tables(
    a: IntArray, b: IntArray, offsets: Sequence[int], *, n_categories: int
) -> NDArray[np.int64]:
    """(len(offsets), K, K) confusion matrices of A's label of an item and B's label of an item further down.

    a, b: (N,) the labels of both in the order of the items, n_categories where there is none. offsets: how many items
    further down; negative for further up. Items beyond the ends have no partner.
    Raises ValueError if the two differ in length.
    """
    if a.shape != b.shape:
        raise ValueError(f"both need the same items, got {a.shape} and {b.shape}")
    return np.stack([_shifted(a, b, offset, n_categories) for offset in offsets])


def _shifted(a: IntArray, b: IntArray, offset: int, k: int) -> NDArray[np.int64]:
    n = len(a)
    first = a[max(0, -offset) : max(0, n - max(0, offset))].astype(np.int64)
    second = b[max(0, offset) : max(0, n + min(0, offset))].astype(np.int64)
    both = (first < k) & (second < k)
    cells = np.bincount(first[both] * k + second[both], minlength=k * k)
    return cells.reshape(k, k)
