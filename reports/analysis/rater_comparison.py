"""Compare every rater with the others: how close their labels are on the same items."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from reports.agreement.few_items import LEAST_ITEMS
from reports.agreement.intervals.holm import holm
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.ratings import Ratings
from reports.agreement.results import FloatArray, IntArray
from reports.agreement.weights import Level
from reports.analysis.results import RatersVersusOthers, RaterVersusOthers

# (labels, labels) -> distances between labels; broadcasts.
Distance = Callable[[NDArray[Any], NDArray[Any]], FloatArray]
# Limit on pairs of labels of the same item: some seconds.
MAX_PAIRS = 200_000_000
BLOCK = 2_000_000
# A standard deviation below this share of the distances is rounding error.
ROUNDING = 1e-12


def raters_versus_others(
    items: IntArray,
    raters: IntArray,
    labels: NDArray[Any],
    distance: Distance,
    keys: Sequence[str],
    *,
    measure: str,
    confidence: float,
) -> RatersVersusOthers | None:
    """Return the mean closeness over items of a rater's label to those of the others, with a t interval over items.

    items, raters, labels: (L,), ordered by item. On an item with m labels, the distance of a rater is the mean to the
    m - 1 others. Each rater is tested against the others on the same items: with m >= 3, let d be the rater's distance
    minus the mean distance of the others. If each label of an item is equally likely to be the rater's, d has mean 0
    and variance the mean of d^2 over the raters of the item: sum d / sqrt(sum of variances) is compared with the
    normal distribution, where labels differ on LEAST_ITEMS or more items, with Holm's correction for all raters. The
    interval of the mean of d is a t interval over items.
    measure: "agreement", 1 - distance, or "difference", the distance itself. None where there are too many labels.
    Sources: Student 1908, Biometrika 6, 1-25; Pitman 1937, Supplement to the Journal of the Royal Statistical Society
    4, 119-130, for the test; Holm 1979, Scandinavian Journal of Statistics 6, 65-70.
    """
    if _has_too_many_pairs(np.bincount(items, minlength=1)):
        return None
    order = np.argsort(raters, kind="stable")
    ends = np.cumsum(np.bincount(raters, minlength=len(keys)))[:-1]
    own, others, variance = (np.split(found[order], ends) for found in _distances(items, labels, distance))
    of_each = zip(keys, own, others, variance, strict=True)
    rows = [_rater_versus_others(*each, measure, confidence) for each in of_each]
    p_values = [p_value for _, p_value in rows]
    return RatersVersusOthers(
        measure=measure,
        n_tested=sum(p_value is not None for p_value in p_values),
        raters=tuple(row.tested(p_value) for (row, _), p_value in zip(rows, holm(p_values), strict=True)),
    )


def category_raters_versus_others(
    ratings: Ratings, distances: FloatArray, keys: Sequence[str], *, confidence: float
) -> RatersVersusOthers | None:
    """Return standings of single choices. distances: (K, K) between categories."""
    layout = ratings.layout
    sizes = [np.diff(layout.item_bounds(block)) for block in ratings.packed_blocks()]
    # Before all labels are unpacked, which takes several times their memory.
    if _has_too_many_pairs(np.concatenate([np.empty(0, dtype=np.int64), *sizes])):
        return None
    labels = np.concatenate([np.empty(0, dtype=np.uint64), *ratings.packed_blocks()])
    return raters_versus_others(
        layout.items(labels),
        layout.raters(labels),
        layout.codes(labels),
        lambda a, b: distances[a, b],
        keys,
        measure="agreement",
        confidence=confidence,
    )


def number_raters_versus_others(
    sample: NumberSample, level: Level, keys: Sequence[str], *, confidence: float
) -> RatersVersusOthers | None:
    """Return standings by the absolute difference of numbers; on a nominal scale, by whether they are equal."""
    is_nominal = level is Level.NOMINAL
    return raters_versus_others(
        sample.items,
        sample.raters,
        sample.values,
        (lambda a, b: (a != b).astype(np.float64)) if is_nominal else (lambda a, b: np.abs(a - b)),
        keys,
        measure="agreement" if is_nominal else "difference",
        confidence=confidence,
    )


def _has_too_many_pairs(n_labels: IntArray) -> bool:
    """n_labels: of each item."""
    return int((n_labels.astype(float) * (n_labels - 1)).sum()) > MAX_PAIRS


def _distances(
    items: IntArray, labels: NDArray[Any], distance: Distance
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (L,) each label's mean distance to the others of its item, that minus the mean of theirs, and variance.

    NaN for none.
    """
    own, difference, variance = (np.full(len(items), np.nan) for _ in range(3))
    n_labels = np.bincount(items, minlength=1)
    starts = np.cumsum(n_labels) - n_labels
    for m in np.unique(n_labels[n_labels > 1]).tolist():
        for places in _blocks(starts[n_labels == m][:, None] + np.arange(m), m):
            found = labels[places]
            sums = distance(found[:, :, None], found[:, None, :]).sum(axis=2)
            own[places] = sums / (m - 1)
            if m > 2:
                mean = sums.sum(axis=1, keepdims=True) / (m * (m - 1))
                difference[places] = (own[places] - mean) * m / (m - 1)
                variance[places] = (difference[places] ** 2).mean(axis=1, keepdims=True)
    return own, difference, variance


def _blocks(places: IntArray, m: int) -> Iterator[IntArray]:
    step = max(1, BLOCK // m**2)
    for start in range(0, len(places), step):
        yield places[start : start + step]


def _rater_versus_others(
    key: str, own: FloatArray, others: FloatArray, variance: FloatArray, measure: str, confidence: float
) -> tuple[RaterVersusOthers, float | None]:
    """Return the rater's figures, and the p-value of the test, None if there is none."""
    # Sorted, so that sums are the same to the last digit for any order of the items.
    own, others = np.sort(own[~np.isnan(own)]), np.sort(others[~np.isnan(others)])
    if measure == "agreement":
        own, others = 1 - own, -others
    value, low, high = _mean(own, confidence)
    difference, diff_low, diff_high = _mean(others, confidence)
    if measure == "agreement" and low is not None and high is not None:
        low, high = max(low, 0.0), min(high, 1.0)
    elif low is not None:
        low = max(low, 0.0)
    found = RaterVersusOthers(
        rater=key,
        n_items=len(own),
        value=value,
        ci_low=low,
        ci_high=high,
        difference=difference,
        difference_ci_low=diff_low,
        difference_ci_high=diff_high,
    )
    differing = np.sort(variance[variance > 0])
    if len(differing) < LEAST_ITEMS:
        return found, None
    return found, 2 * float(ndtr(-abs(others.sum()) / math.sqrt(differing.sum())))


def _mean(values: FloatArray, confidence: float) -> tuple[float | None, float | None, float | None]:
    """Return the mean and its t interval."""
    n = len(values)
    if not n:
        return None, None, None
    value = float(values.mean())
    sd = float(values.std(ddof=1)) if n > 1 else 0.0
    if sd <= ROUNDING * max(1e-300, float(np.abs(values).max())):
        return value, None, None
    se = sd / math.sqrt(n)
    reach = float(stdtrit(n - 1, (1 + confidence) / 2)) * se
    return value, value - reach, value + reach
