"""The bootstrap over items: a statistic on resamples of the same number of items."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from reports.agreement.intervals.jackknife import acceleration, columns, left_out_values
from reports.agreement.intervals.replicates import used_kinds, why_undefined
from reports.agreement.intervals.resampling import BootstrapMethod, bootstrap_limits, item_weights
from reports.agreement.results import FloatArray, Interval, Undefined
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic, Units
from reports.agreement.ticks import Tick, part_of

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
    tick: Tick | None = None,
) -> dict[str, list[Interval]]:
    """Like `bootstrap`, for each value of a statistic: K values, one per category, or a single one.

    tick: called with the share of replicates that are done; an exception from it ends the computation.
    """
    method = BootstrapMethod(method)
    found: dict[str, list[Interval]] = {}
    computed: dict[str, Units] = {}
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
        part = part_of(tick, place / len(groups), (place + 1) / len(groups))
        found |= _of_units(some, units, scale, seed, n_replicates, method, confidence, part)
    return {each.name: found[each.name] for each in statistics}


def _of_units(
    group: list[Statistic],
    units: Any,
    scale: Scale,
    seed: int,
    n_replicates: int,
    method: BootstrapMethod,
    confidence: float,
    tick: Tick,
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
    replicates = _replicates(defined, units, scale, seed=seed, n_replicates=n_replicates, tick=tick)
    for each in defined:
        speed = _acceleration(each, units, scale) if method is BootstrapMethod.BCA else None
        limits = bootstrap_limits(
            values[each.name],
            replicates[each.name],
            n=units.n_items[used_kinds(each, units)].sum(),
            acceleration=speed,
            confidence=confidence,
        )
        found[each.name] = [limits.interval(position) for position in range(len(limits.value))]
    return found


def _replicates(
    group: list[Statistic], units: Any, scale: Scale, *, seed: int, n_replicates: int, tick: Tick
) -> dict[str, FloatArray]:
    """Return (K, B) for each statistic, all from the same draws."""
    found: dict[str, list[FloatArray]] = {each.name: [] for each in group}
    n_done = 0
    for weights in item_weights(units.n_items, seed=seed, n_replicates=n_replicates):
        for each in group:
            found[each.name].append(columns(each.values(units, scale, weights)))
        n_done += len(weights)
        tick(n_done / n_replicates)
    return {name: np.concatenate(some).T for name, some in found.items()}


def _acceleration(each: Statistic, units: Any, scale: Scale) -> FloatArray:
    left_out = columns(left_out_values(each, units, scale)).T
    n_items = np.broadcast_to(units.n_items[used_kinds(each, units)], left_out.shape)
    return acceleration(left_out, n_items)
