"""Agreement of all raters on each category: specific agreement, and kappa and alpha of one against the rest."""

from dataclasses import replace
from functools import partial

import numpy as np

from reports.agreement.overall.chance_corrected import FLEISS_KAPPA, patterns_of
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.overall.linearised import WILSON, linearised_interval, spread, wilson_interval
from reports.agreement.patterns import ItemPatterns
from reports.agreement.results import REASONS, Estimates, FloatArray, Interval, Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic

TWO = Scale(2)


def by_category(sample: Sample, scale: Scale, *, confidence: float = 0.95) -> dict[str, Estimates]:
    """(K,) estimates for each category, by the name of the statistic; n: its labels on items with two or more.

    Undefined for all: `no_items`, `no_overlap`; for a category that nobody used on those items: `category_unused`; for
    kappa and alpha of the only category in use: `no_variation`.
    """
    return {
        each.name: category_estimates(each, sample, scale, confidence=confidence) for each in OF_CATEGORIES
    }


def category_estimates(
    statistic: Statistic, sample: Sample, scale: Scale, *, confidence: float = 0.95
) -> Estimates:
    """(K,) one statistic for each category, with intervals over items from its linearized values."""
    n_categories = sample.ratings.n_categories
    n = _label_counts(sample)
    rows = [
        _estimate(statistic, sample, scale, category, bool(n[category]), confidence)
        for category in range(n_categories)
    ]
    columns = np.array([[value, found.se, found.low, found.high] for value, found in rows], dtype=np.float64)
    value, se, low, high = columns.reshape(n_categories, 4).T
    reason = [REASONS.index(found.reason) for _, found in rows]
    return Estimates(
        value=value,
        se=se,
        ci_low=low,
        ci_high=high,
        n=n,
        reason=np.array(reason, dtype=np.uint8),
        method=statistic.method(scale),
        interval_method=next((each.method for _, each in rows if each.method), ""),
    )


def _label_counts(sample: Sample) -> np.ndarray:
    pairable = sample.patterns.pairable
    return np.einsum("u,uk->k", pairable.n_items, pairable.counts, dtype=np.int64)


def _estimate(
    statistic: Statistic, sample: Sample, scale: Scale, category: int, is_used: bool, confidence: float
) -> tuple[float | None, Interval]:
    reason = _why_undefined(sample, is_used)
    if reason:
        return None, Interval(reason=reason, method="")
    patterns = against_the_rest(sample.patterns, category)
    of_one = ONE_CATEGORY[statistic.name]
    value = float(of_one.values(patterns, TWO, patterns.n_items[None, :].astype(np.float64))[0])
    if np.isnan(value) or of_one.item_values is None:
        return None, Interval(reason=Reason.NO_VARIATION, method="")
    item_values = of_one.item_values(patterns, TWO, value)
    return value, of_one.interval(value, item_values, patterns, confidence)


def _why_undefined(sample: Sample, is_used: bool) -> Reason:
    if not sample.size.n_items:
        return Reason.NO_ITEMS
    if not sample.pairable_size.n_items:
        return Reason.NO_OVERLAP
    return Reason.NONE if is_used else Reason.CATEGORY_UNUSED


def against_the_rest(patterns: ItemPatterns, category: int) -> ItemPatterns:
    """Return the same kinds of items with two categories: this one and all others."""
    chosen = patterns.counts[:, category].astype(np.int64)
    return ItemPatterns(
        np.stack((chosen, patterns.n_labels - chosen), axis=1).astype(np.uint32), patterns.n_items
    )


def specific_agreement(patterns: ItemPatterns, scale: Scale, weights: FloatArray) -> FloatArray:
    """(B,) for the first of two categories, sum_i r_i1 (r_i1 - 1) / sum_i r_i1 (r_i - 1); NaN if nobody used it.

    The probability that another label of an item is in the category, given that one of its labels is.
    Sources: Dice 1945; Spitzer & Fleiss 1974; Cicchetti & Feinstein 1990.
    """
    agreeing, all_pairs = _pairs(patterns)
    n_pairs = np.einsum("bu,u->b", weights, all_pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n_pairs > 0, np.einsum("bu,u->b", weights, agreeing) / n_pairs, np.nan)


def item_specific_agreement(patterns: ItemPatterns, scale: Scale, value: float) -> FloatArray:
    """(U,) the linearized ratio of its two sums; NaN for items with one label."""
    agreeing, all_pairs = _pairs(patterns)
    is_pairable = patterns.n_labels >= 2
    mean = (all_pairs * patterns.n_items).sum() / patterns.n_items[is_pairable].sum()
    return np.where(is_pairable, value + (agreeing - value * all_pairs) / mean, np.nan)


def specific_interval(
    value: float, item_values: FloatArray, patterns: ItemPatterns, confidence: float
) -> Interval:
    """The interval of specific agreement S, from Wilson's interval for J = S / (2 - S).

    For two raters, J is the share of items in the category for both among those in it for either: a share of items,
    which S is not. For more raters, the interval uses the number of independent items that would give the error of J
    (`share_interval`). Fewer than two items with a label in the category: no interval (`n<2`).
    """
    found = linearised_interval(value, item_values, patterns, confidence)
    n_using = int(patterns.n_items[(patterns.counts[:, 0] > 0) & (patterns.n_labels >= 2)].sum())
    if n_using < 2 or found.reason is Reason.ONE_ITEM:
        return Interval(reason=Reason.ONE_ITEM, method=WILSON)
    n, mean_square = spread(value, item_values, patterns)
    slope = 2 / (2 - value) ** 2
    of_items = wilson_interval(
        value / (2 - value),
        n if mean_square else n_using,
        slope**2 * mean_square,
        se=found.se,
        confidence=confidence,
    )
    if of_items.low is None or of_items.high is None:
        return of_items
    return replace(
        of_items, low=2 * of_items.low / (1 + of_items.low), high=2 * of_items.high / (1 + of_items.high)
    )


def _pairs(patterns: ItemPatterns) -> tuple[FloatArray, FloatArray]:
    """(U,) ordered pairs of labels whose first is in the category: those whose second is too, and all."""
    chosen = patterns.counts[:, 0].astype(np.float64)
    return chosen * (chosen - 1), chosen * (patterns.n_labels - 1)


def _of_each(patterns: ItemPatterns, scale: Scale, weights: FloatArray, *, of_one: Statistic) -> FloatArray:
    """(B, K) the statistic for each category against the rest."""
    each = [against_the_rest(patterns, category) for category in range(patterns.n_categories)]
    return np.stack([of_one.values(two, TWO, weights) for two in each], axis=1)


SPECIFIC_AGREEMENT_OF_ONE = Statistic(
    name="specific_agreement",
    units=patterns_of,
    values=specific_agreement,
    item_values=item_specific_agreement,
    interval=specific_interval,
    lowest=0.0,
    method=lambda scale: "pairs of labels",
)
ONE_CATEGORY = {each.name: each for each in (SPECIFIC_AGREEMENT_OF_ONE, FLEISS_KAPPA, KRIPPENDORFF_ALPHA)}


def _category_statistic(of_one: Statistic, method: str) -> Statistic:
    return Statistic(
        name=of_one.name,
        units=patterns_of,
        values=partial(_of_each, of_one=of_one),
        method=lambda scale: method,
        uses_single=of_one.uses_single,
        lowest=of_one.lowest,
    )


# One value for each category, for the bootstrap and the jackknife.
OF_CATEGORIES = (
    _category_statistic(SPECIFIC_AGREEMENT_OF_ONE, "pairs of labels"),
    _category_statistic(FLEISS_KAPPA, "one against the rest"),
    _category_statistic(KRIPPENDORFF_ALPHA, "one against the rest"),
)
