"""Everything that is computed of all raters of a question together, as reports store it and programs get it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from reports.agreement.intervals.bootstrap import bootstrap_each
from reports.agreement.intervals.jackknife import jackknife_each
from reports.agreement.overall.categories import OF_CATEGORIES, by_category
from reports.agreement.overall.cochran import cochran_q
from reports.agreement.overall.coefficients import WEIGHTED, overall, unweighted_statistics
from reports.agreement.overall.fleiss_test import fleiss_zero, fleiss_zero_by_category
from reports.agreement.overall.kendall import complete_size, kendall_w_zero
from reports.agreement.overall.linearised import METHOD as LINEARISED
from reports.agreement.overall.statistic import size_used
from reports.agreement.profiles import ItemProfiles
from reports.agreement.results import Coefficient, Estimates, Interval, Reason, Undefined, is_clipped
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic
from reports.agreement.ticks import Tick, part_of
from reports.agreement.weights import Level, Weights
from reports.analysis.catalogue import Family
from reports.analysis.consensus import consensus_of
from reports.analysis.options import IntervalMethod, Options
from reports.analysis.pairs import flat_row, flat_test

# Kinds of items x categories beyond which no category is looked at by itself.
MAX_CATEGORY_CELLS = 20_000_000
# Draws beyond which an interval by replicates would take a report many minutes.
MAX_DRAWS = 10_000_000_000
# The name of the tests of each category, which belong to the family of tests.
OF_EACH = "category_tests"
# What a report computes of a single choice beside the coefficients.
STORED = (Family.CATEGORIES, Family.TESTS, Family.CONSENSUS)


def coefficients_of(
    sample: Sample, scale: Scale, options: Options, *, tick: Tick | None = None
) -> dict[str, dict[str, Any]]:
    """Every coefficient of all raters by name, with the interval that the options ask for."""
    found = overall(sample, scale, confidence=options.confidence)
    intervals = _intervals(sample, scale, options, tick)
    return {name: with_interval(coefficient, intervals.get(name)) for name, coefficient in found.items()}


def with_interval(coefficient: Coefficient, interval: Interval | None) -> dict[str, Any]:
    # A value that is undefined has no interval by any method; its reason says more than the interval's.
    if interval is None or coefficient.value is None:
        return coefficient.flat()
    return coefficient.flat() | flat_interval(coefficient.value, interval)


def flat_interval(value: float, interval: Interval) -> dict[str, Any]:
    found = {
        "se": interval.se,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "is_clipped": is_clipped(value, interval.low, interval.high, interval.method),
        "reason": str(interval.reason),
        "interval_method": interval.method,
    }
    if not interval.n_replicates:
        return found
    return found | {
        "n_replicates": interval.n_replicates,
        "n_undefined_replicates": interval.n_undefined,
    }


def statistics_of(
    sample: Sample,
    scale: Scale,
    options: Options,
    *,
    raters: Sequence[str],
    families: Collection[Family],
    tick: Tick | None = None,
) -> dict[str, Any]:
    """What is computed of all raters beside the coefficients, by family.

    raters: their names in the order of the columns of the ratings.
    """
    found: dict[str, Any] = {}
    if Family.CATEGORIES in families:
        found[Family.CATEGORIES] = categories_of(sample, scale, options, tick=tick)
    if Family.TESTS in families:
        found[Family.TESTS] = tests_of(sample, scale)
        found[OF_EACH] = category_tests_of(sample)
    if Family.CONSENSUS in families:
        found[Family.CONSENSUS] = consensus_of(sample, raters, smoothing=options.smoothing)
    return {str(family): figures for family, figures in found.items()}


def categories_of(
    sample: Sample, scale: Scale, options: Options, *, tick: Tick | None = None
) -> dict[str, list[dict[str, Any]]]:
    """What is computed of each category against the rest, in their declared order; {} if there are too many."""
    if len(sample.patterns.n_items) * scale.n_categories > MAX_CATEGORY_CELLS:
        return {}
    found = by_category(sample, scale, confidence=options.confidence)
    intervals = resampled(OF_CATEGORIES, sample, scale, options, tick=tick)
    used = {each.name: size_used(each, sample) for each in OF_CATEGORIES}
    return {
        name: [row | sample.size.beside(used[name]) for row in _flat_row(rows, intervals.get(name))]
        for name, rows in found.items()
    }


def _flat_row(found: Estimates, intervals: Sequence[Interval] | None) -> list[dict[str, Any]]:
    rows = [
        {
            **row,
            "method": found.method,
            "interval_method": LINEARISED if row["ci_low"] is not None else "",
        }
        for row in flat_row(found)
    ]
    if intervals is None or len(intervals) != len(rows):
        return rows
    return [
        row if row["value"] is None else row | flat_interval(row["value"], interval)
        for row, interval in zip(rows, intervals, strict=True)
    ]


def tests_of(sample: Sample, scale: Scale) -> dict[str, dict[str, Any]]:
    found = {"fleiss_zero": (fleiss_zero(sample), sample.pairable_size)}
    if scale.n_categories == 2:
        found["cochran_q"] = cochran_q(sample), complete_size(sample)
    if scale.level is not Level.NOMINAL:
        found["kendall_w_zero"] = kendall_w_zero(sample, scale), complete_size(sample)
    return {name: flat_test(test, 0) | sample.size.beside(used) for name, (test, used) in found.items()}


def category_tests_of(sample: Sample) -> dict[str, list[dict[str, Any]]]:
    """Tests of each category against the rest, in their declared order."""
    found = fleiss_zero_by_category(sample)
    basis = sample.size.beside(sample.pairable_size)
    rows = [flat_test(found, category) | basis for category in range(len(found.statistic))]
    return {"fleiss_zero": rows}


def with_null_reasons(found: Any) -> Any:
    """The same JSON as programs get it: null for the reason of what is defined."""
    if isinstance(found, list):
        return [with_null_reasons(each) for each in found]
    if not isinstance(found, dict):
        return found
    return {
        name: value or None if name == "reason" else with_null_reasons(value) for name, value in found.items()
    }


def _intervals(sample: Sample, scale: Scale, options: Options, tick: Tick | None) -> dict[str, Interval]:
    """Intervals by another method than the formula's, by the name of the coefficient."""
    is_weighted = scale.weights is not Weights.UNWEIGHTED
    middle = 0.5 if is_weighted else 1.0
    unweighted = replace(scale, weights=Weights.UNWEIGHTED, custom=None)
    found = resampled(
        unweighted_statistics(scale), sample, unweighted, options, tick=part_of(tick, 0, middle)
    )
    if is_weighted:
        by_name = resampled(WEIGHTED, sample, scale, options, tick=part_of(tick, middle, 1))
        found |= {each.weighted_name: by_name[each.name] for each in WEIGHTED if each.name in by_name}
    return {name: intervals[0] for name, intervals in found.items()}


def resampled(
    statistics: Sequence[Statistic],
    sample: Sample,
    scale: Scale,
    options: Options,
    *,
    tick: Tick | None = None,
) -> dict[str, list[Interval]]:
    """For each statistic the intervals of its values; none by formula, which estimates bring along."""
    if options.interval is IntervalMethod.ANALYTIC:
        return {}
    possible = [each for each in statistics if _draws(each, sample, options) <= MAX_DRAWS]
    return _by_replicates(possible, sample, scale, options, tick) | {
        each.name: [Interval(reason=Reason.TOO_LARGE, method="")] * max(1, scale.n_categories)
        for each in statistics
        if each not in possible
    }


def _draws(statistic: Statistic, sample: Sample, options: Options) -> int:
    """How much is to be drawn and looked at: kinds of items x replicates, and of each all labels if raters count."""
    try:
        units = statistic.units(sample)
    except Undefined:
        # Its estimate says why, and there is nothing to draw.
        return 0
    n_kinds = len(units.n_items)
    n_replicates = options.replicates if options.is_bootstrap else n_kinds
    width = units.n_raters * units.n_categories if isinstance(units, ItemProfiles) else 1
    return n_kinds * n_replicates * width


def _by_replicates(
    statistics: Sequence[Statistic], sample: Sample, scale: Scale, options: Options, tick: Tick | None
) -> dict[str, list[Interval]]:
    if options.interval is IntervalMethod.JACKKNIFE:
        return _by_jackknife(statistics, sample, scale, options, part_of(tick, 0, 1))
    return bootstrap_each(
        statistics,
        sample,
        scale,
        seed=options.seed,
        n_replicates=options.replicates,
        method=str(options.interval),
        confidence=options.confidence,
        tick=tick,
    )


def _by_jackknife(
    statistics: Sequence[Statistic], sample: Sample, scale: Scale, options: Options, tick: Tick
) -> dict[str, list[Interval]]:
    found = {}
    for n_done, each in enumerate(statistics, start=1):
        found[each.name] = jackknife_each(each, sample, scale, confidence=options.confidence)
        tick(n_done / len(statistics))
    return found


def told_too_few(figures: Any) -> Any:
    """The same JSON; what is undefined is so because fewer than two raters count."""
    if isinstance(figures, list):
        return [told_too_few(each) for each in figures]
    if not isinstance(figures, dict):
        return figures
    told = {name: told_too_few(each) for name, each in figures.items()}
    is_undefined = told.get("reason") and told.get("value", told.get("statistic")) is None
    return told | {"reason": str(Reason.TOO_FEW_COUNTED)} if is_undefined else told
