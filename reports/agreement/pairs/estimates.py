"""Estimates with intervals, or reasons for having none, from the values and standard errors of a stack."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from reports.agreement.intervals.wilson import wilson_limits
from reports.agreement.results import REASONS, Estimates, FloatArray, IntArray, Reason

# Cells of tables processed at a time, so that intermediate values stay in cache.
BLOCK_CELLS = 1 << 16
# A standard error below this is rounding error.
ROUNDING = 1e-12

Positions = NDArray[np.uint8]


def reasons(shape: tuple[int, ...], *cases: tuple[NDArray[np.bool_], Reason]) -> Positions:
    """Return the first reason whose case holds, Reason.NONE if none does, as positions in REASONS."""
    conditions = [np.broadcast_to(case, shape) for case, _ in cases]
    positions = [np.uint8(REASONS.index(reason)) for _, reason in cases]
    return np.select(conditions, positions, default=np.uint8(0)).astype(np.uint8)


def in_blocks(estimate: Callable[[IntArray], Estimates], counts: IntArray) -> Estimates:
    """Return the estimates of a stack of tables, (P, K, K), computed in blocks."""
    step = max(1, BLOCK_CELLS // max(1, counts.shape[1] ** 2))
    parts = [estimate(counts[start : start + step]) for start in range(0, max(1, len(counts)), step)]

    def joined(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    names = ("value", "se", "ci_low", "ci_high", "n", "reason")
    return Estimates(**{name: joined(name) for name in names}, method=parts[0].method)


def symmetric_estimates(
    value: FloatArray,
    se: FloatArray,
    *,
    n: FloatArray,
    undefined: Positions,
    confidence: float,
    lowest: float = -1.0,
    df: FloatArray | None = None,
    off_margins: NDArray[np.bool_] | None = None,
) -> Estimates:
    """Return estimates with the interval value +- quantile x se, clipped to [lowest, 1].

    All of one shape, (P,) or (P, K). n: items that a value is based on. undefined: positions of the reasons for having
    no value. df: degrees of freedom of t quantiles; None for normal ones. off_margins: where both raters used one
    category each, but not the same.
    No error and no interval: fewer than two items (`n<2`); off_margins without variation (`degenerate_margins`).
    No interval, and error 0: nothing varies (`degenerate_se`), as in perfect agreement.
    """
    with np.errstate(invalid="ignore"):
        is_flat = se <= ROUNDING
    is_off = np.zeros(value.shape, dtype=np.bool_) if off_margins is None else off_margins
    reason = undefined + reasons(
        value.shape,
        (undefined != 0, Reason.NONE),
        (n < 2, Reason.ONE_ITEM),
        (is_flat & is_off, Reason.DEGENERATE_MARGINS),
        (is_flat, Reason.DEGENERATE_SE),
    )
    value = np.where(undefined == 0, value, np.nan)
    has_error = (reason == 0) | (reason == REASONS.index(Reason.DEGENERATE_SE))
    se = np.where(has_error, np.where(is_flat, 0.0, se), np.nan)
    upper = (1 + confidence) / 2
    quantile = ndtri(upper) if df is None else stdtrit(np.maximum(df, 1), upper)
    margin = np.where(reason == 0, quantile * se, np.nan)
    return Estimates(
        value=value,
        se=se,
        ci_low=np.maximum(value - margin, lowest),
        ci_high=np.minimum(value + margin, 1.0),
        n=n.astype(np.int64),
        reason=reason,
        method="normal" if df is None else "t over items",
    )


def wilson_estimates(
    successes: FloatArray, trials: FloatArray, *, undefined: Positions, confidence: float
) -> Estimates:
    """Shares of trials, each with its Wilson interval and the error sqrt(p (1 - p) / trials); all of one shape.

    undefined: positions of the reasons for having no value. One trial: no error and no interval (`n<2`).
    Source: Wilson 1927, Journal of the American Statistical Association 22, 209-212.
    """
    reason = undefined + reasons(
        successes.shape, (undefined != 0, Reason.NONE), (trials < 2, Reason.ONE_ITEM)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(undefined == 0, successes / trials, np.nan)
        variance = np.where(reason == 0, share * (1 - share), np.nan) / trials
    low, high = wilson_limits(np.where(reason == 0, share, np.nan), trials, confidence=confidence)
    return Estimates(
        value=share,
        se=np.sqrt(variance),
        ci_low=low,
        ci_high=high,
        n=trials.astype(np.int64),
        reason=reason,
        method="Wilson",
    )
