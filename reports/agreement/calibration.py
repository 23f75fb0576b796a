"""Calibration of stated probabilities: the share of right labels at each, and the parts of the Brier score."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.intervals.wilson import wilson_limits
from reports.agreement.results import FloatArray

# With more distinct probabilities than this, they are grouped into this many bins of equal width.
MAX_STEPS = 10


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationBins:
    """(n,) the step of each probability, from 0; (S,) the bounds of each step: low < p <= high, or p = low = high.

    No step is empty.
    """

    of: NDArray[np.int64]
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """(S,) figures by step, in ascending order: labels, their mean probability, and how many are right.

    low, high: Wilson's interval for the share that is right. error: expected calibration error. brier = reliability -
    resolution + uncertainty + within; `within` is 0 where each step is one probability.
    """

    n: NDArray[np.int64]
    stated: FloatArray
    n_right: NDArray[np.int64]
    share: FloatArray
    low: FloatArray
    high: FloatArray
    error: float
    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float


def steps_of(probabilities: FloatArray) -> CalibrationBins:
    """Return a step for each distinct probability, if at most MAX_STEPS; otherwise bins of equal width from 0 to 1.

    probabilities: (n,) in [0, 1]. A bin contains its upper bound but not its lower one; the first one contains 0.
    Raises ValueError for a number that is not a probability.
    """
    if len(probabilities) and not (probabilities.min() >= 0 and probabilities.max() <= 1):
        raise ValueError("probabilities must be in [0, 1]")
    distinct, of = np.unique(probabilities, return_inverse=True)
    if len(distinct) <= MAX_STEPS:
        return CalibrationBins(of.astype(np.int64).ravel(), distinct, distinct)
    edges = np.linspace(0, 1, MAX_STEPS + 1)
    bins = np.maximum(np.searchsorted(edges, probabilities, side="left") - 1, 0)
    used, of = np.unique(bins, return_inverse=True)
    return CalibrationBins(of.astype(np.int64).ravel(), edges[used], edges[used + 1])


def calibration(
    probabilities: FloatArray,
    is_right: NDArray[np.bool_],
    steps: CalibrationBins,
    *,
    confidence: float = 0.95,
) -> Calibration | None:
    """Compare the stated probabilities that labels are right with the share that is.

    probabilities, is_right: (n,), with the steps of these probabilities, or of a larger set that contains them
    (`CalibrationBins.of` is then for these alone). Steps without a label have n = 0, and NaN.
    Returns None without any label.
    Sources: Brier 1950, Monthly Weather Review 78(1), 1-3, for two outcomes; Murphy 1973, Journal of Applied
    Meteorology 12(4), 595-600, for its parts; Stephenson, Coelho & Jolliffe 2008, Weather and Forecasting 23(4),
    752-757, for what bins add; Naeini, Cooper & Hauskrecht 2015, AAAI, 2901-2907, for the expected calibration error.
    """
    total = len(probabilities)
    if total == 0:
        return None
    n = np.bincount(steps.of, minlength=len(steps.low))
    n_right = np.bincount(steps.of, weights=is_right, minlength=len(n)).astype(np.int64)
    with np.errstate(invalid="ignore"):
        stated = np.bincount(steps.of, weights=probabilities, minlength=len(n)) / n
        share = n_right / n
    # The mean of equal numbers is that number, despite the rounding of their sum.
    stated = np.where((steps.low == steps.high) & (n > 0), steps.low, stated)
    low, high = wilson_limits(share, n.astype(np.float64), confidence=confidence)
    used, base = n > 0, n_right.sum() / total
    weights = n[used] / total
    gaps = stated[used] - share[used]
    reliability = float(weights @ gaps**2)
    resolution = float(weights @ (share[used] - base) ** 2)
    uncertainty = float(base * (1 - base))
    brier = float(np.mean((probabilities - is_right) ** 2))
    is_exact = bool(np.all(steps.low == steps.high))
    return Calibration(
        n=n,
        stated=stated,
        n_right=n_right,
        share=share,
        low=low,
        high=high,
        error=float(weights @ np.abs(gaps)),
        brier=brier,
        reliability=reliability,
        resolution=resolution,
        uncertainty=uncertainty,
        within=0.0 if is_exact else brier - (reliability - resolution + uncertainty),
    )
