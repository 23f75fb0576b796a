"""Intraclass correlations: how much of the variation of numbers is between items."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtri

from reports.agreement.numbers.matrix import NumberSample, complete_numbers
from reports.agreement.results import Coefficient, FloatArray, Interval, Reason, Undefined

METHOD = "items that all raters labelled"
INTERVAL_METHOD = "F"
# A sum of squares below this share of the total is rounding, not variation.
ROUNDING = 1e-24


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """Two-way analysis of variance of n items by k raters: mean squares of rows, columns, error, and within rows."""

    n: int
    k: int
    rows: float
    columns: float
    error: float
    within: float


def intraclass_correlations(sample: NumberSample, *, confidence: float = 0.95) -> dict[str, Coefficient]:
    """The six intraclass correlations, with intervals from F distributions and no standard error.

    By name: icc_1_1, ICC(1,1), raters of each item drawn anew; icc_a_1, ICC(A,1), absolute agreement; icc_c_1,
    ICC(C,1), consistency, raters may differ by a constant; icc_1_k, icc_a_k, icc_c_k, the same for the mean of k
    raters.
    Over the n items that all k raters labelled; the others are left out and counted. Formulas: 2.12 of the definitions.
    Undefined: `no_items`; `no_overlap`, no item with two labels; `no_complete_items`; `n<2`, one complete item;
    `no_variation`, all numbers equal, or too little between items for this one: 0 or less in the denominator.
    Without interval: `degenerate_se`, a value of 1; `degenerate_margins`, no variation between items, or limits of
    ICC(A,1) that a mean cannot have.
    Sources: Shrout & Fleiss 1979, Psychological Bulletin 86, 420-428; McGraw & Wong 1996, Psychological Methods 1,
    30-46.
    """
    return {name: _coefficient(sample, form, confidence) for name, form in FORMS.items()}


def _coefficient(sample: NumberSample, form: "Form", confidence: float) -> Coefficient:
    used = sample.complete_size
    value, interval = None, Interval(method="")
    try:
        squares = mean_squares(complete_numbers(sample))
        value = form.value(squares)
        interval = _interval(form, squares, value, (1 + confidence) / 2)
    except Undefined as undefined:
        interval = Interval(reason=undefined.reason, method="")
    return Coefficient(
        value=value,
        ci_low=interval.low,
        ci_high=interval.high,
        reason=interval.reason,
        used=used,
        left_out=sample.size.without(used),
        method=METHOD,
        interval_method=interval.method,
    )


def mean_squares(values: FloatArray) -> MeanSquares:
    """Of a complete table, values: (n, k), n >= 2 and k >= 2. Raises Undefined if all its numbers are equal."""
    if (values == values.flat[0]).all():
        raise Undefined(Reason.NO_VARIATION)
    n, k = values.shape
    # No correlation depends on the unit; near 1 even squares of squares of the largest numbers are finite.
    values = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    centred = values - values.mean()
    by_row, by_column = centred.mean(axis=1), centred.mean(axis=0)
    total = float((centred**2).sum())
    # What centring leaves of numbers far from 0.
    rounding = max(ROUNDING * total, values.size * (float(np.abs(values).max()) * 4e-16) ** 2)
    rows = _sum_of_squares(by_row, times=k, rounding=rounding)
    columns = _sum_of_squares(by_column, times=n, rounding=rounding)
    error = _sum_of_squares(centred - by_row[:, None] - by_column, times=1, rounding=rounding)
    within = (columns + error) / (n * (k - 1))
    return MeanSquares(n, k, rows / (n - 1), columns / (k - 1), error / ((n - 1) * (k - 1)), within)


def _sum_of_squares(gaps: FloatArray, *, times: int, rounding: float) -> float:
    found = times * float((gaps**2).sum())
    return found if found > rounding else 0.0


def _share(part: float, whole: float) -> float:
    if whole <= 0:
        raise Undefined(Reason.NO_VARIATION)
    return part / whole


Limits = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Form:
    """One of the correlations: its value, and its limits at a probability of their F distributions."""

    value: Callable[[MeanSquares], float]
    limits: Callable[[MeanSquares, float], Limits]


def _one_way(m: MeanSquares) -> float:
    return _share(m.rows - m.within, m.rows + (m.k - 1) * m.within)


def _absolute(m: MeanSquares) -> float:
    return _share(m.rows - m.error, m.rows + (m.k - 1) * m.error + m.k * (m.columns - m.error) / m.n)


def _consistent(m: MeanSquares) -> float:
    return _share(m.rows - m.error, m.rows + (m.k - 1) * m.error)


def _one_way_mean(m: MeanSquares) -> float:
    return _share(m.rows - m.within, m.rows)


def _absolute_mean(m: MeanSquares) -> float:
    return _share(m.rows - m.error, m.rows + (m.columns - m.error) / m.n)


def _consistent_mean(m: MeanSquares) -> float:
    return _share(m.rows - m.error, m.rows)


def _one_way_ratios(m: MeanSquares, p: float) -> Limits:
    return _ratio_limits(m.rows / m.within, m.n - 1, m.n * (m.k - 1), p)


def _consistent_ratios(m: MeanSquares, p: float) -> Limits:
    return _ratio_limits(m.rows / m.error, m.n - 1, (m.n - 1) * (m.k - 1), p)


def _ratio_limits(ratio: float, df_rows: float, df_error: float, p: float) -> Limits:
    """The limits of a ratio of expected mean squares."""
    return ratio / float(fdtri(df_rows, df_error, p)), ratio * float(fdtri(df_error, df_rows, p))


def _of_one(ratios: Callable[[MeanSquares, float], Limits]) -> Callable[[MeanSquares, float], Limits]:
    def limits(m: MeanSquares, p: float) -> Limits:
        low, high = ratios(m, p)
        return (low - 1) / (low + m.k - 1), (high - 1) / (high + m.k - 1)

    return limits


def _of_mean(ratios: Callable[[MeanSquares, float], Limits]) -> Callable[[MeanSquares, float], Limits]:
    def limits(m: MeanSquares, p: float) -> Limits:
        low, high = ratios(m, p)
        return 1 - 1 / low, 1 - 1 / high

    return limits


def _absolute_limits(m: MeanSquares, p: float) -> Limits:
    """By the degrees of freedom v that Satterthwaite's approximation gives to a MSC + b MSE."""
    n, k, r = m.n, m.k, _absolute(m)
    a, b = k * r / (n * (1 - r)), 1 + k * r * (n - 1) / (n * (1 - r))
    parts = (a * m.columns) ** 2 / (k - 1) + (b * m.error) ** 2 / ((n - 1) * (k - 1))
    if parts <= 0:
        raise Undefined(Reason.DEGENERATE_MARGINS)
    v = (a * m.columns + b * m.error) ** 2 / parts
    if v <= 0:
        raise Undefined(Reason.DEGENERATE_MARGINS)
    f_low, f_high = float(fdtri(n - 1, v, p)), float(fdtri(v, n - 1, p))
    others = k * m.columns + (k * n - k - n) * m.error
    low = n * (m.rows - f_low * m.error) / (f_low * others + n * m.rows)
    return low, n * (f_high * m.rows - m.error) / (others + n * f_high * m.rows)


def _absolute_mean_limits(m: MeanSquares, p: float) -> Limits:
    """Those of one rater, stepped up to k by the formula of Spearman and Brown."""
    limits = _absolute_limits(m, p)
    stepped = [1 + (m.k - 1) * limit for limit in limits]
    if min(stepped) <= 0:
        raise Undefined(Reason.DEGENERATE_MARGINS)
    return m.k * limits[0] / stepped[0], m.k * limits[1] / stepped[1]


FORMS = {
    "icc_1_1": Form(_one_way, _of_one(_one_way_ratios)),
    "icc_a_1": Form(_absolute, _absolute_limits),
    "icc_c_1": Form(_consistent, _of_one(_consistent_ratios)),
    "icc_1_k": Form(_one_way_mean, _of_mean(_one_way_ratios)),
    "icc_a_k": Form(_absolute_mean, _absolute_mean_limits),
    "icc_c_k": Form(_consistent_mean, _of_mean(_consistent_ratios)),
}


def _interval(form: Form, squares: MeanSquares, value: float, p: float) -> Interval:
    if math.isclose(value, 1, abs_tol=1e-12):
        return Interval(reason=Reason.DEGENERATE_SE, method=INTERVAL_METHOD)
    if squares.rows == 0:
        return Interval(reason=Reason.DEGENERATE_MARGINS, method=INTERVAL_METHOD)
    try:
        low, high = form.limits(squares, p)
    except Undefined as undefined:
        return Interval(reason=undefined.reason, method=INTERVAL_METHOD)
    return Interval(low=low, high=high, method=INTERVAL_METHOD)
