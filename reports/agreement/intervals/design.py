"""Design-based standard errors: clustered items, a finite population of items, and raters as a sample."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from reports.agreement.intervals.joint import units_of_rows
from reports.agreement.intervals.sample_difference import item_values_of, of_raters
from reports.agreement.intervals.wilson import wilson_limits
from reports.agreement.results import FloatArray, IntArray, Interval, Reason, Undefined
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic

BY_T, WILSON = "t over units", "Wilson"
# A sum of squares below this share of the squared value is rounding error.
ROUNDING = 1e-24
LEAST_RATERS = 3


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SamplingDesign:
    """How items and raters were sampled.

    clusters: (N,) the unit that each item belongs to, such as its document; None for independent items.
    population: number of units that the sample was drawn from, without replacement; None if practically infinite.
    are_raters_sampled: whether the raters, too, are a sample.
    """

    clusters: IntArray | None = None
    population: int | None = None
    are_raters_sampled: bool = False

    def of_items(self, rows: IntArray) -> "SamplingDesign":
        """Return the design for some of the items, by position."""
        clusters = None if self.clusters is None else self.clusters[rows]
        return SamplingDesign(
            clusters=clusters, population=self.population, are_raters_sampled=self.are_raters_sampled
        )


@dataclass(frozen=True, slots=True)
class LinearizedVariance:
    """n_units: C, units that enter the value; n_informative: units with an item that two raters labeled, for degrees of
    freedom. share: sum over units of (contribution to the value)^2. fraction: C / N."""

    n_units: int
    n_informative: int
    share: float
    fraction: float

    @property
    def df(self) -> int:
        return self.n_informative - 1

    @property
    def variance(self) -> float:
        return self.n_units / (self.n_units - 1) * self.share * (1 - self.fraction)


def designed_interval(
    statistic: Statistic,
    sample: Sample,
    scale: Scale,
    value: float,
    design: SamplingDesign,
    *,
    confidence: float = 0.95,
) -> Interval:
    """The standard error and the interval of a statistic of all raters, for this design.

    value: the statistic on this sample. design: clusters with one entry for each row of the sample's ratings. With the
    linearized values k_i of the n items that enter it (or the pseudo-values of the jackknife), a unit contributes
    u_c = sum over its items of (k_i - k) / n, and var = C / (C - 1) sum u_c^2 (1 - C / population). Units of one item
    give the variance of `linearised_interval`. Raters as a sample add the jackknife over raters,
    (R - 1) / R sum (k_(g) - mean)^2, with Satterthwaite's degrees of freedom; otherwise t has one degree of freedom
    less than there are units with an item that two raters labeled. Shares have Wilson's interval for the number of
    independent items that would have this variance; with clusters, or raters as a sample, with the same t instead
    of z.
    No error: one unit (`n<2`); fewer than three raters, if they are a sample (`too_few_counted`), or a value that is
    undefined without one of them (`too_many_undefined`). No interval: nothing varies (`degenerate_se`,
    `degenerate_margins`). Raises ValueError if the population is smaller than the sample.
    Sources: Yang & Zhou 2014, Statistics in Medicine 33(15), 2612-2633, for clusters; Cochran 1977, Sampling
    Techniques, section 2.6, and Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed., chapter 5, for populations and
    raters.
    """
    units, kinds = units_of_rows(statistic, sample)
    item_values = np.append(item_values_of(statistic, units, scale, value), np.nan)[kinds]
    is_informative = np.append(units.n_labels >= 2, False)[kinds]
    spread = _spread(item_values, value, design, is_informative)
    method = WILSON if statistic.is_share else BY_T
    if spread is None:
        return Interval(reason=Reason.ONE_ITEM, method=method)
    among_raters, n_raters, reason = 0.0, 0, Reason.NONE
    if design.are_raters_sampled:
        among_raters, n_raters, reason = _rater_variance(statistic, sample, scale)
    if reason:
        return Interval(reason=reason, method=method)
    variance = spread.variance + among_raters
    if statistic.is_share:
        # For independent items, the interval is that of `share_interval`.
        has_df = design.clusters is not None or among_raters
        df = _degrees(spread, among_raters, n_raters) if has_df else None
        return _wilson(value, variance, spread, df, confidence)
    if spread.share <= ROUNDING * max(1.0, value * value) and not among_raters:
        is_full = math.isclose(value, 1, abs_tol=1e-12)
        reason = Reason.DEGENERATE_SE if is_full else Reason.DEGENERATE_MARGINS
        return Interval(se=0.0 if is_full else None, reason=reason, method=method)
    if not variance:
        # A fully observed population leaves no uncertainty.
        return Interval(se=0.0, low=value, high=value, method=method)
    df = _degrees(spread, among_raters, n_raters)
    return t_interval(
        value, math.sqrt(variance), df, lowest=max(statistic.lowest, -1.0), confidence=confidence
    )


def designed_mean(
    item_values: FloatArray, value: float, design: SamplingDesign, *, confidence: float = 0.95
) -> Interval:
    """Like `designed_interval`, for a value that is the mean of its linearized values, (N,), NaN for unused items.

    For two raters: the value is about these two, so they are never a sample.
    """
    spread = _spread(item_values, value, design, np.ones(len(item_values), dtype=bool))
    if spread is None:
        return Interval(reason=Reason.ONE_ITEM, method=BY_T)
    if spread.share <= ROUNDING * max(1.0, value * value):
        is_full = math.isclose(value, 1, abs_tol=1e-12)
        reason = Reason.DEGENERATE_SE if is_full else Reason.DEGENERATE_MARGINS
        return Interval(se=0.0 if is_full else None, reason=reason, method=BY_T)
    if not spread.variance:
        return Interval(se=0.0, low=value, high=value, method=BY_T)
    return t_interval(value, math.sqrt(spread.variance), spread.df, lowest=-1.0, confidence=confidence)


def t_interval(value: float, se: float, df: float, *, lowest: float, confidence: float) -> Interval:
    margin = float(stdtrit(df, (1 + confidence) / 2)) * se
    low = value - margin if value < lowest else max(lowest, value - margin)
    return Interval(se=se, low=low, high=min(1.0, value + margin), method=BY_T)


def _spread(
    item_values: FloatArray, value: float, design: SamplingDesign, is_informative: NDArray[np.bool_]
) -> LinearizedVariance | None:
    """Return None for fewer than two units. is_informative: (N,) whether two or more raters labeled the item."""
    enters = ~np.isnan(item_values)
    n = int(enters.sum())
    clusters = np.arange(len(item_values)) if design.clusters is None else design.clusters
    _, of_item = np.unique(clusters[enters], return_inverse=True)
    sums = np.bincount(of_item, weights=item_values[enters] - value) / max(n, 1)
    n_informative = len(np.unique(clusters[enters & is_informative]))
    if len(sums) < 2 or n_informative < 2:
        return None
    if design.population is not None and design.population < len(sums):
        raise ValueError(f"the population must have at least the {len(sums)} units of the sample")
    fraction = 0.0 if design.population is None else len(sums) / design.population
    return LinearizedVariance(len(sums), n_informative, float((sums**2).sum()), fraction)


def _rater_variance(statistic: Statistic, sample: Sample, scale: Scale) -> tuple[float, int, Reason]:
    """Return the variance from leaving out each rater in turn, and the number of raters."""
    raters = np.flatnonzero(sample.labels_per_rater)
    if len(raters) < LEAST_RATERS:
        return 0.0, len(raters), Reason.TOO_FEW_COUNTED
    values = np.array([_without(statistic, sample, scale, raters[raters != each]) for each in raters])
    if np.isnan(values).any():
        return 0.0, len(raters), Reason.TOO_MANY_UNDEFINED
    n = len(raters)
    return float((n - 1) / n * ((values - values.mean()) ** 2).sum()), n, Reason.NONE


def _without(statistic: Statistic, sample: Sample, scale: Scale, raters: NDArray[np.intp]) -> float:
    rest = Sample(of_raters(sample.ratings, raters.tolist()))
    try:
        units = statistic.units(rest)
        return float(statistic.values(units, scale, units.n_items[None, :].astype(np.float64))[0])
    except Undefined:
        return math.nan


def _degrees(spread: LinearizedVariance, among_raters: float, n_raters: int) -> float:
    if not among_raters:
        return spread.df
    parts = (spread.variance, spread.df), (among_raters, n_raters - 1)
    return sum(part for part, _ in parts) ** 2 / sum(part**2 / df for part, df in parts)


def _wilson(
    value: float, variance: float, spread: LinearizedVariance, df: float | None, confidence: float
) -> Interval:
    is_end = math.isclose(value, 1, abs_tol=1e-12) or math.isclose(value, 0, abs_tol=1e-12)
    se = math.sqrt(variance)
    if spread.fraction == 1 and not variance:
        return Interval(se=0.0, low=value, high=value, method=WILSON)
    if not variance and not is_end:
        return Interval(reason=Reason.DEGENERATE_MARGINS, method=WILSON)
    n_units = spread.n_units / (1 - spread.fraction) if is_end else math.nan
    # As in `wilson_interval`, n and not n - 1.
    effective = n_units if is_end else value * (1 - value) / (variance * (1 - 1 / spread.n_units))
    at = round(value) if is_end else value
    # For a share of 0 or 1 no error was estimated: the limit is that of as many trials as there are units.
    df = None if is_end else df
    low, high = wilson_limits(np.array(float(at)), np.array(effective), confidence=confidence, df=df)
    return Interval(se=se, low=float(low), high=float(high), method=WILSON)
