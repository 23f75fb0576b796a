"""Intervals of statistics of numbers and sets by the method that a report asks for."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from reports.agreement.numbers import kendall
from reports.agreement.numbers.alpha import number_alpha_statistic
from reports.agreement.numbers.icc import icc_statistics
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.results import Coefficient, Interval, Undefined
from reports.agreement.sample import Sample, Scale
from reports.agreement.sets.alpha import set_alpha_statistic
from reports.agreement.sets.categories import STATISTICS
from reports.agreement.sets.distances import SetDistance
from reports.agreement.sets.members import SetSample
from reports.agreement.sets.similarity import similarity_statistics
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level
from reports.analysis.options import IntervalMethod, Options
from reports.analysis.overall import flat_interval, resampled, with_interval

# Labels, or pairs of different answers, that all replicates of one statistic go through: about a minute.
MAX_STEPS = 10_000_000_000

Found = dict[str, Any]


def numbers_with_intervals(
    sample: NumberSample, level: Level, found: dict[str, Coefficient], options: Options
) -> Found:
    """Coefficients as JSON, with the interval that the options ask for where it can be had in time; else by formula."""
    intervals: dict[str, Interval] = {}
    if _is_feasible(sample.size.n_items, len(sample.values), options):
        for names, statistics, of, scale in _of_numbers(sample, level):
            intervals |= _named(names, statistics, of, scale, options)
    return {name: with_interval(each, intervals.get(name)) for name, each in found.items()}


def _of_numbers(
    sample: NumberSample, level: Level
) -> Iterator[tuple[list[str], Sequence[Statistic], Any, Scale]]:
    levels = {"krippendorff_alpha": level, "krippendorff_alpha_interval": Level.INTERVAL}
    for name, each in levels.items():
        # Ranks would be other ranks in each replicate, and ratios of many numbers take too long.
        if each in {Level.NOMINAL, Level.INTERVAL}:
            yield [name], [number_alpha_statistic(sample, each)], sample, Scale(1, each)
    try:
        statistics = icc_statistics(sample)
        yield [each.name for each in statistics], statistics, sample, Scale(1)
        ranked, scale = kendall.ranked(sample)
        of_ranks = [kendall.STATISTIC, kendall.UNCORRECTED]
        yield [each.name for each in of_ranks], of_ranks, ranked, scale
    except Undefined:
        return


def sets_with_intervals(sample: SetSample, found: dict[str, Coefficient], options: Options) -> Found:
    intervals: dict[str, Interval] = {}
    ratings = sample.ratings
    n_steps = max(ratings.n_labels, len(sample.members) ** 2)
    if _is_feasible(ratings.n_items, n_steps, options):
        alphas = [
            set_alpha_statistic(sample, distance) for distance in (SetDistance.MASI, SetDistance.JACCARD)
        ]
        similar = similarity_statistics(sample)
        names = ["krippendorff_alpha", "krippendorff_alpha_jaccard", *(each.name for each in similar)]
        scale = Scale(len(sample.members))
        intervals = _named(names, [*alphas, *similar], sample.sample, scale, options)
    return {name: with_interval(each, intervals.get(name)) for name, each in found.items()}


def _named(
    names: Sequence[str], statistics: Sequence[Statistic], of: Any, scale: Scale, options: Options
) -> dict[str, Interval]:
    """The intervals under the names that reports have for the statistics."""
    found = resampled(statistics, cast(Sample, of), scale, options)
    return {
        name: found[each.name][0] for name, each in zip(names, statistics, strict=True) if each.name in found
    }


def _is_feasible(n_items: int, n_steps: int, options: Options) -> bool:
    n_replicates = {
        IntervalMethod.ANALYTIC: 0,
        IntervalMethod.PERCENTILE: options.replicates,
        IntervalMethod.BCA: options.replicates + n_items,
        IntervalMethod.JACKKNIFE: n_items,
    }[options.interval]
    return 0 < n_replicates * n_steps <= MAX_STEPS


def categories_with_intervals(sample: SetSample, rows: dict[str, list[Found]], options: Options) -> None:
    """Put the interval that the options ask for into the rows of each category that has a value."""
    if not _is_feasible(sample.ratings.n_items, sample.ratings.n_raters, options):
        return
    for category in range(sample.n_categories):
        binary = Sample(sample.one_against_rest(category))
        for name, [interval, *_] in resampled(STATISTICS, binary, Scale(2), options).items():
            row = rows[name][category]
            if row["value"] is not None:
                row |= flat_interval(row["value"], interval)
