"""Intervals in full agreement, for coefficients whose expected agreement does not depend on the labels."""

from dataclasses import replace

import numpy as np

from reports.agreement.intervals.wilson import wilson_limits
from reports.agreement.results import REASONS, Estimates, FloatArray, Reason

WILSON = "Wilson"
# A value this close to 1 is full agreement.
ROUNDING = 1e-12


def transformed_limits(n: FloatArray, expected: float, *, confidence: float) -> tuple[FloatArray, FloatArray]:
    """The limits of (po - pe) / (1 - pe) where all n items agree: Wilson's limits for po, transformed.

    n: (P,) items. expected: pe < 1, independent of the labels, so that the coefficient depends on po alone and both
    intervals have the same coverage. With weights, a disagreement is assumed to get no credit, so the lower limit is
    conservative. 6 of 6 items and pe = 1/2: .219331 to 1, for a confidence of .95.
    Source: Wilson 1927, Journal of the American Statistical Association 22, 209-212.
    """
    low, high = wilson_limits(np.ones_like(n, dtype=np.float64), n, confidence=confidence)
    return (low - expected) / (1 - expected), high


def with_full_agreement(found: Estimates, expected: float, *, confidence: float) -> Estimates:
    """Return a stack of estimates (P,), with an interval also where all items agree; their error stays 0."""
    is_full = (found.reason == REASONS.index(Reason.DEGENERATE_SE)) & (np.abs(found.value - 1) <= ROUNDING)
    if not is_full.any():
        return found
    low, high = transformed_limits(found.n.astype(np.float64), expected, confidence=confidence)
    return replace(
        found,
        ci_low=np.where(is_full, low, found.ci_low),
        ci_high=np.where(is_full, high, found.ci_high),
        reason=np.where(is_full, np.uint8(0), found.reason).astype(np.uint8),
        is_fitted=is_full,
        fitted_method=WILSON,
    )
