"""Krippendorff's alpha, linearized: the contribution of each item, for any difference function."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RankChange:
    """(U,) the effect of one more item of a kind on sum o d, and on half of sum n n d, through mid-ranks alone."""

    observed: FloatArray
    expected: FloatArray


def rank_slopes(pulls: FloatArray) -> FloatArray:
    """(..., K) the effect of one more label of each category on sum_ck s_ck (m_c - m_k)^2, s symmetric, through the
    mid-ranks m.

    pulls: (..., K) in the order of the scale, sum_k s_ck (m_c - m_k). A label shifts the mid-ranks of later categories
    by 1 and of its own by 1/2.
    """
    later = np.cumsum(pulls[..., ::-1], axis=-1)[..., ::-1] - pulls / 2
    return 4 * later


def ranked_spread_pulls(counts: FloatArray, ranks: FloatArray) -> FloatArray:
    """(..., K) the pulls of sum n_c n_k (m_c - m_k)^2."""
    total, moment = counts.sum(axis=-1, keepdims=True), (counts * ranks).sum(axis=-1, keepdims=True)
    return counts * (total * ranks - moment)


def linearised_alpha(
    value: float,
    *,
    n_labels: NDArray[np.int64],
    used: FloatArray,
    observed: FloatArray,
    item_spread: FloatArray,
    ranks: RankChange | None = None,
) -> FloatArray:
    """(U,) the linearized 1 - N sum o d / sum n n d on each kind of item.

    value: alpha. n_labels: (U,) labels on an item; NaN is returned for items with one. used: (U,) items of each kind,
    0 for those with one label. observed: (U,) their sums of o_ck d_ck. item_spread: (U,) the sum over an item's labels
    c of sum_k n_k d_ck. ranks: on the ordinal level, the effect of an item through the ranks on which d depends; None
    for a d that does not depend on the labels.
    Source: Gwet 2011, On the Krippendorff's alpha coefficient; with ranks, the derivative of alpha by the number of
    items of a kind (the infinitesimal jackknife, Efron 1982).
    """
    r = n_labels.astype(np.float64)
    expected, total = float((item_spread * used).sum()), float((r * used).sum())
    total_observed = float((observed * used).sum())
    # Each item's excess in observed and expected difference over its share by number of labels.
    observed_change = r * total_observed / total - observed
    expected_change = r * expected / total**2 - item_spread / total
    if ranks is not None:
        observed_change -= ranks.observed
        expected_change -= ranks.expected / total
    mean_labels = total / used.sum()
    ratio = total * total_observed / expected
    change = (observed_change - 2 * ratio * expected_change) / (mean_labels * expected / total**2)
    return np.where(n_labels >= 2, value + change, np.nan)
