"""Krippendorff's alpha."""

import numpy as np

from reports.agreement.overall.chance_corrected import patterns_of, weights_of
from reports.agreement.overall.linearised_alpha import (
    RankChange,
    linearised_alpha,
    rank_slopes,
    ranked_spread_pulls,
)
from reports.agreement.patterns import ItemPatterns
from reports.agreement.results import FloatArray
from reports.agreement.sample import Scale
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level, category_values, distances


def krippendorff_alpha(patterns: ItemPatterns, scale: Scale, weights: FloatArray) -> FloatArray:
    """(B,) Krippendorff's alpha with the difference function of the scale's level.

    Over items with two or more labels: alpha = 1 - (N - 1) sum o_ck d_ck / sum n_c n_k d_ck, where o are
    coincidences (each pair of labels of an item counts 1 / (r_i - 1)), n_c their sums, and N the number of labels.
    NaN if the expected difference is 0.
    Source: Krippendorff 2011, Computing Krippendorff's alpha-reliability.
    """
    if scale.level is Level.ORDINAL:
        return _ordinal_alpha(patterns, scale, weights)
    d = distances(scale.level, label_counts=np.zeros(scale.n_categories), values=scale.values)
    return _fixed_alpha(patterns, weights, d)


def weighted_alpha(patterns: ItemPatterns, scale: Scale, weights: FloatArray) -> FloatArray:
    """(B,) alpha with the costs of the scale's weights as the difference function.

    Source: Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed.
    """
    return _fixed_alpha(patterns, weights, scale.weighting.costs)


def _fixed_alpha(patterns: ItemPatterns, weights: FloatArray, d: FloatArray) -> FloatArray:
    """(B,) alpha for a difference function that does not depend on the labels."""
    n_c = _label_counts(patterns, weights)
    observed = np.einsum("bu,u->b", weights, item_difference(patterns, d))
    expected = np.einsum("bc,bc->b", np.einsum("bk,ck->bc", n_c, d), n_c)
    return _alpha(n_c, observed, expected)


def _ordinal_alpha(patterns: ItemPatterns, scale: Scale, weights: FloatArray) -> FloatArray:
    """(B,) alpha for differences of mid-ranks m_c, which are specific to each sample.

    sum_ck x_c x_k (m_c - m_k)^2 = 2 (sum_c x_c sum_c x_c m_c^2 - (sum_c x_c m_c)^2), both for the labels x of an item
    and for those of all items: no (K, K) differences, and no loop over samples.
    """
    n_c = _label_counts(patterns, weights)
    total = n_c.sum(axis=1)
    ranks = _middle_ranks(scale, n_c)
    r = patterns.n_labels
    per_pair = np.where(r >= 2, 1 / np.maximum(r - 1, 1), 0)
    counts = patterns.counts.astype(np.float64)
    # Ranks are multiples of 1/2, so these products are exact in any order.
    item_ranks = ranks @ counts.T
    spread = (ranks**2) @ counts.T * r - item_ranks**2
    observed = 2 * np.einsum("bu,bu,u->b", weights, spread, per_pair)
    expected = 2 * (total * (n_c * ranks**2).sum(axis=1) - (n_c * ranks).sum(axis=1) ** 2)
    return _alpha(n_c, observed, expected)


def _middle_ranks(scale: Scale, n_c: FloatArray) -> FloatArray:
    """(B, K) mid-ranks: the number of labels before the middle of each category, minus half of all labels."""
    order = np.argsort(category_values(scale.n_categories, scale.values), kind="stable")
    ranks = np.empty_like(n_c)
    ranks[:, order] = np.cumsum(n_c[:, order], axis=1) - n_c[:, order] / 2
    # Differences do not depend on the origin; relative to the middle, squares stay small.
    return ranks - np.floor(n_c.sum(axis=1, keepdims=True) / 2)


def _alpha(n_c: FloatArray, observed: FloatArray, expected: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - (n_c.sum(axis=1) - 1) * observed / expected, np.nan)


def _label_counts(patterns: ItemPatterns, weights: FloatArray) -> FloatArray:
    """(B, K) the number n_c of labels of each category on items with two or more labels."""
    is_single = patterns.n_labels < 2
    return patterns.category_sums(np.where(is_single, 0, weights) if is_single.any() else weights)


def item_difference(patterns: ItemPatterns, d: FloatArray) -> FloatArray:
    """(U,) an item's sum of o_ck d_ck: the differences of its ordered pairs of labels / (r_i - 1); 0 for one label."""
    r = patterns.n_labels
    others = np.maximum(r - 1, 1)
    if (d == 1).sum() == len(d) * (len(d) - 1):
        return (r * (r - 1) - patterns.n_agreeing) / others
    return patterns.item_products(d) / others


def item_alpha(patterns: ItemPatterns, scale: Scale, value: float) -> FloatArray:
    """(U,) the linearized 1 - N sum o d / sum n n d; NaN for items with one label.

    On the ordinal level, an item changes alpha by its labels and by shifting all ranks.
    Source: Gwet 2011, On the Krippendorff's alpha coefficient.
    """
    n_c = _label_counts(patterns, patterns.n_items[None, :].astype(np.float64))
    ranks = _rank_change(patterns, scale, n_c) if scale.level is Level.ORDINAL else None
    return _linearised(
        patterns, value, distances(scale.level, label_counts=n_c[0], values=scale.values), ranks
    )


def _rank_change(patterns: ItemPatterns, scale: Scale, n_c: FloatArray) -> RankChange:
    order = np.argsort(category_values(scale.n_categories, scale.values), kind="stable")
    ranks, r = _middle_ranks(scale, n_c)[0], patterns.n_labels
    per_pair = np.where(r >= 2, patterns.n_items / np.maximum(r - 1, 1), 0)
    # sum_k o_ck (m_c - m_k): for an item, r_c (r m_c - sum_k r_k m_k) / (r - 1).
    factors = np.stack([per_pair * r, per_pair * patterns.item_sums(ranks)])
    by_label, by_rank = patterns.category_sums(factors)
    slopes = np.empty((2, scale.n_categories))
    pulls = np.stack([by_label * ranks - by_rank, ranked_spread_pulls(n_c[0], ranks)])
    slopes[:, order] = rank_slopes(pulls[:, order])
    return RankChange(patterns.item_sums(slopes[0]), patterns.item_sums(slopes[1]) / 2)


def item_weighted_alpha(patterns: ItemPatterns, scale: Scale, value: float) -> FloatArray:
    """(U,) the same with the costs of the scale's weights."""
    return _linearised(patterns, value, scale.weighting.costs)


def _linearised(
    patterns: ItemPatterns, value: float, d: FloatArray, ranks: RankChange | None = None
) -> FloatArray:
    used = np.where(patterns.n_labels >= 2, patterns.n_items, 0).astype(np.float64)
    n_c = patterns.category_sums(used[None, :])[0]
    spread = np.einsum("ck,k->c", d, n_c)
    return linearised_alpha(
        value,
        n_labels=patterns.n_labels,
        used=used,
        observed=item_difference(patterns, d),
        item_spread=patterns.item_sums(spread),
        ranks=ranks,
    )


KRIPPENDORFF_ALPHA = Statistic(
    name="krippendorff_alpha",
    units=patterns_of,
    values=krippendorff_alpha,
    item_values=item_alpha,
    method=lambda scale: str(scale.level),
)
WEIGHTED_ALPHA = Statistic(
    name="krippendorff_alpha_weighted",
    weighted_name="krippendorff_alpha_weighted",
    units=patterns_of,
    values=weighted_alpha,
    item_values=item_weighted_alpha,
    method=weights_of,
)
