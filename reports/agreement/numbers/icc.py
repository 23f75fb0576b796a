"""Intraclass correlations: the share of the variation of numbers that is between items.

This module has the two-way analysis of the items that all raters labeled; `one_way` is for any raters.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri

from reports.agreement.numbers.matrix import NumberSample, complete_numbers
from reports.agreement.numbers.one_way import one_way_correlations, with_interval
from reports.agreement.results import Coefficient, FloatArray, Interval, Reason, Undefined
from reports.agreement.sample import Scale
from reports.agreement.statistic import Statistic

# The spelling in stored reports.
METHOD = "items that all raters labelled"
INTERVAL_METHOD = "F"
# A sum of squares below this share of the total is rounding error.
ROUNDING = 1e-24


@dataclass(frozen=True, slots=True, eq=False)
class CompleteItems:
    """The items that all raters labeled, as `ItemKinds` of a statistic: one kind for each. values: (n, k)."""

    values: FloatArray

    @property
    def n_items(self) -> NDArray[np.int64]:
        return np.ones(len(self.values), dtype=np.int64)

    @property
    def n_labels(self) -> NDArray[np.int64]:
        return np.full(len(self.values), self.values.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class TwoWayMeanSquares:
    """Two-way analysis of variance of n items by k raters: mean squares of rows, columns, and error.

    For B samples; all but k have shape (B,).
    """

    n: FloatArray
    k: int
    rows: FloatArray
    columns: FloatArray
    error: FloatArray


def intraclass_correlations(sample: NumberSample, *, confidence: float = 0.95) -> dict[str, Coefficient]:
    """The six intraclass correlations, with intervals from F distributions and no standard error.

    By name: icc_1_1 and icc_1_k, see `one_way_correlations`; icc_a_1, ICC(A,1), absolute agreement; icc_c_1, ICC(C,1),
    consistency, raters may differ by a constant; icc_a_k, icc_c_k, the same for the mean of k raters. These four are
    over the n items that all k raters labeled; the others are left out and counted.
    Undefined: `no_items`; `no_overlap`, no item with two labels; `no_complete_items`; `n<2`, one complete item;
    `no_variation`, all numbers equal; `no_item_variation`, too little variation between items for this correlation: 0
    or less in the denominator.
    No interval: `degenerate_se`, a value of 1; `degenerate_margins`, no variation between items, or limits of
    ICC(A,1) that are impossible for a mean.
    Sources: Shrout & Fleiss 1979, Psychological Bulletin 86, 420-428; McGraw & Wong 1996, Psychological Methods 1,
    30-46.
    """
    found = {name: _coefficient(sample, form, confidence) for name, form in FORMS.items()}
    found |= one_way_correlations(sample, confidence=confidence)
    return {name: found[name] for name in NAMES}


def _coefficient(sample: NumberSample, form: "IccStatistic", confidence: float) -> Coefficient:
    used = sample.complete_size
    value = None
    try:
        items = complete_items(sample)
        squares = mean_squares(items, np.ones((1, len(items.values))))
        value = _defined(form.value(squares)[0])
        interval = _interval(form, squares, value, (1 + confidence) / 2)
    except Undefined as undefined:
        interval = Interval(reason=undefined.reason, method="")
    return with_interval(value, interval, sample, used=used, method=METHOD)


def _defined(value: float) -> float:
    if math.isnan(value):
        raise Undefined(Reason.NO_ITEM_VARIATION)
    return float(value)


def complete_items(sample: NumberSample) -> CompleteItems:
    """Return the items that all raters labeled; raises Undefined if fewer than two, or all numbers are equal."""
    values = complete_numbers(sample)
    if (values == values.flat[0]).all():
        raise Undefined(Reason.NO_VARIATION)
    # Correlations do not depend on the unit; scaled to about 1, even fourth powers of the largest numbers are finite.
    return CompleteItems(np.ldexp(values, -int(np.frexp(np.abs(values).max())[1])))


def icc_statistics(sample: NumberSample) -> list[Statistic]:
    """Return the two-way correlations as statistics, for intervals other than those from F.

    Raises Undefined like `complete_items`.
    """
    items = complete_items(sample)
    return [
        Statistic(
            name=name,
            units=lambda of: items,
            values=partial(_values, form=form),
            method=lambda scale: METHOD,
        )
        for name, form in FORMS.items()
    ]


def _values(items: CompleteItems, scale: Scale, weights: FloatArray, *, form: "IccStatistic") -> FloatArray:
    return form.value(mean_squares(items, weights))


def mean_squares(items: CompleteItems, weights: FloatArray) -> TwoWayMeanSquares:
    """Mean squares of B samples with weights[b, i] copies of item i; weights: (B, n). NaN for a sample of one item."""
    k = items.values.shape[1]
    n = weights.sum(axis=1)
    centered = items.values - items.values.mean()
    row_means = centered.mean(axis=1)
    mean = np.einsum("bi,i->b", weights, row_means) / n
    column_means = np.einsum("bi,ij->bj", weights, centered) / n[:, None]
    rows = k * np.einsum("bi,bi->b", weights, (row_means - mean[:, None]) ** 2)
    columns = n * ((column_means - mean[:, None]) ** 2).sum(axis=1)
    # Residuals are computed from centered rows, so that item means cannot leave rounding errors in them.
    residuals, column_gaps = centered - row_means[:, None], column_means - mean[:, None]
    error = np.einsum("bi,i->b", weights, (residuals**2).sum(axis=1)) - n * (column_gaps**2).sum(axis=1)
    if len(weights) == 1:
        # The value itself must not lose digits in a difference.
        error = np.einsum("bi,i->b", weights, ((residuals - column_gaps[0]) ** 2).sum(axis=1))
    # The rounding error that centering leaves for numbers far from 0.
    far = items.values.size * (float(np.abs(items.values).max()) * 4e-16) ** 2
    rounding = np.maximum(ROUNDING * (rows + columns + error), far)
    rows, columns, error = (np.where(square > rounding, square, 0) for square in (rows, columns, error))
    with np.errstate(invalid="ignore", divide="ignore"):
        return TwoWayMeanSquares(n, k, rows / (n - 1), columns / (k - 1), error / ((n - 1) * (k - 1)))


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


Limits = tuple[float, float]


@dataclass(frozen=True, slots=True)
class IccStatistic:
    """One of the correlations: its values, and the limits of the first at a probability of their F distributions."""

    value: Callable[[TwoWayMeanSquares], FloatArray]
    limits: Callable[[TwoWayMeanSquares, float], Limits]


def _absolute(m: TwoWayMeanSquares) -> FloatArray:
    return _share(m.rows - m.error, m.rows + (m.k - 1) * m.error + m.k * (m.columns - m.error) / m.n)


def _consistent(m: TwoWayMeanSquares) -> FloatArray:
    return _share(m.rows - m.error, m.rows + (m.k - 1) * m.error)


def _absolute_mean(m: TwoWayMeanSquares) -> FloatArray:
    return _share(m.rows - m.error, m.rows + (m.columns - m.error) / m.n)


def _consistent_mean(m: TwoWayMeanSquares) -> FloatArray:
    return _share(m.rows - m.error, m.rows)


def _consistent_ratios(m: TwoWayMeanSquares, p: float) -> Limits:
    """The limits of the ratio of expected mean squares."""
    n = float(m.n[0])
    ratio, df = float(m.rows[0] / m.error[0]), (n - 1) * (m.k - 1)
    return ratio / float(fdtri(n - 1, df, p)), ratio * float(fdtri(df, n - 1, p))


def _consistent_limits(m: TwoWayMeanSquares, p: float) -> Limits:
    low, high = _consistent_ratios(m, p)
    return (low - 1) / (low + m.k - 1), (high - 1) / (high + m.k - 1)


def _consistent_mean_limits(m: TwoWayMeanSquares, p: float) -> Limits:
    low, high = _consistent_ratios(m, p)
    return 1 - 1 / low, 1 - 1 / high


def _absolute_limits(m: TwoWayMeanSquares, p: float) -> Limits:
    low, high = (float(limit[0]) for limit in absolute_limits(m, p))
    if math.isnan(low):
        raise Undefined(Reason.DEGENERATE_MARGINS)
    return low, high


def absolute_limits(m: TwoWayMeanSquares, p: float) -> tuple[FloatArray, FloatArray]:
    """(B,) limits of ICC(A,1) at this probability of their F distributions; NaN where there are none.

    Uses Satterthwaite's approximate degrees of freedom v for a MSC + b MSE.
    """
    n, k, r = m.n, m.k, _absolute(m)
    with np.errstate(invalid="ignore", divide="ignore"):
        a, b = k * r / (n * (1 - r)), 1 + k * r * (n - 1) / (n * (1 - r))
        parts = (a * m.columns) ** 2 / (k - 1) + (b * m.error) ** 2 / ((n - 1) * (k - 1))
        v = (a * m.columns + b * m.error) ** 2 / parts
        v = np.where((parts > 0) & (v > 0), v, np.nan)
        f_low, f_high = fdtri(n - 1, v, p), fdtri(v, n - 1, p)
        others = k * m.columns + (k * n - k - n) * m.error
        low = n * (m.rows - f_low * m.error) / (f_low * others + n * m.rows)
        return low, n * (f_high * m.rows - m.error) / (others + n * f_high * m.rows)


def _absolute_mean_limits(m: TwoWayMeanSquares, p: float) -> Limits:
    """The limits for one rater, stepped up to k raters by the Spearman-Brown formula."""
    limits = _absolute_limits(m, p)
    stepped = [1 + (m.k - 1) * limit for limit in limits]
    if min(stepped) <= 0:
        raise Undefined(Reason.DEGENERATE_MARGINS)
    return m.k * limits[0] / stepped[0], m.k * limits[1] / stepped[1]


FORMS = {
    "icc_a_1": IccStatistic(_absolute, _absolute_limits),
    "icc_c_1": IccStatistic(_consistent, _consistent_limits),
    "icc_a_k": IccStatistic(_absolute_mean, _absolute_mean_limits),
    "icc_c_k": IccStatistic(_consistent_mean, _consistent_mean_limits),
}
# In the order of the literature.
NAMES = ("icc_1_1", "icc_a_1", "icc_c_1", "icc_1_k", "icc_a_k", "icc_c_k")


def _interval(form: IccStatistic, squares: TwoWayMeanSquares, value: float, p: float) -> Interval:
    if math.isclose(value, 1, abs_tol=1e-12):
        return Interval(reason=Reason.DEGENERATE_SE, method=INTERVAL_METHOD)
    if squares.rows[0] == 0:
        return Interval(reason=Reason.DEGENERATE_MARGINS, method=INTERVAL_METHOD)
    try:
        low, high = form.limits(squares, p)
    except Undefined as undefined:
        return Interval(reason=undefined.reason, method=INTERVAL_METHOD)
    return Interval(low=low, high=high, method=INTERVAL_METHOD)
