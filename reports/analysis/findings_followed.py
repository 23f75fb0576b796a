"""Whether a finding of one report is smaller in the next, item by item where both have the same items."""

import math
from dataclasses import dataclass, replace

import numpy as np

from reports.agreement.intervals.difference import PAIRED, Difference, with_error
from reports.agreement.results import FloatArray, IntArray, Reason
from reports.analysis.label_arrays import LabelColumns

# A standard error below this is rounding error.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ItemShares:
    """items: (N,) IDs, ascending. shares: (N,) one per item; their mean is what is followed."""

    items: IntArray
    shares: FloatArray


def confused(labels: LabelColumns, first: int, second: int) -> ItemShares:
    """Return, for each item with two or more labels, the share of its pairs of labels with one of each category."""
    items, place = np.unique(labels.items, return_inverse=True)
    n, a, b = (
        np.bincount(place[chosen], minlength=len(items)).astype(np.float64)
        for chosen in (slice(None), labels.values == first, labels.values == second)
    )
    has_pairs = n >= 2
    return ItemShares(items[has_pairs], a[has_pairs] * b[has_pairs] / (n[has_pairs] * (n[has_pairs] - 1) / 2))


def differing(labels: LabelColumns, rater: int) -> ItemShares:
    """Return, for each item that the rater and others labeled, the share of the others whose label differs."""
    is_own = labels.raters == rater
    order = np.argsort(labels.items[is_own], kind="stable")
    own_items, own_values = labels.items[is_own][order], labels.values[is_own][order]
    others = labels.of(~is_own & np.isin(labels.items, own_items))
    items, place = np.unique(others.items, return_inverse=True)
    differ = others.values != own_values[np.searchsorted(own_items, others.items)]
    return ItemShares(items, np.bincount(place, weights=differ) / np.maximum(np.bincount(place), 1))


def change_of(then: ItemShares, now: ItemShares, *, confidence: float) -> Difference:
    """Return now minus then, paired over the items that both have; a side without variation is included.

    As in `linearised_difference`; t has one degree of freedom less than the smaller number of items of the two sides.
    There is no interval with fewer than two items on a side, or with no variation at all.
    """
    items = np.union1d(then.items, now.items)
    found = Difference(
        value=_mean(now) - _mean(then),
        first=_mean(now),
        second=_mean(then),
        n_first=len(now.items),
        n_second=len(then.items),
        n_shared=len(np.intersect1d(now.items, then.items)),
        method=PAIRED,
    )
    least = min(found.n_first, found.n_second)
    if least < 2:
        return replace(found, reason=Reason.ONE_ITEM)
    parts = _part(now, items) - _part(then, items)
    se = math.sqrt(float((parts**2).sum()))
    if se < ROUNDING:
        return replace(found, se=0.0, reason=Reason.DEGENERATE_SE)
    return with_error(found, _mean(now) - _mean(then), se, df=least - 1, confidence=confidence)


def _mean(side: ItemShares) -> float:
    return float(side.shares.mean()) if len(side.shares) else math.nan


def _part(side: ItemShares, items: IntArray) -> FloatArray:
    """Return each item's contribution to the standard error of the mean."""
    n, part = len(side.items), np.zeros(len(items))
    part[np.searchsorted(items, side.items)] = (side.shares - side.shares.mean()) / math.sqrt(n * (n - 1))
    return part
