"""The prevalence behind a model's labels, corrected for its error rates: Rogan and Gladen's estimator."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from reports.agreement.intervals.resampling import bootstrap_limits
from reports.agreement.results import FloatArray, IntArray, Reason

N_REPLICATES = 2000
# A matrix of error rates with a larger condition number carries no information on the prevalence.
MAX_CONDITION = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Prevalence:
    """reason: why there is no value. is_outside: whether the value was outside [0, 1] before clipping, so that the
    error rates do not fit these labels, and no interval is given.
    """

    value: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    is_outside: bool = False
    reason: Reason = Reason.NONE


def rogan_gladen(
    positive: float,
    n: int,
    *,
    sensitivity: float,
    n_true: int,
    specificity: float,
    n_false: int,
    confidence: float = 0.95,
) -> Prevalence:
    """Return the share of truly positive items where a model labels a share of n items as positive.

    sensitivity, specificity: its share right among n_true true ones and n_false others, from calibration items chosen
    by their class. θ = (p + q0 - 1) / (q0 + q1 - 1), clipped to [0, 1]. The interval adds z²/2 positives of z² to p and
    one success of two to each rate, and shifts by 2 z² (-(1 - θ) q0 (1 - q0) / m0 + θ q1 (1 - q1) / m1) of these.
    It assumes that the error rates of the calibration items hold here.
    Undefined: sensitivity and specificity that sum to 1 or less, no better than a coin (`no_variation`); no calibration
    items of a class, or no items (`no_items`).
    Raises ValueError for shares outside [0, 1].
    Sources: Rogan & Gladen 1978, American Journal of Epidemiology 107(1), 71-76; its interval, with the shift: Lee et
    al. 2025, arXiv 2511.21140, after Lang & Reiczigel 2014, Preventive Veterinary Medicine 113(1), 13-22.
    """
    if not all(0 <= share <= 1 for share in (positive, sensitivity, specificity)):
        raise ValueError(f"shares must be from 0 to 1, got {positive}, {sensitivity}, and {specificity}")
    if min(n, n_true, n_false) < 1:
        return Prevalence(value=None, reason=Reason.NO_ITEMS)
    if sensitivity + specificity <= 1:
        return Prevalence(value=None, reason=Reason.NO_VARIATION)
    raw = (positive + specificity - 1) / (specificity + sensitivity - 1)
    value = min(1.0, max(0.0, raw))
    if not -1e-12 <= raw <= 1 + 1e-12:
        return Prevalence(value=value, is_outside=True)
    z = float(ndtri((1 + confidence) / 2))
    p, n_p = (n * positive + z**2 / 2) / (n + z**2), n + z**2
    q0, m0 = (n_false * specificity + 1) / (n_false + 2), n_false + 2
    q1, m1 = (n_true * sensitivity + 1) / (n_true + 2), n_true + 2
    gain = q0 + q1 - 1
    if gain <= 0:
        return Prevalence(value=value, reason=Reason.DEGENERATE_MARGINS)
    theta = min(1.0, max(0.0, (p + q0 - 1) / gain))
    false, true = q0 * (1 - q0) / m0, q1 * (1 - q1) / m1
    shift = 2 * z**2 * (-(1 - theta) * false + theta * true)
    se = math.sqrt(p * (1 - p) / n_p + (1 - theta) ** 2 * false + theta**2 * true) / gain
    low, high = (min(1.0, max(0.0, theta + shift + sign * z * se)) for sign in (-1, 1))
    return Prevalence(value=value, ci_low=low, ci_high=high)


def calibration_split(
    n: int, *, positive: float, sensitivity: float, specificity: float, n_pilot: int = 0
) -> tuple[int, int]:
    """Return how many of n calibration items should be true ones, and how many others, for the shortest interval.

    m1 = n / (1 + (1 / p - 1) sqrt κ), κ = (m (1 - q0) + 1) / (m (1 - q1) + 1) for rates from a pilot of m items, and
    (1 - q0) / (1 - q1) for rates that are known.
    Raises ValueError unless positive is in (0, 1) and n at least 2, or for known rates of which one is 1.
    Source: Lee et al. 2025, as above.
    """
    if not 0 < positive < 1 or n < 2:
        raise ValueError(f"needs a share between 0 and 1, and 2 items or more, got {positive} and {n}")
    if not n_pilot and max(sensitivity, specificity) >= 1:
        raise ValueError("a known sensitivity or specificity must be below 1")
    more = 1 if n_pilot else 0
    m = n_pilot or 1
    ratio = (m * (1 - specificity) + more) / (m * (1 - sensitivity) + more)
    n_true = round(n / (1 + (1 / positive - 1) * math.sqrt(ratio)))
    return n_true, n - n_true


def prevalences(
    calibration: IntArray,
    predicted: IntArray,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
    confidence: float = 0.95,
) -> list[Prevalence]:
    """Return the share of each of K categories, given the number of items that a model puts in each.

    calibration: (K, K) counts of items chosen by their true category, rows true, columns the model's. predicted: (K,)
    the number of items that the model puts in each category. With M the calibration as shares of its rows, and p the
    predicted shares: p = Mᵀ π, so π = (Mᵀ)⁻¹ p. Intervals: percentiles over resamples of the calibration items within
    their true category, and of the items.
    Undefined for all categories: a true category without calibration items, or no items (`no_items`); error rates from
    which no prevalence follows (`no_variation`). A share outside [0, 1] is clipped, without an interval for any
    category. Raises ValueError unless shapes are (K, K) and (K,).
    Source: Rogan & Gladen 1978, as above, for two; Tenenbein 1972, Technometrics 14(1), 187-202, for K.
    """
    k = len(predicted)
    if calibration.shape != (k, k):
        raise ValueError(f"calibration must be ({k}, {k}), got {calibration.shape}")
    n_true, n = calibration.sum(axis=1), int(predicted.sum())
    if not n_true.all() or not n:
        return [Prevalence(value=None, reason=Reason.NO_ITEMS)] * k
    rates, shares = calibration / n_true[:, None], predicted / n
    if np.linalg.cond(rates) > MAX_CONDITION:
        return [Prevalence(value=None, reason=Reason.NO_VARIATION)] * k
    raw = np.linalg.solve(rates.T, shares)
    if (raw < -1e-12).any() or (raw > 1 + 1e-12).any():
        return [Prevalence(value=float(each), is_outside=True) for each in np.clip(raw, 0, 1)]
    random = np.random.Generator(np.random.PCG64(seed))
    drawn = np.stack(
        [random.multinomial(total, row, size=n_replicates) for total, row in zip(n_true, rates, strict=True)],
        axis=1,
    )
    replicates = _solved(drawn / n_true[:, None], random.multinomial(n, shares, size=n_replicates) / n)
    limits = bootstrap_limits(raw, replicates.T, n=n, confidence=confidence)
    return [
        Prevalence(
            value=float(np.clip(value, 0, 1)), ci_low=found.low, ci_high=found.high, reason=found.reason
        )
        for value, found in zip(raw, map(limits.interval, range(k)), strict=True)
    ]


def _solved(rates: FloatArray, shares: FloatArray) -> FloatArray:
    """(B, K) prevalences within [0, 1]; NaN where error rates carry no information."""
    is_usable = np.linalg.cond(rates) <= MAX_CONDITION
    found = np.full(shares.shape, np.nan)
    some = np.swapaxes(rates[is_usable], 1, 2)
    found[is_usable] = np.linalg.solve(some, shares[is_usable][..., None])[..., 0]
    return np.clip(found, 0, 1)
