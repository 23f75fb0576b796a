"""Shares of agreement other than the item mean: unanimous items, and two other averages over items."""

from collections.abc import Callable
from functools import partial

import numpy as np

from reports.agreement.overall.chance_corrected import item_agreement, patterns_of, weights_of
from reports.agreement.overall.linearised import share_interval
from reports.agreement.patterns import ItemPatterns
from reports.agreement.results import FloatArray
from reports.agreement.sample import Scale
from reports.agreement.statistic import Statistic

# (U,) the weight of an item in a mean over items.
Counting = Callable[[ItemPatterns], FloatArray]


def once(patterns: ItemPatterns) -> FloatArray:
    return (patterns.n_labels >= 2).astype(np.float64)


def by_labels(patterns: ItemPatterns) -> FloatArray:
    return np.where(patterns.n_labels >= 2, patterns.n_labels, 0).astype(np.float64)


def by_pairs(patterns: ItemPatterns) -> FloatArray:
    return (patterns.n_labels * (patterns.n_labels - 1)).astype(np.float64)


def is_alike(patterns: ItemPatterns, scale: Scale) -> FloatArray:
    """(U,) 1 where all labels of an item are the same."""
    return (patterns.counts.max(axis=1, initial=0) == patterns.n_labels).astype(np.float64)


Share = Callable[[ItemPatterns, Scale], FloatArray]


def mean_share(
    patterns: ItemPatterns, scale: Scale, weights: FloatArray, *, share: Share, counting: Counting
) -> FloatArray:
    """(B,) the weighted mean of an item's share over items with two or more labels."""
    counts = counting(patterns)
    with np.errstate(invalid="ignore"):
        return np.einsum("bu,u->b", weights, counts * share(patterns, scale)) / np.einsum(
            "bu,u->b", weights, counts
        )


def item_mean_share(
    patterns: ItemPatterns, scale: Scale, value: float, *, share: Share, counting: Counting
) -> FloatArray:
    """(U,) the linearized ratio of two means; NaN for items with one label."""
    counts, is_pairable = counting(patterns), patterns.n_labels >= 2
    mean = (counts * patterns.n_items).sum() / patterns.n_items[is_pairable].sum()
    return np.where(is_pairable, value + counts * (share(patterns, scale) - value) / mean, np.nan)


def _statistic(
    name: str, share: Share, counting: Counting, method: str, *, weighted_name: str = ""
) -> Statistic:
    return Statistic(
        name=name,
        weighted_name=weighted_name,
        units=patterns_of,
        values=partial(mean_share, share=share, counting=counting),
        item_values=partial(item_mean_share, share=share, counting=counting),
        method=lambda scale: method if share is is_alike else f"{method}, {weights_of(scale)}",
        interval=share_interval,
        is_share=True,
        lowest=0.0,
    )


ALL_AGREE = _statistic("all_agree", is_alike, once, "all labels of an item alike")
# 1 - Do of Krippendorff's alpha.
PERCENT_AGREEMENT_BY_LABELS = _statistic(
    "percent_agreement_by_labels",
    item_agreement,
    by_labels,
    "items by their labels",
    weighted_name="percent_agreement_by_labels_weighted",
)
PERCENT_AGREEMENT_BY_PAIRS = _statistic(
    "percent_agreement_by_pairs",
    item_agreement,
    by_pairs,
    "items by their pairs of labels",
    weighted_name="percent_agreement_by_pairs_weighted",
)
