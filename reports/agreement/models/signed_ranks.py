"""Wilcoxon's signed-rank test of a few differences, exactly, whatever is tied."""

import numpy as np

from reports.agreement.results import FloatArray


def signed_rank_below(differences: FloatArray) -> float:
    """P(W+ as small as this or smaller), one-sided, where the signs of the n differences are a coin's.

    differences: (n,), those that are 0 left out; tied sizes share their mean rank. Exact: the distribution of the sum
    of the positive ranks over all 2^n signs. 1 for no difference other than 0.
    Source: Wilcoxon 1945, Biometrics Bulletin 1(6), 80-83; Pratt & Gibbons 1981, Concepts of Nonparametric Theory.
    """
    # What differs by rounding alone is tied.
    sizes = np.round(np.abs(differences), 12)
    signs, sizes = np.sign(differences)[sizes > 0], sizes[sizes > 0]
    if not len(sizes):
        return 1.0
    _, places, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    # Twice the mean rank is a whole number.
    doubled = (2 * np.cumsum(counts) - counts + 1)[places]
    total = int(doubled.sum())
    ways = np.zeros(total + 1)
    ways[0] = 1.0
    for rank in doubled.tolist():
        ways[rank:] = (ways[rank:] + ways[: total + 1 - rank]) / 2
        ways[:rank] /= 2
    return float(min(1.0, ways[: int(doubled[signs > 0].sum()) + 1].sum()))
