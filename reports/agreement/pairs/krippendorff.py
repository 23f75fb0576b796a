"""Krippendorff's alpha of two raters."""

import numpy as np
from numpy.typing import NDArray

from reports.agreement.overall.linearised_alpha import rank_slopes, ranked_spread_pulls
from reports.agreement.pairs.confusion_matrices import check_tables
from reports.agreement.pairs.estimates import in_blocks, reasons, symmetric_estimates
from reports.agreement.results import Estimates, FloatArray, IntArray, Reason
from reports.agreement.sample import Scale
from reports.agreement.weights import Level, category_values, distances


def krippendorff_alpha(counts: IntArray, scale: Scale, *, confidence: float = 0.95) -> Estimates:
    """(P,) Krippendorff's alpha with the difference function of the scale's level, over the items that both labeled.

    counts: (P, K, K). With the labels of both raters n_c and N = 2n of them, alpha = 1 - (N - 1) sum o_ck d_ck /
    sum n_c n_k d_ck, where each item counts twice in o, once in each order. The error is computed as for all raters:
    linearized values of the items, t with n - 1 degrees of freedom, the upper limit clipped at 1.
    Undefined if no item is shared (`no_overlap`) or the labels do not differ (`no_variation`).
    Sources: Krippendorff 2011, Computing Krippendorff's alpha-reliability; Gwet 2011, On the Krippendorff's alpha
    coefficient.
    """
    check_tables(counts)
    return in_blocks(lambda block: _block(block, scale, confidence), counts)


def _block(counts: IntArray, scale: Scale, confidence: float) -> Estimates:
    n = counts.sum(axis=(1, 2), dtype=np.float64)
    n_c = (counts.sum(axis=1) + counts.sum(axis=2)).astype(np.float64)
    d = _differences(n_c, scale)
    spread = np.einsum("pck,pk->pc", d, n_c)
    expected = np.einsum("pc,pc->p", n_c, spread)
    observed = 2 * np.einsum("pkl,pkl->p", counts, d)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = 1 - (2 * n - 1) * observed / expected
        slopes = _rank_slopes(counts, n_c, scale) if scale.level is Level.ORDINAL else None
        se = _standard_error(counts, n, d, spread, observed, expected, slopes)
    return symmetric_estimates(
        value,
        se,
        n=n,
        undefined=reasons(n.shape, (n == 0, Reason.NO_OVERLAP), (expected == 0, Reason.NO_VARIATION)),
        confidence=confidence,
        lowest=-np.inf,
        df=n - 1,
        off_margins=(counts.max(axis=(1, 2), initial=0) == n) & (observed > 0),
    )


def _differences(n_c: FloatArray, scale: Scale) -> FloatArray:
    """(P, K, K) differences between categories; ordinal differences depend on the labels of each pair."""
    if scale.level is not Level.ORDINAL:
        counts = np.ones(scale.n_categories)
        d = distances(scale.level, label_counts=counts, values=scale.values)
        return np.broadcast_to(d, (len(n_c), *d.shape))
    order = np.argsort(category_values(scale.n_categories, scale.values), kind="stable")
    middles = _middle_ranks(n_c, order)
    return (middles[:, :, None] - middles[:, None, :]) ** 2


def _middle_ranks(n_c: FloatArray, order: NDArray[np.int64]) -> FloatArray:
    middles = np.empty_like(n_c)
    middles[:, order] = np.cumsum(n_c[:, order], axis=1) - n_c[:, order] / 2
    return middles


def _rank_slopes(counts: IntArray, n_c: FloatArray, scale: Scale) -> tuple[FloatArray, FloatArray]:
    """(P, K) the effect of one more label of a category on observed and half of expected difference, through ranks."""
    order = np.argsort(category_values(scale.n_categories, scale.values), kind="stable")
    middles = _middle_ranks(n_c, order)
    others = np.einsum("pkl,pl->pk", counts, middles) + np.einsum("pkl,pk->pl", counts, middles)
    slopes = []
    for pulls in (n_c * middles - others, ranked_spread_pulls(n_c, middles)):
        found = np.empty_like(n_c)
        found[:, order] = rank_slopes(pulls[:, order])
        slopes.append(found)
    return slopes[0], slopes[1] / 2


def _standard_error(
    counts: IntArray,
    n: FloatArray,
    d: FloatArray,
    spread: FloatArray,
    observed: FloatArray,
    expected: FloatArray,
    slopes: tuple[FloatArray, FloatArray] | None,
) -> FloatArray:
    """The square root of sum n_kl change_kl^2 / (n (n - 1)).

    change_kl: the amount by which an item of cell (k, l) lowers alpha through its share in observed and expected
    difference; slopes: the same through the ranks on which differences depend.
    """
    total = 2 * n
    ratio = total * observed / expected
    by_row = (ratio / total)[:, None] * spread
    change = 2 * (by_row[:, :, None] + by_row[:, None, :] - d)
    change += (2 * observed / total - 4 * ratio * expected / total**2)[:, None, None]
    if slopes is not None:
        by_rank = (2 * ratio / total)[:, None] * slopes[1] - slopes[0]
        change += by_rank[:, :, None] + by_rank[:, None, :]
    change *= (total**2 / (2 * expected))[:, None, None]
    return np.sqrt(np.einsum("pkl,pkl,pkl->p", counts, change, change) / (n * (n - 1)))
