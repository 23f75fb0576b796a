"""The delete-one-item jackknife: the change of a statistic when one item is left out."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from reports.agreement.blockwise import ComputeBlocks, Replicates, State, all_rows, here, key_of
from reports.agreement.intervals.replicates import (
    ReplicatedEstimates,
    blocks,
    reasons,
    used_kinds,
    why_undefined,
    without,
)
from reports.agreement.progress_callbacks import ReportProgress, part_of
from reports.agreement.results import FloatArray, Interval, Undefined
from reports.agreement.sample import Sample, Scale

if TYPE_CHECKING:
    # For typing only: a statistic without linearized values takes its standard error from here.
    from reports.agreement.statistic import ItemKinds, Statistic

METHOD = "jackknife, t over items"


def jackknife(statistic: "Statistic", sample: Sample, scale: Scale, *, confidence: float = 0.95) -> Interval:
    """Standard error and t interval of a statistic of all raters, from leaving out each of its n items in turn.

    Items are those that the statistic uses: with two or more labels, or with one if it `uses_single`. See
    `jackknife_limits` for the formula; there is no interval with fewer than two pairable items (`n<2`).
    """
    return jackknife_each(statistic, sample, scale, confidence=confidence)[0]


def jackknife_each(
    statistic: "Statistic",
    sample: Sample,
    scale: Scale,
    *,
    confidence: float = 0.95,
    report_progress: ReportProgress | None = None,
    compute: ComputeBlocks = here,
) -> list[Interval]:
    """Like `jackknife`, for each value of a statistic: K values, one per category, or a single one.

    compute: computes the values without an item.
    """
    try:
        units = statistic.units(sample)
        if reason := why_undefined(units):
            return [Interval(reason=reason, method=METHOD)]
        value = columns(statistic.values(units, scale, units.n_items[None, :].astype(np.float64)))[0]
        work = JackknifeReplicates(statistic, units, scale, len(value))
        left_out = all_rows(work, compute, part_of(report_progress, 0, 1)).T
    except Undefined as undefined:
        return [Interval(reason=undefined.reason, method=METHOD)]
    n_items = np.broadcast_to(units.n_items[work.kinds], left_out.shape)
    found = jackknife_limits(value, left_out, n_items, confidence=confidence, lowest=statistic.lowest)
    return [found.interval(position) for position in range(len(value))]


def jackknife_values(statistic: "Statistic", units: "ItemKinds", scale: Scale) -> FloatArray:
    """(V,) or (V, K): the statistic without one item, for each of the V kinds of items that it uses."""
    work = JackknifeReplicates(statistic, units, scale, 1)
    return np.concatenate([work.values(rows) for rows in work.slices])


@dataclass(frozen=True, eq=False)
class JackknifeReplicates(Replicates):
    """The statistic without one item, for each of the kinds of items that it uses. width: the number of its values."""

    statistic: "Statistic"
    units: Any
    scale: Scale
    width: int

    @cached_property
    def kinds(self) -> NDArray[np.intp]:
        """(V,)"""
        return np.flatnonzero(used_kinds(self.statistic, self.units))

    @cached_property
    def slices(self) -> list[slice]:
        return blocks(len(self.kinds), width=len(self.units.n_items))

    def values(self, rows: slice) -> FloatArray:
        """Return (b,) or (b, K), one block."""
        kinds = self.kinds[rows]
        weights = np.repeat(self.units.n_items[None, :].astype(np.float64), len(kinds), axis=0)
        weights[np.arange(len(weights)), kinds] -= 1
        return self.statistic.values(self.units, self.scale, weights)

    @property
    def key(self) -> str:
        return key_of("leaving out an item", [self.statistic], self.scale)

    @property
    def n_blocks(self) -> int:
        return len(self.slices)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.kinds), self.width

    def blocks(self, first: int, last: int, state: State) -> Iterator[FloatArray]:
        return (columns(self.values(rows)) for rows in self.slices[first:last])


def jackknife_limits(
    value: FloatArray,
    left_out: FloatArray,
    n_items: NDArray[np.int64],
    *,
    confidence: float = 0.95,
    lowest: float = -np.inf,
) -> ReplicatedEstimates:
    """Standard errors and intervals of P values from their values without one item.

    value: (P,). left_out: (P, U), NaN where undefined; n_items: (P, U), how many of a value's n items give each of
    them. se^2 = (n - 1) / n sum_i (value_(i) - mean)^2, value_(i) without item i, mean over all value_(i). The interval
    is the value plus and minus t_{n-1} standard errors, clipped at 1 and at the lowest value, unless the value itself
    lies below it.
    No interval: an undefined value; one item (`n<2`); more than 5 % of the value_(i) undefined
    (`too_many_undefined`); fewer are counted, and the mean square is that of the others; no difference between items,
    `degenerate_se` with error 0 in full agreement, else `degenerate_margins`.
    Source: Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 11.
    """
    n = n_items.sum(axis=1)
    deviations, n_defined = _deviations(left_out, n_items)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_square = (deviations**2 * n_items).sum(axis=1) / n_defined
    reason = reasons(value, n, mean_square, n_replicates=n, n_undefined=n - n_defined)
    se = np.sqrt(np.maximum(n - 1, 0) * mean_square)
    margin = np.where(reason == 0, stdtrit(np.maximum(n - 1, 1), (1 + confidence) / 2) * se, np.nan)
    return ReplicatedEstimates(
        value=value,
        se=without(reason, se),
        ci_low=np.maximum(value - margin, np.where(value < lowest, -np.inf, lowest)),
        ci_high=np.minimum(value + margin, 1),
        n=n,
        reason=reason,
        method=METHOD,
        n_replicates=n,
        n_undefined=n - n_defined,
    )


def acceleration(left_out: FloatArray, n_items: NDArray[np.int64]) -> FloatArray:
    """(P,) the acceleration of the BCa interval, sum_i d_i^3 / (6 (sum_i d_i^2)^(3/2)), d_i = mean - value_(i).

    left_out, n_items: (P, U), as for `jackknife_limits`. NaN without any difference between items.
    Source: Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 14.
    """
    deviations, _ = _deviations(left_out, n_items)
    squares = (deviations**2 * n_items).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return -(deviations**3 * n_items).sum(axis=1) / (6 * squares**1.5)


def _deviations(left_out: FloatArray, n_items: NDArray[np.int64]) -> tuple[FloatArray, NDArray[np.int64]]:
    """(P, U) deviations from the mean over items, 0 where undefined; (P,) the number of items with a defined value."""
    is_defined = ~np.isnan(left_out)
    n_defined = np.where(is_defined, n_items, 0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(is_defined, left_out * n_items, 0).sum(axis=1) / n_defined
    return np.where(is_defined, left_out - mean[:, None], 0), n_defined


def columns(values: FloatArray) -> FloatArray:
    """Return (B, K) from (B,) or (B, K)."""
    return values if values.ndim == 2 else values[:, None]
