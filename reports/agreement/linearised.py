"""The standard error that coefficients of all raters share: the variance over items of linearised values."""

import math

import numpy as np
from scipy.special import stdtrit

from reports.agreement.patterns import ItemPatterns
from reports.agreement.results import Coefficient, FloatArray, Reason

CONFIDENCE = 0.95
# A mean square below this share of the squared value is rounding, not variation.
ROUNDING = 1e-24


def refusal(patterns: ItemPatterns, method: str) -> Coefficient | None:
    """The result without a value if no item has two labels, else None."""
    reason = Reason.NO_OVERLAP if len(patterns.counts) else Reason.NO_ITEMS
    return None if len(patterns.pairable.counts) else undefined(patterns, reason, method)


def undefined(patterns: ItemPatterns, reason: Reason, method: str) -> Coefficient:
    n_items, n_labels = sizes(patterns)
    return Coefficient(value=None, reason=reason, n_items=n_items, n_labels=n_labels, method=method)


def sizes(patterns: ItemPatterns) -> tuple[int, int]:
    """How many items and labels there are."""
    return int(patterns.n_items.sum()), int((patterns.n_labels * patterns.n_items).sum())


def with_interval(value: float, item_values: FloatArray, patterns: ItemPatterns, method: str) -> Coefficient:
    """A coefficient with standard error and t interval from its linearised value on each item.

    item_values: (U,), one for each pattern, whose mean over items is the coefficient.
    var = sum (value_i - value)^2 / (n (n - 1)), without a finite-population factor; t with n - 1 degrees of
    freedom; the upper limit is clipped at 1. Fewer than two pairable items: no error (`n<2`). All items
    alike: error 0 and no interval in full agreement (`degenerate_se`), no error either in anything less
    (`degenerate_margins`).
    Source: Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed., chapter 5.
    """
    n_items, n_labels = sizes(patterns)
    if patterns.pairable.n_items.sum() < 2:
        return Coefficient(
            value=value, reason=Reason.ONE_ITEM, n_items=n_items, n_labels=n_labels, method=method
        )
    mean_square = patterns.mean((item_values - value) ** 2)
    if mean_square <= ROUNDING * max(1.0, value * value):
        is_full = math.isclose(value, 1, abs_tol=1e-12)
        return Coefficient(
            value=value,
            se=0.0 if is_full else None,
            reason=Reason.DEGENERATE_SE if is_full else Reason.DEGENERATE_MARGINS,
            n_items=n_items,
            n_labels=n_labels,
            method=method,
        )
    se = math.sqrt(mean_square / (n_items - 1))
    margin = float(stdtrit(n_items - 1, (1 + CONFIDENCE) / 2)) * se
    return Coefficient(
        value=value,
        se=se,
        ci_low=value - margin,
        ci_high=min(1.0, value + margin),
        n_items=n_items,
        n_labels=n_labels,
        method=method,
    )


def item_agreement(patterns: ItemPatterns) -> FloatArray:
    """(U,) share of agreeing pairs of labels, sum_k r_ik (r_ik - 1) / (r_i (r_i - 1)); 0 for one label."""
    r = patterns.n_labels
    return patterns.n_agreeing / np.maximum(r * (r - 1), 1)


def chance_corrected(
    patterns: ItemPatterns, *, expected: float, item_expected: FloatArray, method: str
) -> Coefficient:
    """(pa - pe) / (1 - pe) with the item-mean percent agreement pa, for any pe below 1.

    expected: pe. item_expected: (U,), the linearised pe of each item.
    kappa_i = (n / n2) (pa_i - pe) / (1 - pe) [0 for items with one label] - 2 (1 - kappa) (pe_i - pe) / (1 -
    pe).
    Source: Gwet 2014, chapter 5.
    """
    is_pairable = patterns.n_labels >= 2
    agreement = item_agreement(patterns)
    observed = patterns.pairable.mean(agreement[is_pairable])
    value = (observed - expected) / (1 - expected)
    n_ratio = patterns.n_items.sum() / patterns.n_items[is_pairable].sum()
    item_values = np.where(is_pairable, n_ratio * (agreement - expected), 0)
    item_values = (item_values - 2 * (1 - value) * (item_expected - expected)) / (1 - expected)
    return with_interval(value, item_values, patterns, method)
