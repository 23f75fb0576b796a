"""The bootstrap over items: a statistic on resamples of the same number of items."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np

from reports.agreement.blockwise import ComputeBlocks, Replicates, State, all_rows, here, key_of
from reports.agreement.intervals.jackknife import JackknifeReplicates, acceleration, columns
from reports.agreement.intervals.replicates import blocks, used_kinds, why_undefined
from reports.agreement.intervals.resampling import BootstrapMethod, ItemDraws, bootstrap_limits
from reports.agreement.progress_callbacks import ReportProgress, no_progress, part_of
from reports.agreement.results import FloatArray, Interval, Undefined
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import ItemKinds, Statistic

N_REPLICATES = 2000


def bootstrap(
    statistics: Sequence[Statistic],
    sample: Sample,
    scale: Scale,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
    method: BootstrapMethod | str = BootstrapMethod.PERCENTILE,
    confidence: float = 0.95,
) -> dict[str, Interval]:
    """Bootstrap intervals of statistics of all raters on this scale, by name.

    A replicate draws as many items as there are, with replacement, from all items with a label; statistics computed
    from the same kinds of items share their replicates. See `bootstrap_limits` for the intervals; there is none with
    fewer than two pairable items (`n<2`).
    The same seed gives the same intervals to the last bit: draws come from one PCG64 stream, and sums depend neither on
    threads nor on the order of items.
    """
    every = bootstrap_each(
        statistics,
        sample,
        scale,
        seed=seed,
        n_replicates=n_replicates,
        method=method,
        confidence=confidence,
    )
    return {name: intervals[0] for name, intervals in every.items()}


def bootstrap_each(
    statistics: Sequence[Statistic],
    sample: Sample,
    scale: Scale,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
    method: BootstrapMethod | str = BootstrapMethod.PERCENTILE,
    confidence: float = 0.95,
    report_progress: ReportProgress | None = None,
    compute: ComputeBlocks = here,
) -> dict[str, list[Interval]]:
    """Like `bootstrap`, for each value of a statistic: K values, one per category, or a single one.

    report_progress: called with the share of replicates that are done; an exception from it ends the computation.
    compute: computes the replicates.
    """
    method = BootstrapMethod(method)
    found: dict[str, list[Interval]] = {}
    computed: dict[str, ItemKinds] = {}
    for each in statistics:
        try:
            computed[each.name] = each.units(sample)
        except Undefined as undefined:
            found[each.name] = [Interval(reason=undefined.reason, method=f"{method} bootstrap")]
    possible = [each for each in statistics if each.name in computed]
    by_units = sorted(possible, key=lambda each: id(computed[each.name]))
    groups = [list(group) for _, group in groupby(by_units, key=lambda each: id(computed[each.name]))]
    for place, some in enumerate(groups):
        units = computed[some[0].name]
        part = part_of(report_progress, place / len(groups), (place + 1) / len(groups))
        found |= _of_units(some, units, scale, seed, n_replicates, method, confidence, part, compute)
    return {each.name: found[each.name] for each in statistics}


def _of_units(
    group: list[Statistic],
    units: Any,
    scale: Scale,
    seed: int,
    n_replicates: int,
    method: BootstrapMethod,
    confidence: float,
    report_progress: ReportProgress,
    compute: ComputeBlocks,
) -> dict[str, list[Interval]]:
    """Return the intervals of statistics that are computed from these kinds of items."""
    title = f"{method} bootstrap"
    if reason := why_undefined(units):
        return {each.name: [Interval(reason=reason, method=title)] for each in group}
    found, values = {}, {}
    whole = units.n_items[None, :].astype(np.float64)
    for each in group:
        try:
            values[each.name] = columns(each.values(units, scale, whole))[0]
        except Undefined as undefined:
            found[each.name] = [Interval(reason=undefined.reason, method=title)]
    defined = [each for each in group if each.name in values]
    if not defined:
        return found
    draws = BootstrapReplicates(
        defined, units, scale, [len(values[each.name]) for each in defined], seed, n_replicates
    )
    replicates = draws.by_name(all_rows(draws, compute, report_progress))
    for each in defined:
        speed = None
        if method is BootstrapMethod.BCA:
            speed = _acceleration(JackknifeReplicates(each, units, scale, len(values[each.name])), compute)
        limits = bootstrap_limits(
            values[each.name],
            replicates[each.name],
            n=units.n_items[used_kinds(each, units)].sum(),
            acceleration=speed,
            confidence=confidence,
        )
        found[each.name] = [limits.interval(position) for position in range(len(limits.value))]
    return found


@dataclass(frozen=True, eq=False)
class BootstrapReplicates(Replicates):
    """The replicates of statistics that are computed from the same kinds of items, all from the same draws.

    widths: the number of values of each statistic.
    """

    group: Sequence[Statistic]
    units: Any
    scale: Scale
    widths: Sequence[int]
    seed: int
    n_replicates: int

    @property
    def key(self) -> str:
        return key_of("draws", self.group, self.scale)

    @property
    def n_blocks(self) -> int:
        return len(self._slices)

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_replicates, sum(self.widths)

    def states(self, starts: Sequence[int]) -> list[State]:
        return ItemDraws(self.units.n_items, self.seed).states(self._slices, starts)

    def blocks(self, first: int, last: int, state: State) -> Iterator[FloatArray]:
        draws = ItemDraws(self.units.n_items, self.seed)
        draws.resume(state)
        for rows in self._slices[first:last]:
            weights = draws.weights(rows.stop - rows.start)
            yield np.hstack([columns(each.values(self.units, self.scale, weights)) for each in self.group])

    def by_name(self, values: FloatArray) -> dict[str, FloatArray]:
        """Return (K, B) for each statistic."""
        ends = np.cumsum(self.widths)
        # Sums depend on the order in memory, which is that of the replicates of one statistic.
        return {
            each.name: np.ascontiguousarray(values[:, end - width : end]).T
            for each, width, end in zip(self.group, self.widths, ends.tolist(), strict=True)
        }

    @cached_property
    def _slices(self) -> list[slice]:
        return blocks(self.n_replicates, width=len(self.units.n_items))


def _acceleration(work: JackknifeReplicates, compute: ComputeBlocks) -> FloatArray:
    left_out = all_rows(work, compute, no_progress).T
    n_items = np.broadcast_to(work.units.n_items[work.kinds], left_out.shape)
    return acceleration(left_out, n_items)
