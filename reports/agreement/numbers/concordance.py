"""Lin's concordance correlation coefficient of pairs of raters."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from reports.agreement.numbers.pairs import NumberPairs
from reports.agreement.results import REASONS, Estimates, FloatArray, Reason
from reports.agreement.weights import times_power


@dataclass(frozen=True, slots=True, eq=False)
class Concordances:
    """Lin's coefficient of P pairs, (P,) each.

    coefficient: rho_c with error and interval. correlation: Pearson's r, the closeness of the pairs of numbers to a
    line. bias_correction: C_b = rho_c / r, the closeness of that line to x = y. Both NaN where undefined.
    """

    coefficient: Estimates
    correlation: FloatArray
    bias_correction: FloatArray


def lin_concordance(pairs: NumberPairs, *, confidence: float = 0.95) -> Concordances:
    """Lin's concordance correlation coefficient, rho_c = 2 s_xy / (s_x^2 + s_y^2 + (mean x - mean y)^2).

    Moments are divided by n. C_b = rho_c / r; u = (mean y - mean x) / sqrt(s_x s_y); with rho = rho_c
    SE = sqrt{[(1 - r^2) rho^2 (1 - rho^2) / r^2 + 2 rho^3 (1 - rho) u^2 / r - rho^4 u^4 / (2 r^2)] / (n - 2)};
    the interval is normal for arctanh rho_c, with SE / (1 - rho^2).
    Undefined: `no_variation`, both raters always gave one and the same number.
    No error and no interval: `n<2`, one item; `degenerate_margins`, r is 0, or undefined because a rater always gave
    the same number (rho_c is then 0, C_b undefined); `too_few_items`, two items. Full agreement has error 0 and no
    interval (`degenerate_se`).
    Source: Lin 1989, Biometrics 45, 255-268, with the correction of 2000.
    """
    r = pairs.correlation
    with np.errstate(invalid="ignore", divide="ignore"):
        # The mean squared difference: 0 exactly in full agreement.
        difference_squared = times_power(pairs.difference, -pairs.exponent) ** 2
        apart = pairs.difference_square + difference_squared
        value = 1 - apart / (pairs.square_a + pairs.square_b + difference_squared)
        value = np.where(pairs.product == 0, np.where(np.isnan(value), np.nan, 0.0), value)
        bias_correction = np.where(r == 0, np.nan, value / r)
        se = _standard_error(pairs, value, r)
    reason = _reasons(pairs, value, r, se)
    has_error = np.isin(reason, [0, REASONS.index(Reason.DEGENERATE_SE)])
    se = np.where(has_error, se, np.nan)
    low, high = _limits(value, np.where(reason == 0, se, np.nan), confidence)
    coefficient = Estimates(
        value=value, se=se, ci_low=low, ci_high=high, n=pairs.n, reason=reason, method="moments divided by n"
    )
    return Concordances(coefficient, r, bias_correction)


def _standard_error(pairs: NumberPairs, value: FloatArray, r: FloatArray) -> FloatArray:
    u_squared = (
        times_power(pairs.difference, -pairs.exponent) ** 2
        / np.sqrt(pairs.square_a)
        / np.sqrt(pairs.square_b)
    )
    terms = (1 - r**2) * value**2 * (1 - value**2) / r**2
    terms += 2 * value**3 * (1 - value) * u_squared / r
    terms -= value**4 * u_squared**2 / (2 * r**2)
    return np.sqrt(np.maximum(terms, 0) / np.maximum(pairs.n - 2, 1))


def _limits(value: FloatArray, se: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.arctanh(value)
        margin = float(ndtri((1 + confidence) / 2)) * se / (1 - value**2)
        return np.tanh(z - margin), np.tanh(z + margin)


def _reasons(pairs: NumberPairs, value: FloatArray, r: FloatArray, se: FloatArray) -> np.ndarray:
    cases = {
        Reason.NO_VARIATION: np.isnan(value),
        Reason.ONE_ITEM: pairs.n < 2,
        Reason.DEGENERATE_MARGINS: np.isnan(r) | (r == 0),
        Reason.TOO_FEW_ITEMS: pairs.n < 3,
        Reason.DEGENERATE_SE: se == 0,
    }
    places = [REASONS.index(name) for name in cases]
    return np.select(list(cases.values()), places, default=0).astype(np.uint8)
