"""The interval of a study with more items, if its raters agree as well as those of a smaller one."""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import fdtri, stdtrit

from reports.agreement.intervals.wilson import wilson_limits
from reports.agreement.numbers.icc import TwoWayMeanSquares, absolute_limits

# Number of items -> both limits.
Limits = Callable[[int], tuple[float, float]]


def by_square_root(value: float, *, low: float, high: float, n_items: int) -> Limits:
    """An interval whose reach to either side decreases with the square root of the number of items."""

    def limits(n: int) -> tuple[float, float]:
        rate = math.sqrt(n_items / n)
        return value - (value - low) * rate, value + (high - value) * rate

    return limits


def over_items(value: float, *, se: float, n_items: int, confidence: float) -> Limits:
    """The t interval from linearized values, with a constant mean square over items: SE = sqrt(MS / (n - 1))."""
    mean_square = se * se * (n_items - 1)

    def limits(n: int) -> tuple[float, float]:
        margin = float(stdtrit(n - 1, (1 + confidence) / 2)) * math.sqrt(mean_square / (n - 1))
        return value - margin, value + margin

    return limits


def of_share(value: float, *, se: float, n_items: int, confidence: float) -> Limits:
    """Wilson's interval, for the effective number of independent items; see `linearised.share_interval`."""
    per_item = value * (1 - value) / (se * se * (n_items - 1))

    def limits(n: int) -> tuple[float, float]:
        low, high = wilson_limits(np.array(value), np.array(n * per_item), confidence=confidence)
        return float(low), float(high)

    return limits


def of_one_way(icc: float, *, n_raters: int, confidence: float) -> Limits:
    """The limits of ICC(1,1), with this many labels for each item."""
    return _of_ratio(icc, n_raters, confidence, lambda n: n * (n_raters - 1))


def of_consistency(icc: float, *, n_raters: int, confidence: float) -> Limits:
    """The limits of ICC(C,1)."""
    return _of_ratio(icc, n_raters, confidence, lambda n: (n - 1) * (n_raters - 1))


def of_agreement(icc: float, *, consistency: float, n_raters: int, n_items: int, confidence: float) -> Limits:
    """The limits of ICC(A,1), with the variances of items, raters, and error of the study, identified by its ICC(C,1).

    In units of the mean square of error, MSR = 1 + k c / (1 - c) for a consistency of c, and by the definition of
    ICC(A,1) the variance between raters, (MSC - MSE) / n, is (c - r) / (r (1 - c)). MSC - MSE increases with the items;
    MSC stays constant if raters differ less than by chance.
    Source of the limits: McGraw & Wong 1996, Psychological Methods 1, 30.
    """
    k, rows = n_raters, 1 + n_raters * consistency / (1 - consistency)
    variance = (consistency - icc) / (icc * (1 - consistency))

    def limits(n: int) -> tuple[float, float]:
        columns = 1 + (n if variance > 0 else n_items) * variance
        squares = TwoWayMeanSquares(
            np.array([float(n)]), k, *(np.array([each]) for each in (rows, columns, 1.0))
        )
        low, high = absolute_limits(squares, (1 + confidence) / 2)
        return float(low[0]), float(high[0])

    return limits


def _of_ratio(icc: float, k: int, confidence: float, within: Callable[[int], int]) -> Limits:
    """The limits from the ratio of mean squares, 1 + k r / (1 - r), and its F distribution."""
    ratio, tail = 1 + k * icc / (1 - icc), (1 + confidence) / 2

    def limits(n: int) -> tuple[float, float]:
        low, high = ratio / float(fdtri(n - 1, within(n), tail)), ratio * float(fdtri(within(n), n - 1, tail))
        return (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)

    return limits
