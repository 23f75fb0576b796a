"""The results of statistics: a value with its standard error, or no value and the reason."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer]


class Reason(StrEnum):
    """The reason why a value, or its interval, is missing.

    With those about items, overlap, variation, and size there is no value; with those about errors, margins, and
    replicates there is a value without an interval.
    """

    NONE = ""
    NO_ITEMS = "no_items"
    NO_OVERLAP = "no_overlap"
    NO_VARIATION = "no_variation"
    NO_ITEM_VARIATION = "no_item_variation"
    ONE_ITEM = "n<2"
    DEGENERATE_MARGINS = "degenerate_margins"
    DEGENERATE_SE = "degenerate_se"
    TOO_MANY_UNDEFINED = "too_many_undefined"
    OUTSIDE_REPLICATES = "outside_replicates"
    NO_COMPLETE_ITEMS = "no_complete_items"
    TOO_FEW_ITEMS = "too_few_items"
    TOO_MANY_VALUES = "too_many_values"
    NEGATIVE_VALUES = "negative_values"
    TOO_LARGE = "too_large"
    UNEQUAL_LABELS = "unequal_labels"
    NOT_TWO_CATEGORIES = "not_two_categories"
    CATEGORY_UNUSED = "category_unused"
    TOO_FEW_COUNTED = "too_few_counted"
    RATERS_UNKNOWN = "raters_unknown"
    NOT_CONNECTED = "not_connected"
    NO_RESIDUAL = "no_residual"


REASONS = tuple(Reason)
# A maximum kappa below this is 0 up to rounding.
ROUNDING = 1e-12
# Methods of intervals of Cohen's kappa.
NORMAL, FITTED = "normal", "goodness of fit"
# Methods whose intervals are symmetric about the value, unless a limit was clipped.
EVEN_METHODS = frozenset({NORMAL, "t over items", "t over units", "jackknife, t over items"})


class Undefined(Exception):
    """Raised within the library for a value that is undefined by definition; caught where results are created."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(str(reason))
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The amount of data that a value is based on, or leaves out."""

    n_items: int
    n_raters: int
    n_labels: int

    def without(self, used: "Size") -> "Size":
        """Return the remainder after subtracting the used part."""
        return Size(
            n_items=self.n_items - used.n_items,
            n_raters=self.n_raters - used.n_raters,
            n_labels=self.n_labels - used.n_labels,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A standard error and a confidence interval, or why there are none.

    method: how they were computed ("t over items", "normal", "percentile bootstrap", …). n_undefined: of the
    n_replicates of a bootstrap or jackknife, those without a value.
    """

    se: float | None = None
    low: float | None = None
    high: float | None = None
    reason: Reason = Reason.NONE
    method: str
    n_replicates: int = 0
    n_undefined: int = 0


def is_clipped(value: float | None, low: float | None, high: float | None, method: str) -> bool:
    """Return whether a limit is at a bound of the statistic because the error reaches beyond it.

    Seen from the interval itself, stored or not: it is uneven about the value, or ends at 1, where one that was clipped
    on both sides alike ends. Intervals that never leave the bounds, of Wilson, F or replicates, are not clipped.
    """
    if method not in EVEN_METHODS or value is None or low is None or high is None:
        return False
    return high == 1 or abs(low + high - 2 * value) > ROUNDING


def is_kappa_clipped(kappa: float | None, low: float | None, high: float | None) -> bool:
    """The same of Cohen's kappa: an interval of goodness of fit is uneven within the bounds, and there for 1."""
    return kappa != 1 and (low == -1 or high == 1) and is_clipped(kappa, low, high, NORMAL)


def kappa_method(kappa: float | None, low: float | None, high: float | None) -> str:
    """How the interval of Cohen's kappa was found, seen from itself; "" without one."""
    if low is None:
        return ""
    is_even = not is_clipped(kappa, low, high, NORMAL)
    return NORMAL if is_even or is_kappa_clipped(kappa, low, high) else FITTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """One statistic of all raters together.

    method: which of several definitions this is. used, left_out: the part of the question's labels that the value is
    based on, and the part that its definition cannot use. interval_method: how the interval was computed, "" if none.
    """

    value: float | None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    reason: Reason = Reason.NONE
    used: Size
    left_out: Size
    method: str
    interval_method: str = ""

    @property
    def is_clipped(self) -> bool:
        return is_clipped(self.value, self.ci_low, self.ci_high, self.interval_method)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Estimates:
    """A stack of values of one statistic: (P,) for pairs, (K,) for categories, (P, K) for both; NaN where undefined.

    n: int64, what each value rests on: items that both raters labeled, or the labels or items that the function names.
    reason: uint8, positions in REASONS. All others float64. method: how the intervals were found, unless
    interval_method says so and method which of several definitions this is. is_fitted: (P,) bool, where they were
    found by fitted_method instead; None for nowhere.
    """

    value: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    n: NDArray[np.int64]
    reason: NDArray[np.uint8]
    method: str
    interval_method: str = ""
    is_fitted: NDArray[np.bool_] | None = None
    fitted_method: str = FITTED

    def interval_method_at(self, *position: int) -> str:
        is_fitted = self.is_fitted is not None and self.is_fitted[position]
        return self.fitted_method if is_fitted else self.interval_method or self.method

    def at(self, *position: int) -> "Estimate":
        """Return the estimate at one position, with None for what is undefined."""
        return Estimate(
            value=number(self.value[position]),
            se=number(self.se[position]),
            ci_low=number(self.ci_low[position]),
            ci_high=number(self.ci_high[position]),
            n=int(self.n[position]),
            reason=REASONS[self.reason[position]],
            method=self.method,
            interval_method=self.interval_method_at(*position),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One value of a stack."""

    value: float | None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    n: int
    reason: Reason = Reason.NONE
    method: str
    interval_method: str = ""

    @property
    def is_clipped(self) -> bool:
        return is_clipped(self.value, self.ci_low, self.ci_high, self.interval_method)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SignificanceTests:
    """A stack of tests, (P,) each; NaN where undefined.

    statistic: z or chi-squared, as method says. df: degrees of freedom, NaN for an exact test or z. p_value: two-sided.
    reason: uint8, positions in REASONS. se: the error under the hypothesis, None for tests that have none of their own.
    """

    statistic: FloatArray
    df: FloatArray
    p_value: FloatArray
    reason: NDArray[np.uint8]
    method: str
    se: FloatArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairKappa:
    """Cohen's kappa of one pair of raters."""

    n: int
    observed: float | None
    expected: float | None
    kappa: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    kappa_max: float | None
    reason: Reason

    @property
    def share_of_max(self) -> float | None:
        """Kappa / kappa max, None where kappa max is 0 or undefined."""
        if self.kappa is None or self.kappa_max is None or self.kappa_max <= ROUNDING:
            return None
        return self.kappa / self.kappa_max

    @property
    def is_clipped(self) -> bool:
        return is_kappa_clipped(self.kappa, self.ci_low, self.ci_high)


@dataclass(frozen=True, slots=True, eq=False)
class PairKappas:
    """Cohen's kappa of P pairs with accompanying figures, one entry each; NaN where undefined.

    n: (P,) int64, items that both rated. reason: (P,) uint8, positions in REASONS. is_fitted: (P,) bool, where the
    interval is by goodness of fit and not normal. All others: (P,) float64.
    """

    n: NDArray[np.int64]
    observed: FloatArray
    expected: FloatArray
    kappa: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    kappa_max: FloatArray
    reason: NDArray[np.uint8]
    is_fitted: NDArray[np.bool_]

    @property
    def share_of_max(self) -> FloatArray:
        """(P,) kappa / kappa max, NaN where kappa max is 0 or undefined (Cohen 1960)."""
        is_room = self.kappa_max > ROUNDING
        return np.divide(self.kappa, self.kappa_max, out=np.full(len(self), np.nan), where=is_room)

    def __len__(self) -> int:
        return len(self.n)

    def __iter__(self) -> Iterator[PairKappa]:
        return map(self.pair, range(len(self)))

    def pair(self, position: int) -> PairKappa:
        """Return the pair at this position, with None for what is undefined."""
        return PairKappa(
            n=int(self.n[position]),
            observed=number(self.observed[position]),
            expected=number(self.expected[position]),
            kappa=number(self.kappa[position]),
            se=number(self.se[position]),
            ci_low=number(self.ci_low[position]),
            ci_high=number(self.ci_high[position]),
            kappa_max=number(self.kappa_max[position]),
            reason=REASONS[self.reason[position]],
        )


def number(value: float) -> float | None:
    """Return a Python float, or None for NaN."""
    return None if np.isnan(value) else float(value)
