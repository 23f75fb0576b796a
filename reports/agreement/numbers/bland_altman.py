"""Limits of agreement: between which differences of two raters nearly all items lie."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from reports.agreement.numbers.pairs import NumberPairs
from reports.agreement.results import REASONS, Estimates, FloatArray, Reason
from reports.agreement.weights import times_power

# 95 % of normal differences lie within so many standard deviations, as the authors write it.
MULTIPLIER = 1.96


@dataclass(frozen=True, slots=True, eq=False)
class LimitsOfAgreement:
    """Of P pairs, (P,) each, in the unit of the numbers.

    bias: the mean difference, rater_a - rater_b. sd: the standard deviation of differences, NaN where undefined.
    lower, upper: the limits, bias -+ 1.96 sd. Each with its error and interval.
    """

    bias: Estimates
    sd: FloatArray
    lower: Estimates
    upper: Estimates


def limits_of_agreement(pairs: NumberPairs, *, confidence: float = 0.95) -> LimitsOfAgreement:
    """Bland and Altman's limits of agreement of each pair of raters, with t intervals, n - 1 degrees of freedom.

    d = x - y; sd^2 = sum (d - bias)^2 / (n - 1); SE(bias) = sd / sqrt(n);
    SE(limit) = sd sqrt(1 / n + 1.96^2 / (2 (n - 1))). The limits suppose differences that are about normal, and alike
    for small and large numbers.
    One item: bias alone (`n<2`). All differences equal: sd and errors 0, no interval (`degenerate_se`).
    Sources: Bland & Altman 1986, Lancet i, 307-310; 1999, Statistical Methods in Medical Research 8, 135-160.
    """
    n = pairs.n.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = np.where(n >= 2, np.sqrt(pairs.difference_square * n / (n - 1)), np.nan)
        sd = times_power(scaled, pairs.exponent)
        limit_se = sd * np.sqrt(1 / n + MULTIPLIER**2 / (2 * (n - 1)))
    bias = pairs.difference
    return LimitsOfAgreement(
        bias=_estimates(pairs, bias, sd / np.sqrt(n), confidence),
        sd=sd,
        lower=_estimates(pairs, bias - MULTIPLIER * sd, limit_se, confidence),
        upper=_estimates(pairs, bias + MULTIPLIER * sd, limit_se, confidence),
    )


def _estimates(pairs: NumberPairs, value: FloatArray, se: FloatArray, confidence: float) -> Estimates:
    reason = np.select(
        [pairs.n < 2, se == 0],
        [REASONS.index(Reason.ONE_ITEM), REASONS.index(Reason.DEGENERATE_SE)],
        default=0,
    ).astype(np.uint8)
    t = stdtrit(np.maximum(pairs.n - 1, 1), (1 + confidence) / 2)
    margin = np.where(reason == 0, t * se, np.nan)
    return Estimates(
        value=value,
        se=se,
        ci_low=value - margin,
        ci_high=value + margin,
        n=pairs.n,
        reason=reason,
        method="rater_a - rater_b",
    )
