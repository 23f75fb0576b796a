"""Krippendorff's alpha."""

import numpy as np
from numpy.typing import NDArray

from reports.agreement.overall.chance_corrected import patterns_of
from reports.agreement.overall.statistic import Statistic
from reports.agreement.patterns import ItemPatterns
from reports.agreement.results import FloatArray
from reports.agreement.sample import Scale
from reports.agreement.weights import Level, distances


def krippendorff_alpha(patterns: ItemPatterns, scale: Scale, weights: FloatArray) -> FloatArray:
    """(B,) Krippendorff's alpha with the difference of the scale's level.

    Over items with two labels or more: alpha = 1 - (N - 1) sum o_ck d_ck / sum n_c n_k d_ck, where o are
    coincidences (each pair of labels of an item counts 1 / (r_i - 1)), n_c their sums and N the number of labels.
    NaN if the expected difference is 0.
    Source: Krippendorff 2011, Computing Krippendorff's alpha-reliability.
    """
    pairable = np.where(patterns.n_labels >= 2, weights, 0)
    n_c = patterns.category_sums(pairable)
    total = n_c.sum(axis=1)
    values = np.full(len(weights), np.nan)
    for sample, d in enumerate(_differences(scale, n_c)):
        expected = np.einsum("c,ck,k->", n_c[sample], d, n_c[sample])
        if expected > 0:
            observed = (pairable[sample] * item_difference(patterns, scale, d)).sum()
            values[sample] = 1 - (total[sample] - 1) * observed / expected
    return values


def _differences(scale: Scale, n_c: FloatArray) -> list[FloatArray]:
    """The differences between categories in each sample; ordinal ones depend on the labels there."""
    if scale.level is Level.ORDINAL:
        return [distances(scale.level, label_counts=counts, values=scale.values) for counts in n_c]
    return [distances(scale.level, label_counts=n_c[0], values=scale.values)] * len(n_c)


def item_difference(patterns: ItemPatterns, scale: Scale, d: FloatArray) -> FloatArray:
    """(U,) an item's sum of o_ck d_ck: the differences of its ordered pairs of labels / (r_i - 1); 0 for one label."""
    r = patterns.n_labels
    others = np.maximum(r - 1, 1)
    if scale.level is Level.NOMINAL:
        return (r * (r - 1) - patterns.n_agreeing) / others
    return patterns.item_products(d) / others


def item_alpha(patterns: ItemPatterns, scale: Scale, value: float) -> FloatArray:
    """(U,) the linearised 1 - N sum o d / sum n n d, with d held as it is; NaN for items with one label.

    Source: Gwet 2011, On the Krippendorff's alpha coefficient.
    """
    used = np.where(patterns.n_labels >= 2, patterns.n_items, 0).astype(np.float64)
    n_c = patterns.category_sums(used[None, :])[0]
    d = distances(scale.level, label_counts=n_c, values=scale.values)
    spread = np.einsum("ck,k->c", d, n_c)
    return linearised_alpha(
        value,
        n_labels=patterns.n_labels,
        used=used,
        observed=item_difference(patterns, scale, d),
        item_spread=patterns.item_sums(spread),
    )


def linearised_alpha(
    value: float,
    *,
    n_labels: NDArray[np.int64],
    used: FloatArray,
    observed: FloatArray,
    item_spread: FloatArray,
) -> FloatArray:
    """(U,) the linearised alpha on each kind of item, whatever the difference d; NaN for items with one label.

    used: (U,) items of each kind, 0 for those with one label. observed: (U,) their sums of o_ck d_ck. item_spread:
    (U,) the sum over an item's labels c of sum_k n_k d_ck.
    """
    r = n_labels.astype(np.float64)
    expected, total = float((item_spread * used).sum()), float((r * used).sum())
    total_observed = float((observed * used).sum())
    # What each item takes from observed and expected difference beyond its share by its number of labels.
    observed_change = r * total_observed / total - observed
    expected_change = r * expected / total**2 - item_spread / total
    mean_labels = total / used.sum()
    ratio = total * total_observed / expected
    change = (observed_change - 2 * ratio * expected_change) / (mean_labels * expected / total**2)
    return np.where(n_labels >= 2, value + change, np.nan)


KRIPPENDORFF_ALPHA = Statistic(
    name="krippendorff_alpha",
    units=patterns_of,
    values=krippendorff_alpha,
    item_values=item_alpha,
    method=lambda scale: str(scale.level),
)
