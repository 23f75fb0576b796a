"""The coefficients, categories, and tests of all raters of a single-choice question, with intervals."""

from collections.abc import Sequence
from dataclasses import replace

from reports.agreement.blockwise import ComputeBlocks, here, named
from reports.agreement.intervals.bootstrap import bootstrap_each
from reports.agreement.intervals.jackknife import jackknife_each
from reports.agreement.overall.category_agreement import OF_CATEGORIES, by_category
from reports.agreement.overall.cochran import cochran_q
from reports.agreement.overall.coefficients import WEIGHTED, overall, unweighted_statistics
from reports.agreement.overall.fleiss_test import fleiss_zero, fleiss_zero_by_category
from reports.agreement.overall.kendall import complete_size, kendall_w_zero
from reports.agreement.overall.statistic import size_used
from reports.agreement.profiles import ItemProfiles
from reports.agreement.progress_callbacks import ReportProgress, part_of
from reports.agreement.results import Estimates, Interval, Reason, Undefined
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level, Weights
from reports.analysis.options import IntervalMethod, Options
from reports.analysis.results import Figure, SignificanceTest, figures_of

# Limit on kinds of items x categories; beyond it categories are not analyzed separately.
MAX_CATEGORY_CELLS = 20_000_000
# Limit on draws; beyond it a resampled interval would take many minutes.
MAX_DRAWS = 10_000_000_000


def coefficients_of(
    sample: Sample,
    scale: Scale,
    options: Options,
    *,
    report_progress: ReportProgress | None = None,
    compute: ComputeBlocks = here,
) -> dict[str, Figure]:
    """Return every coefficient of all raters by name, with the interval set in the options."""
    found = overall(sample, scale, confidence=options.confidence)
    intervals = intervals_of(sample, scale, options, report_progress=report_progress, compute=compute)
    return {
        name: Figure.of(coefficient).with_interval(intervals.get(name)) for name, coefficient in found.items()
    }


def categories_of(
    sample: Sample,
    scale: Scale,
    options: Options,
    *,
    report_progress: ReportProgress | None = None,
    compute: ComputeBlocks = here,
) -> dict[str, tuple[Figure, ...]]:
    """Return the statistics of each category against the rest, in declared order; {} if there are too many."""
    if _has_too_many_categories(sample, scale):
        return {}
    found = by_category(sample, scale, confidence=options.confidence)
    intervals = intervals_of_categories(
        sample, scale, options, report_progress=report_progress, compute=compute
    )
    used = {each.name: size_used(each, sample) for each in OF_CATEGORIES}
    return {
        name: tuple(each.resting_on(used[name], sample.size) for each in _row(rows, intervals.get(name)))
        for name, rows in found.items()
    }


def intervals_of_categories(
    sample: Sample,
    scale: Scale,
    options: Options,
    *,
    report_progress: ReportProgress | None = None,
    compute: ComputeBlocks = here,
) -> dict[str, list[Interval]]:
    """Return non-analytic intervals of each category against the rest, by the name of the statistic."""
    if _has_too_many_categories(sample, scale):
        return {}
    of_each = named("each category", compute)
    return resampled(OF_CATEGORIES, sample, scale, options, report_progress=report_progress, compute=of_each)


def _has_too_many_categories(sample: Sample, scale: Scale) -> bool:
    return len(sample.patterns.n_items) * scale.n_categories > MAX_CATEGORY_CELLS


def _row(found: Estimates, intervals: Sequence[Interval] | None) -> list[Figure]:
    rows = [
        replace(
            each,
            method=found.method,
            interval_method=found.interval_method if each.ci_low is not None else "",
        )
        for each in figures_of(found)
    ]
    if intervals is None or len(intervals) != len(rows):
        return rows
    return [each.with_interval(interval) for each, interval in zip(rows, intervals, strict=True)]


def tests_of(sample: Sample, scale: Scale) -> dict[str, SignificanceTest]:
    found = {"fleiss_zero": (fleiss_zero(sample), sample.pairable_size)}
    if scale.n_categories == 2:
        found["cochran_q"] = cochran_q(sample), complete_size(sample)
    if scale.level is not Level.NOMINAL:
        found["kendall_w_zero"] = kendall_w_zero(sample, scale), complete_size(sample)
    return {
        name: SignificanceTest.of(test, 0).resting_on(used, sample.size)
        for name, (test, used) in found.items()
    }


def category_tests_of(sample: Sample) -> dict[str, tuple[SignificanceTest, ...]]:
    """Return tests of each category against the rest, in declared order."""
    found = fleiss_zero_by_category(sample)
    rows = (SignificanceTest.of(found, category) for category in range(len(found.statistic)))
    return {"fleiss_zero": tuple(each.resting_on(sample.pairable_size, sample.size) for each in rows)}


def intervals_of(
    sample: Sample,
    scale: Scale,
    options: Options,
    *,
    report_progress: ReportProgress | None = None,
    compute: ComputeBlocks = here,
) -> dict[str, Interval]:
    """Return non-analytic intervals, by the name of the coefficient."""
    is_weighted = scale.weights is not Weights.UNWEIGHTED
    middle = 0.5 if is_weighted else 1.0
    unweighted = replace(scale, weights=Weights.UNWEIGHTED, custom=None)
    found = resampled(
        unweighted_statistics(scale),
        sample,
        unweighted,
        options,
        report_progress=part_of(report_progress, 0, middle),
        compute=compute,
    )
    if is_weighted:
        by_name = resampled(
            WEIGHTED,
            sample,
            scale,
            options,
            report_progress=part_of(report_progress, middle, 1),
            compute=compute,
        )
        found |= {each.weighted_name: by_name[each.name] for each in WEIGHTED if each.name in by_name}
    return {name: intervals[0] for name, intervals in found.items()}


def resampled(
    statistics: Sequence[Statistic],
    sample: Sample,
    scale: Scale,
    options: Options,
    *,
    report_progress: ReportProgress | None = None,
    compute: ComputeBlocks = here,
) -> dict[str, list[Interval]]:
    """Return the intervals of each statistic's values; none for the analytic method, since estimates have those.

    compute: computes the replicates.
    """
    if options.interval is IntervalMethod.ANALYTIC:
        return {}
    possible = [each for each in statistics if _draws(each, sample, options) <= MAX_DRAWS]
    return _by_replicates(possible, sample, scale, options, report_progress, compute) | {
        each.name: [Interval(reason=Reason.TOO_LARGE, method="")] * max(1, scale.n_categories)
        for each in statistics
        if each not in possible
    }


def _draws(statistic: Statistic, sample: Sample, options: Options) -> int:
    """Return the amount of resampling: kinds of items x replicates, times all labels if raters are distinguished."""
    try:
        units = statistic.units(sample)
    except Undefined:
        # There is nothing to draw; the estimate has the reason.
        return 0
    n_kinds = len(units.n_items)
    n_replicates = options.replicates if options.is_bootstrap else n_kinds
    width = units.n_raters * units.n_categories if isinstance(units, ItemProfiles) else 1
    return n_kinds * n_replicates * width


def _by_replicates(
    statistics: Sequence[Statistic],
    sample: Sample,
    scale: Scale,
    options: Options,
    report_progress: ReportProgress | None,
    compute: ComputeBlocks,
) -> dict[str, list[Interval]]:
    if options.interval is IntervalMethod.JACKKNIFE:
        return _by_jackknife(statistics, sample, scale, options, part_of(report_progress, 0, 1), compute)
    return bootstrap_each(
        statistics,
        sample,
        scale,
        seed=options.seed,
        n_replicates=options.replicates,
        method=str(options.interval),
        confidence=options.confidence,
        report_progress=report_progress,
        compute=compute,
    )


def _by_jackknife(
    statistics: Sequence[Statistic],
    sample: Sample,
    scale: Scale,
    options: Options,
    report_progress: ReportProgress,
    compute: ComputeBlocks,
) -> dict[str, list[Interval]]:
    found = {}
    for place, each in enumerate(statistics):
        part = part_of(report_progress, place / len(statistics), (place + 1) / len(statistics))
        found[each.name] = jackknife_each(
            each, sample, scale, confidence=options.confidence, report_progress=part, compute=compute
        )
        part(1)
    return found
