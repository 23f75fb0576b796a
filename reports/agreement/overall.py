"""The coefficients of all raters together, each from the patterns of labels on items."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reports.agreement.linearised import (
    chance_corrected,
    item_agreement,
    refusal,
    undefined,
    with_interval,
)
from reports.agreement.patterns import ItemPatterns, item_patterns
from reports.agreement.ratings import Ratings
from reports.agreement.results import Coefficient, Reason
from reports.agreement.weights import Level, distances


@dataclass(frozen=True, slots=True)
class Scale:
    """The level of measurement of a question, and the numeric values of its categories if they have any."""

    level: Level = Level.NOMINAL
    values: tuple[float, ...] | None = None


def overall(
    ratings: Ratings, level: Level | str = Level.NOMINAL, values: Sequence[float] | None = None
) -> dict[str, Coefficient]:
    """Every coefficient of all raters, by name."""
    patterns = item_patterns(ratings)
    scale = Scale(Level(level), None if values is None else tuple(values))
    return {name: coefficient(patterns, scale) for name, coefficient in COEFFICIENTS.items()}


def percent_agreement(patterns: ItemPatterns, scale: Scale) -> Coefficient:
    """The mean over items with two labels or more of the share of agreeing pairs of labels.

    Undefined if no item has two labels (`no_overlap`). Sources: Fleiss 1971; Gwet 2014.
    """
    method = "item mean"
    if refused := refusal(patterns, method):
        return refused
    agreement = item_agreement(patterns)
    is_pairable = patterns.n_labels >= 2
    value = patterns.pairable.mean(agreement[is_pairable])
    n_ratio = patterns.n_items.sum() / patterns.n_items[is_pairable].sum()
    return with_interval(value, n_ratio * agreement, patterns, method)


def fleiss_kappa(patterns: ItemPatterns, scale: Scale) -> Coefficient:
    """Fleiss' kappa, generalised to items with different numbers of labels.

    pe = sum_k pi_k^2, pi_k = mean over items of r_ik / r_i. Undefined if no item has two labels
    (`no_overlap`) or only one category was used (`no_variation`).
    Sources: Fleiss 1971, Psychological Bulletin 76, 378-382; Gwet 2014, chapter 5, for missing labels and the
    error.
    """
    method = "generalised, unweighted"
    if refused := refusal(patterns, method):
        return refused
    pi = patterns.prevalence
    if np.count_nonzero(pi) < 2:
        return undefined(patterns, Reason.NO_VARIATION, method)
    item_expected = patterns.mean_prevalence
    return chance_corrected(patterns, expected=math.fsum(pi * pi), item_expected=item_expected, method=method)


def gwet_ac1(patterns: ItemPatterns, scale: Scale) -> Coefficient:
    """Gwet's AC1 over the q declared categories.

    pe = sum_k pi_k (1 - pi_k) / (q - 1). Undefined if no item has two labels (`no_overlap`) or only one
    category is declared (`no_variation`); 1 if all labels are equal and two categories or more are declared.
    Sources: Gwet 2008, British Journal of Mathematical and Statistical Psychology 61, 29-48; Gwet 2014,
    chapter 5.
    """
    method = "unweighted"
    if refused := refusal(patterns, method):
        return refused
    q = patterns.n_categories
    if q < 2:
        return undefined(patterns, Reason.NO_VARIATION, method)
    pi = patterns.prevalence
    expected = math.fsum(pi * (1 - pi)) / (q - 1)
    item_expected = (1 - patterns.mean_prevalence) / (q - 1)
    return chance_corrected(patterns, expected=expected, item_expected=item_expected, method=method)


def krippendorff_alpha(patterns: ItemPatterns, scale: Scale) -> Coefficient:
    """Krippendorff's alpha with the difference of the scale's level.

    Over items with two labels or more: alpha = 1 - (N - 1) sum o_ck d_ck / sum n_c n_k d_ck, where o are
    coincidences (each pair of labels of an item counts 1 / (r_i - 1)), n_c their sums and N the number of
    labels.
    Undefined if no item has two labels (`no_overlap`) or the expected difference is 0 (`no_variation`). The
    error is that of 1 - N sum o d / sum n n d, linearised over items with d held as it is, as Gwet has it; t
    with pairable items - 1 degrees of freedom.
    Sources: Krippendorff 2011; Gwet 2011, On the Krippendorff's alpha coefficient, for the error.
    """
    method = str(scale.level)
    if refused := refusal(patterns, method):
        return refused
    used = patterns.pairable
    n_c = used.category_sums(np.ones(len(used.counts)))
    d = distances(scale.level, label_counts=n_c, values=scale.values)
    total = n_c.sum()
    spread = np.einsum("ck,k->c", d, n_c)
    expected = math.fsum(n_c * spread)
    if expected == 0:
        return undefined(used, Reason.NO_VARIATION, method)
    r = used.n_labels.astype(np.float64)
    if scale.level is Level.NOMINAL:
        observed = (r * (r - 1) - used.n_agreeing) / (r - 1)
    else:
        observed = used.item_products(d) / (r - 1)
    total_observed = math.fsum(observed * used.n_items)
    value = 1 - (total - 1) * total_observed / expected
    # What each item takes from observed and expected difference beyond its share by its number of labels.
    observed_change = r * total_observed / total - observed
    expected_change = r * expected / total**2 - used.item_sums(spread) / total
    mean_labels = total / used.n_items.sum()
    ratio = total * total_observed / expected
    change = (observed_change - 2 * ratio * expected_change) / (mean_labels * expected / total**2)
    return with_interval(value, value + change, used, method)


COEFFICIENTS: dict[str, Callable[[ItemPatterns, Scale], Coefficient]] = {
    "percent_agreement": percent_agreement,
    "fleiss_kappa": fleiss_kappa,
    "krippendorff_alpha": krippendorff_alpha,
    "gwet_ac1": gwet_ac1,
}
