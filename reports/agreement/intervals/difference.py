"""The difference between two values of one statistic, with its interval and a test of no difference."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from reports.agreement.intervals.replicates import ROUNDING
from reports.agreement.intervals.resampling import BootstrapMethod, bootstrap_limits
from reports.agreement.results import FloatArray, Reason, number

INDEPENDENT, WELCH = "normal, independent samples", "t over items, independent samples (Welch)"
PAIRED = "t over items, paired where shared"
BOOTSTRAP = f"{BootstrapMethod.PERCENTILE} bootstrap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first value minus the second.

    statistic: z or t, the difference divided by its standard error; df: of t, None for z. p_value: two-sided, for no
    difference. n_first, n_second: items that each value is based on; n_shared: items shared by both. n_replicates,
    n_undefined: for the bootstrap, which has no test statistic.
    """

    value: float | None = None
    first: float | None = None
    second: float | None = None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    statistic: float | None = None
    df: int | None = None
    p_value: float | None = None
    n_shared: int
    n_first: int
    n_second: int
    method: str
    reason: Reason = Reason.NONE
    n_replicates: int = 0
    n_undefined: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ComparedValue:
    """One of two values, and its linearized values on every kind of item of either.

    value: NaN if undefined. item_values: (J,), linearized, with the value as their mean over items; NaN for kinds that
    do not enter it. reason: why it is undefined, or has no standard error.
    """

    value: float
    item_values: FloatArray
    reason: Reason = Reason.NONE


def with_error(
    found: Difference, value: float, se: float, *, df: int | None, confidence: float
) -> Difference:
    """Add interval and test to a defined difference, by t with df degrees of freedom or, for None, by z."""
    upper = (1 + confidence) / 2
    margin = se * float(ndtri(upper) if df is None else stdtrit(df, upper))
    statistic = value / se
    tail = ndtr(-abs(statistic)) if df is None else stdtr(df, -abs(statistic))
    return replace(
        found,
        se=se,
        ci_low=value - margin,
        ci_high=value + margin,
        statistic=statistic,
        df=df,
        p_value=2 * float(tail),
    )


def linearised_difference(
    first: ComparedValue, second: ComparedValue, n_items: NDArray[np.int64], *, confidence: float = 0.95
) -> Difference:
    """The difference between two values that may share items, from their linearized values on items.

    n_items: (J,), items of each kind. With a_i and b_i the values on item i and s_a^2 = n_a (n_a - 1), an item
    contributes d_i = (a_i - a) / s_a - (b_i - b) / s_b, each part 0 for items that do not enter that value, and se^2 =
    sum d_i^2: the sum of both variances minus twice the covariance over shared items. If all items are shared, this is
    the paired t test of a_i - b_i, with n - 1 degrees of freedom; if some are, t has min(n_a, n_b) - 1; if none is, the
    degrees of freedom are those of Welch and Satterthwaite, rounded down.
    Undefined where one of the values is, with its reason. No interval and test: one item (`n<2`); items that are all
    alike for one of the values (`degenerate_se` in full agreement, else `degenerate_margins`) or for the difference
    (`degenerate_se`, with error 0).
    Sources: Gwet 2016, Educational and Psychological Measurement 76(4), 609-637; Welch 1947, Biometrika 34(1/2), 28-35.
    """
    found = uncertain(first, second, n_items)
    found = found if found.n_shared else replace(found, method=WELCH)
    if found.reason:
        return found
    first_part, second_part = _parts(first, n_items), _parts(second, n_items)
    total = float(((first_part - second_part) ** 2 * n_items).sum())
    # The sum of squares of each part is its squared standard error.
    if total <= ROUNDING * float(((first_part**2 + second_part**2) * n_items).sum()):
        return replace(found, se=0.0, reason=Reason.DEGENERATE_SE)
    df = min(found.n_first, found.n_second) - 1
    if not found.n_shared:
        variances = [float((part**2 * n_items).sum()) for part in (first_part, second_part)]
        df = _satterthwaite(variances, [found.n_first, found.n_second])
    return with_error(found, first.value - second.value, math.sqrt(total), df=df, confidence=confidence)


def _satterthwaite(variances: Sequence[float], n: Sequence[int]) -> int:
    """Degrees of freedom for the sum of the variances of two means of n, rounded down."""
    squares = sum(each**2 / (size - 1) for each, size in zip(variances, n, strict=True))
    return max(1, math.floor(sum(variances) ** 2 / squares))


def uncertain(first: ComparedValue, second: ComparedValue, n_items: NDArray[np.int64]) -> Difference:
    """The difference with its numbers of items, without an error, and the reason if it cannot have one."""
    is_first, is_second = ~np.isnan(first.item_values), ~np.isnan(second.item_values)
    n_shared = int(n_items[is_first & is_second].sum())
    found = Difference(
        first=number(first.value),
        second=number(second.value),
        n_first=int(n_items[is_first].sum()),
        n_second=int(n_items[is_second].sum()),
        n_shared=n_shared,
        method=PAIRED if n_shared else INDEPENDENT,
    )
    for side in (first, second):
        if math.isnan(side.value):
            return replace(found, reason=side.reason or Reason.NO_VARIATION)
    found = replace(found, value=first.value - second.value)
    return replace(found, reason=why_uncertain(first, n_items) or why_uncertain(second, n_items))


def bootstrap_difference(
    found: Difference, first: FloatArray, second: FloatArray, *, confidence: float = 0.95
) -> Difference:
    """The difference with the percentile interval of its replicates.

    found: without error, from `uncertain`. first, second: (B,), both values on the same draws; a replicate is undefined
    where one of them is. The p-value corresponds to the smallest confidence whose interval reaches 0: twice the smaller
    of the shares of replicates at or below 0 and at or above it, each with one replicate added, at most 1.
    No interval and test: the cases of `bootstrap_limits`, and those of `uncertain`.
    Source: Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 13.
    """
    found = replace(found, method=BOOTSTRAP)
    if found.value is None:
        return found
    differences = first - second
    n = np.array([min(found.n_first, found.n_second)])
    limits = bootstrap_limits(np.array([found.value]), differences[None, :], n=n, confidence=confidence)
    interval = limits.interval(0)
    found = replace(found, n_replicates=interval.n_replicates, n_undefined=interval.n_undefined)
    if found.reason:
        return found
    if interval.reason in (Reason.DEGENERATE_MARGINS, Reason.DEGENERATE_SE):
        return replace(found, se=0.0, reason=Reason.DEGENERATE_SE)
    if interval.reason:
        return replace(found, reason=interval.reason)
    return replace(
        found,
        se=interval.se,
        ci_low=interval.low,
        ci_high=interval.high,
        p_value=_bootstrap_p(differences[~np.isnan(differences)]),
    )


def _bootstrap_p(differences: FloatArray) -> float:
    at_most, at_least = np.count_nonzero(differences <= 0), np.count_nonzero(differences >= 0)
    return min(1.0, float(2 * (min(at_most, at_least) + 1) / (len(differences) + 1)))


def why_uncertain(side: ComparedValue, n_items: NDArray[np.int64]) -> Reason:
    """Return the reason why a value has no standard error."""
    if side.reason:
        return side.reason
    enters = ~np.isnan(side.item_values)
    n = n_items[enters].sum()
    if n < 2:
        return Reason.ONE_ITEM
    mean_square = float(((side.item_values[enters] - side.value) ** 2 * n_items[enters]).sum() / n)
    if mean_square > ROUNDING * max(1.0, side.value**2):
        return Reason.NONE
    is_full = math.isclose(side.value, 1, abs_tol=1e-12)
    return Reason.DEGENERATE_SE if is_full else Reason.DEGENERATE_MARGINS


def _parts(side: ComparedValue, n_items: NDArray[np.int64]) -> FloatArray:
    """(J,) the contribution of an item of each kind to the error, (a_i - a) / sqrt(n_a (n_a - 1)); 0 if not used."""
    enters = ~np.isnan(side.item_values)
    n = float(n_items[enters].sum())
    return np.where(enters, side.item_values - side.value, 0) / math.sqrt(n * (n - 1))
