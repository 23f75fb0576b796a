"""Limits of agreement: the range that contains the differences of two raters on nearly all items."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import nctdtrit, stdtrit

from reports.agreement.numbers.pairs import NumberPairs
from reports.agreement.results import REASONS, Estimates, FloatArray, Reason
from reports.agreement.weights import times_power

# 95 % of normal differences lie within this many standard deviations, rounded as by the authors.
MULTIPLIER = 1.96


@dataclass(frozen=True, slots=True, eq=False)
class LimitsOfAgreement:
    """Limits of agreement of P pairs, (P,) each, in the unit of the numbers.

    bias: the mean difference, rater_a - rater_b. sd: the standard deviation of differences, NaN where undefined.
    lower, upper: the limits, bias -+ 1.96 sd. Each with its error and interval.
    """

    bias: Estimates
    sd: FloatArray
    lower: Estimates
    upper: Estimates


def limits_of_agreement(pairs: NumberPairs, *, confidence: float = 0.95) -> LimitsOfAgreement:
    """Bland and Altman's limits of agreement of each pair of raters, with exact intervals for normal differences.

    d = x - y; sd^2 = sum (d - bias)^2 / (n - 1); SE(bias) = sd / sqrt(n), interval by t with n - 1 degrees of freedom;
    SE(limit) = sd sqrt(1 / n + 1.96^2 / (2 (n - 1))), interval bias +- sd t' / sqrt(n), where t' are quantiles of the
    noncentral t distribution with n - 1 degrees of freedom and noncentrality 1.96 sqrt(n). The limits assume
    approximately normal differences with the same spread for small and large numbers.
    One item: only the bias (`n<2`). All differences equal: sd and errors 0, no interval (`degenerate_se`).
    Sources: Bland & Altman 1986, Lancet i, 307-310; 1999, Statistical Methods in Medical Research 8, 135-160;
    the exact intervals: Carkeet 2015, Optometry and Vision Science 92, e71-e80.
    """
    n = pairs.n.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = np.where(n >= 2, np.sqrt(pairs.difference_square * n / (n - 1)), np.nan)
        sd = times_power(scaled, pairs.exponent)
        limit_se = sd * np.sqrt(1 / n + MULTIPLIER**2 / (2 * (n - 1)))
    bias = pairs.difference
    t = stdtrit(np.maximum(pairs.n - 1, 1), (1 + confidence) / 2)
    of_bias = t * sd / np.sqrt(n)
    near, far = (factor * sd for factor in _exact_factors(pairs.n, confidence))
    return LimitsOfAgreement(
        bias=_estimates(pairs, bias, sd / np.sqrt(n), bias - of_bias, bias + of_bias),
        sd=sd,
        lower=_estimates(pairs, bias - MULTIPLIER * sd, limit_se, bias - far, bias - near),
        upper=_estimates(pairs, bias + MULTIPLIER * sd, limit_se, bias + near, bias + far),
    )


def _exact_factors(n: NDArray[np.int64], confidence: float) -> tuple[FloatArray, FloatArray]:
    """(P,) distances, in standard deviations, from the bias to the nearer and the farther end of a limit's interval."""
    distinct, places = np.unique(np.maximum(n, 2), return_inverse=True)
    root = np.sqrt(distinct)
    alpha = (1 - confidence) / 2
    near, far = (nctdtrit(distinct - 1, MULTIPLIER * root, p) / root for p in (alpha, 1 - alpha))
    return near[places], far[places]


def _estimates(
    pairs: NumberPairs, value: FloatArray, se: FloatArray, low: FloatArray, high: FloatArray
) -> Estimates:
    reason = np.select(
        [pairs.n < 2, se == 0],
        [REASONS.index(Reason.ONE_ITEM), REASONS.index(Reason.DEGENERATE_SE)],
        default=0,
    ).astype(np.uint8)
    return Estimates(
        value=value,
        se=se,
        ci_low=np.where(reason == 0, low, np.nan),
        ci_high=np.where(reason == 0, high, np.nan),
        n=pairs.n,
        reason=reason,
        method="rater_a - rater_b",
    )
