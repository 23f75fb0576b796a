"""The exact Wilcoxon signed-rank test for few differences, with any ties."""

import numpy as np

from reports.agreement.results import FloatArray


def signed_rank_below(differences: FloatArray) -> float:
    """P(W+ this small or smaller), one-sided, where the signs of the n differences are random with probability 1/2.

    differences: (n,), zeros are left out; tied sizes share their mean rank. Exact: the distribution of the sum
    of the positive ranks over all 2^n signs. 1 if all differences are 0.
    Source: Wilcoxon 1945, Biometrics Bulletin 1(6), 80-83; Pratt & Gibbons 1981, Concepts of Nonparametric Theory.
    """
    # Differences due to rounding alone are ties.
    sizes = np.round(np.abs(differences), 12)
    signs, sizes = np.sign(differences)[sizes > 0], sizes[sizes > 0]
    if not len(sizes):
        return 1.0
    _, places, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    # Twice the mean rank is an integer.
    doubled = (2 * np.cumsum(counts) - counts + 1)[places]
    total = int(doubled.sum())
    ways = np.zeros(total + 1)
    ways[0] = 1.0
    for rank in doubled.tolist():
        ways[rank:] = (ways[rank:] + ways[: total + 1 - rank]) / 2
        ways[:rank] /= 2
    return float(min(1.0, ways[: int(doubled[signs > 0].sum()) + 1].sum()))
