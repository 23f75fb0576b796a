"""The weights of raters' votes, from how often they agree with the most frequent label of the others."""

import numpy as np
from numpy.typing import NDArray

from reports.agreement.consensus.item_labels import ItemLabels
from reports.agreement.results import FloatArray, IntArray

# Labels x categories that are processed together.
BLOCK_CELLS = 4_000_000


def vote_weights(labels: ItemLabels) -> FloatArray:
    """Return (R,) the weight of each rater's vote, 0 or more; each rater has at most one label on an item.

    Of a rater's n labels on items for which the other raters gave one category more often than any other, a are in
    that category. The accuracy is p = (a + 1) / (n + K), the mean under a uniform prior of which category of K is
    given, and the weight log((K - 1) p / (1 - p)), with natural logarithms, never below 0. So a rater who is never
    compared, or is right no more often than by chance, has weight 0; and no weight is infinite.
    This is optimal for raters with equal error rates in all categories, spread evenly over the others. With one
    category, all are 0.
    Source: Nitzan & Paroush 1982, International Economic Review 23(2), 289-297, whose two alternatives are K here;
    for K see Li & Yu 2014, arXiv:1411.4086. The rule of succession: Laplace 1814.
    """
    k = labels.n_categories
    if k < 2:
        return np.zeros(labels.n_raters)
    n, n_alike = _compared(labels)
    return np.maximum(np.log((k - 1) * (n_alike + 1.0) / (n - n_alike + k - 1.0)), 0.0)


def _compared(labels: ItemLabels) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (R,) each rater's number of labels that can be compared with the others, and of those that match."""
    order = np.argsort(labels.items, kind="stable")
    items, raters, codes = labels.items[order], labels.raters[order], labels.codes[order]
    n, n_alike = (np.zeros(labels.n_raters, dtype=np.int64) for _ in range(2))
    step = max(1, BLOCK_CELLS // labels.n_categories)
    begin = 0
    while begin < len(items):
        # A block ends at the end of an item.
        end = int(np.searchsorted(items, items[min(begin + step, len(items)) - 1], side="right"))
        rows = slice(begin, end)
        is_compared, is_alike = _of_block(items[rows], codes[rows], labels.n_categories)
        n += np.bincount(raters[rows][is_compared], minlength=labels.n_raters)
        n_alike += np.bincount(raters[rows][is_alike], minlength=labels.n_raters)
        begin = end
    return n, n_alike


def _of_block(items: IntArray, codes: IntArray, k: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return (L,) whether the item's other labels have a most frequent category, and whether the label matches it."""
    _, places = np.unique(items, return_inverse=True)
    counts = np.bincount(places * k + codes).astype(np.int64)
    counts = np.pad(counts, (0, (int(places.max()) + 1) * k - len(counts))).reshape(-1, k)
    others = counts[places]
    others[np.arange(len(codes)), codes] -= 1
    most = others.max(axis=1)
    is_compared = (most > 0) & ((others == most[:, None]).sum(axis=1) == 1)
    return is_compared, is_compared & (others[np.arange(len(codes)), codes] == most)
