"""Questions whose label is a number."""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.blockwise import ComputeBlocks, here
from reports.agreement.intervals.difference import Difference
from reports.agreement.models.label_similarity import NumberSimilarity, Similarity
from reports.agreement.models.pair_agreement import ConcordanceAgreement, PairwiseAgreement
from reports.agreement.numbers import kendall
from reports.agreement.numbers.alpha import labeled_items, number_alpha, number_alpha_statistic
from reports.agreement.numbers.bland_altman import limits_of_agreement
from reports.agreement.numbers.concordance import lin_concordance
from reports.agreement.numbers.concordance_difference import concordance_difference
from reports.agreement.numbers.icc import icc_statistics, intraclass_correlations
from reports.agreement.numbers.incomplete import incomplete_correlations
from reports.agreement.numbers.kendall import STATISTIC, UNCORRECTED, kendall_w, kendall_w_zero
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.one_way import one_way_statistics
from reports.agreement.numbers.pairs import all_number_pairs, number_pairs
from reports.agreement.overall.label_differences import MAX_TABLE
from reports.agreement.own.category_bias import ChosenCategories
from reports.agreement.own.others import mean_of_others
from reports.agreement.progress_callbacks import ReportProgress, no_progress
from reports.agreement.results import (
    Coefficient,
    Estimates,
    FloatArray,
    IntArray,
    Interval,
    Reason,
    Undefined,
)
from reports.agreement.sample import Scale
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level
from reports.analysis.catalog import StatisticFamily
from reports.analysis.comparison import difference_of
from reports.analysis.findings_gain import analytic
from reports.analysis.findings_numbers import NumberSearch
from reports.analysis.kinds.correlations import CORRELATIONS, correlation_difference
from reports.analysis.kinds.feasible import (
    MAX_DIFFERENCE_STEPS,
    alpha_difference,
    is_feasible,
    items_in,
    named_intervals,
    pairs_by_rater,
    storable,
    undefined_difference,
    why_undefined,
)
from reports.analysis.kinds.numeric_pairs import pair_results, pair_results_of
from reports.analysis.label_arrays import (
    AnswerColumns,
    LabelColumns,
    LabelSubset,
    QuestionLabels,
    Raters,
    Series,
)
from reports.analysis.options import IntervalMethod, Options
from reports.analysis.pair_blocks import Keep, PairBlock
from reports.analysis.question import QuestionScope
from reports.analysis.rater_comparison import number_raters_versus_others
from reports.analysis.results import (
    Differences,
    Figure,
    PairResult,
    QuestionResult,
    SeriesStatistics,
    SignificanceTest,
    two_series_of,
)

# Limit on labels ranked in all replicates together: about a minute.
MAX_RANKED = 100_000_000
OF_RANKS = {each.name: each for each in (STATISTIC, UNCORRECTED)}


@dataclass(frozen=True, slots=True)
class Numeric:
    scope: QuestionScope

    pair_figure = "lin_concordance"
    pairs_have_counts = False
    n_compared_categories = 0
    window_measure = "bland_altman_bias"
    default_level = Level.INTERVAL

    def refuse_unfit(self) -> None:
        """Do nothing: numbers have no categories."""

    def analysis(self, labels: QuestionLabels[NumberSample], raters: Raters) -> "NumericAnalysis":
        return NumericAnalysis(self.scope, labels, raters)

    @property
    def names(self) -> list[str]:
        return [*alpha_levels(self.scope.level), *OF_RANKS]

    @property
    def part_names(self) -> list[str]:
        return [*CORRELATIONS, *self.names]

    def part(self, labels: LabelColumns) -> LabelSubset:
        item_ids, items = np.unique(labels.items, return_inverse=True)
        rater_ids, raters = np.unique(labels.raters, return_inverse=True)
        sample = NumberSample.from_labels(
            items, raters, labels.values, n_items=len(item_ids), n_raters=len(rater_ids)
        )
        return LabelSubset(sample, item_ids)

    def figure(self, name: str, part: LabelSubset, report_progress: ReportProgress | None = None) -> Figure:
        found = {name: self._coefficient(name, part.sample)}
        return with_intervals(part.sample, self.scope.level, found, self.scope.options)[name]

    def _coefficient(self, name: str, sample: NumberSample) -> Coefficient:
        confidence = self.scope.options.confidence
        if name in OF_RANKS:
            return kendall_w(sample, statistic=OF_RANKS[name], confidence=confidence)
        if name in CORRELATIONS:
            return intraclass_correlations(sample, confidence=confidence)[name]
        return number_alpha(sample, alpha_levels(self.scope.level)[name], confidence=confidence)

    def differences(
        self,
        first: LabelSubset,
        second: LabelSubset,
        only: frozenset[str] = frozenset(),
        report_progress: ReportProgress | None = None,
    ) -> Differences:
        """Return differences of alpha on the question's level and on the interval level, of Kendall's W, and, for two
        raters, of Lin's concordance.

        Intraclass correlations are included if `only` names them.
        """
        options = self.scope.options
        if correlations := only.intersection(CORRELATIONS):
            return {name: correlation_difference(name, first, second, options) for name in correlations}
        found = {
            name: _alpha_difference(first, second, level, options)
            for name, level in alpha_levels(self.scope.level).items()
        }
        found |= {
            name: _rank_difference(statistic, first, second, options) for name, statistic in OF_RANKS.items()
        }
        if first.size.n_raters == second.size.n_raters == 2:
            found["lin_concordance"] = _concordance_difference(first, second, options.confidence)
        return {name: each for name, each in found.items() if not only or name in only}

    def category_part(self, part: LabelSubset, place: int) -> tuple[LabelSubset, int]:
        raise NotImplementedError("numbers have no categories")

    def pair_values(self, part: LabelSubset) -> dict[tuple[int, int], float]:
        return {
            (a, b): value
            for pairs in number_pairs(part.sample)
            for a, b, value in zip(
                pairs.rater_a.tolist(),
                pairs.rater_b.tolist(),
                lin_concordance(pairs).coefficient.value.tolist(),
                strict=True,
            )
            if not np.isnan(value)
        }

    def pair_difference(self, first: LabelSubset, second: LabelSubset) -> Difference:
        return _concordance_difference(first, second, self.scope.options.confidence)

    def closeness(self, labels: LabelColumns) -> Similarity:
        return NumberSimilarity()

    def pair_agreement(self, labels: LabelColumns) -> PairwiseAgreement:
        return ConcordanceAgreement(float(labels.values.mean()) if len(labels) else 0.0)

    def series(self, answers: AnswerColumns) -> Series:
        return Series(answers.values)

    def category_shares(self, answers: AnswerColumns) -> list[float | None]:
        return []

    def chosen(self, answers: AnswerColumns, places: IntArray) -> ChosenCategories | None:
        return None

    def consensus_of_others(
        self, places: IntArray, others: AnswerColumns, *, n_items: int
    ) -> tuple[Series, NDArray[np.bool_], NDArray[np.bool_]]:
        is_known = np.bincount(places, minlength=n_items) > 0
        mean = mean_of_others(places, others.values, n_items=n_items)
        return Series(mean), is_known, np.zeros(n_items, dtype=bool)

    def likeness(self, own: Series, others: Series) -> FloatArray:
        found: FloatArray = own.values - others.values
        return found

    def series_compared(self, a: Series, b: Series) -> SeriesStatistics:
        [pair] = self.figures_of_first([a, b], [np.arange(len(a))] * 2)
        return two_series_of(pair.n, pair.figures or {})

    def figures_of_first(self, series: Sequence[Series], items: Sequence[IntArray]) -> list[PairResult]:
        where = np.concatenate(list(items))
        sample = NumberSample.from_labels(
            where,
            np.repeat(np.arange(len(series)), [len(each) for each in series]),
            np.concatenate([each.values for each in series]),
            n_items=int(where.max(initial=-1)) + 1,
            n_raters=len(series),
        )
        pairs = pair_results(sample, confidence=self.scope.options.confidence)
        # Pairs are ordered by the first of the two raters.
        return list(takewhile(lambda pair: pair.rater_a == 0, pairs))

    def window_values(self, own: Series, others: Series, windows: Sequence[IntArray]) -> Estimates:
        """Treat each window as labeled by two raters of its own, who share no item with those of another window."""
        rows = np.concatenate(list(windows))
        groups = np.repeat(np.arange(len(windows)), [len(places) for places in windows])
        sample = NumberSample.from_labels(
            np.concatenate((rows, rows)),
            np.concatenate((2 * groups, 2 * groups + 1)),
            np.concatenate((own.values[rows], others.values[rows])),
            n_items=len(own),
            n_raters=2 * len(windows),
        )
        pairs = all_number_pairs(sample)
        return limits_of_agreement(pairs, confidence=self.scope.options.confidence).bias

    def window_kappas(self, own: Series, others: Series, windows: Sequence[IntArray]) -> Estimates | None:
        return None


def alpha_levels(level: Level) -> dict[str, Level]:
    """Return the levels of alpha by the names of the coefficients: the question's level, and interval."""
    if level is Level.INTERVAL:
        return {"krippendorff_alpha": level}
    return {"krippendorff_alpha": level, "krippendorff_alpha_interval": Level.INTERVAL}


class NumericAnalysis:
    def __init__(self, scope: QuestionScope, labels: QuestionLabels[NumberSample], raters: Raters) -> None:
        self._scope, self._labels, self._raters = scope, labels, raters

    @cached_property
    def counted(self) -> NumberSample:
        return self._labels.sample.of_raters(self._raters.counted)

    def pairs(
        self, keep: Keep, report_progress: ReportProgress, compute: ComputeBlocks = here
    ) -> Iterator[PairBlock]:
        find = partial(pair_results_of, self._labels.sample, confidence=self._scope.options.confidence)
        return storable(compute(pairs_by_rater(find, len(self._raters.keys), keep), report_progress))

    def share(self, compute: ComputeBlocks, keep: Keep) -> None:
        deque(self.pairs(keep, no_progress, compute), maxlen=0)
        deque(compute(self._search.tests, no_progress), maxlen=0)
        intervals_of(self.counted, self._scope.level, self._scope.options, compute)

    def all_raters(
        self,
        families: Collection[StatisticFamily],
        report_progress: ReportProgress,
        compute: ComputeBlocks = here,
    ) -> QuestionResult:
        """Return intraclass correlations, alpha, and Kendall's W with its test."""
        sample, level, options = self.counted, self._scope.level, self._scope.options
        confidence = options.confidence
        found = intraclass_correlations(sample, confidence=confidence)
        if sample.pairable_size != sample.complete_size:
            found |= incomplete_correlations(sample, confidence=confidence)
        found |= {
            name: number_alpha(sample, each, confidence=confidence)
            for name, each in alpha_levels(level).items()
        }
        found |= {
            name: kendall_w(sample, statistic=each, confidence=confidence) for name, each in OF_RANKS.items()
        }
        test = SignificanceTest.of(kendall_w_zero(sample), 0).resting_on(sample.complete_size, sample.size)
        coefficients = with_intervals(sample, level, found, options, compute)
        result = QuestionResult(coefficients=coefficients, tests={"kendall_w_zero": test})
        if StatisticFamily.CATEGORIES not in families or len(self._raters.counted) < 2:
            return result
        result = replace(result, findings=self._search.found(compute, report_progress))
        if StatisticFamily.CONSENSUS not in families:
            return result
        standings = number_raters_versus_others(
            sample, level, self._raters.counted_keys, confidence=confidence
        )
        return replace(result, standings=standings)

    @cached_property
    def _search(self) -> NumberSearch:
        kind = Numeric(analytic(self._scope))
        return NumberSearch(self._scope, self._raters, kind, self.counted, self._order)

    @property
    def _order(self) -> IntArray | None:
        """Return None where the items of the raters who count are not the items of all raters."""
        return self._labels.order if self.counted.n_items == self._labels.sample.n_items else None


def with_intervals(
    sample: NumberSample,
    level: Level,
    found: dict[str, Coefficient],
    options: Options,
    compute: ComputeBlocks = here,
) -> dict[str, Figure]:
    """Return the coefficients with the interval set in the options where feasible, otherwise with an analytic one."""
    intervals = intervals_of(sample, level, options, compute)
    return {name: Figure.of(each).with_interval(intervals.get(name)) for name, each in found.items()}


def intervals_of(
    sample: NumberSample, level: Level, options: Options, compute: ComputeBlocks
) -> dict[str, Interval]:
    """Return the intervals from replicates, by the name of the coefficient."""
    intervals: dict[str, Interval] = {}
    if is_feasible(sample.size.n_items, len(sample.values), options):
        for names, statistics, of, scale in _resampled_statistics(sample, level, options):
            intervals |= named_intervals(names, statistics, of, scale, options, compute)
    return intervals


def _resampled_statistics(
    sample: NumberSample, level: Level, options: Options
) -> Iterator[tuple[list[str], Sequence[Statistic], Any, Scale]]:
    for name, each in alpha_levels(level).items():
        if _can_be_drawn(sample, each, options):
            yield [name], [number_alpha_statistic(sample, each)], sample, Scale(1, each)
    for statistics_of in (one_way_statistics, icc_statistics):
        try:
            statistics = statistics_of(sample)
        except Undefined:
            continue
        yield [each.name for each in statistics], statistics, sample, Scale(1)
    try:
        ranked, scale = kendall.ranked(sample)
        yield list(OF_RANKS), list(OF_RANKS.values()), ranked, scale
    except Undefined:
        return


def _can_be_drawn(sample: NumberSample, level: Level, options: Options) -> bool:
    """Return whether replicates are feasible in time: each ranks all labels again, or compares all pairs of numbers."""
    n_replicates = options.replicates if options.is_bootstrap else sample.size.n_items
    match level:
        case Level.ORDINAL:
            return n_replicates * len(sample.values) <= MAX_RANKED
        case Level.RATIO:
            return len(np.unique(sample.values)) ** 2 <= MAX_TABLE
    return True


def _alpha_difference(first: LabelSubset, second: LabelSubset, level: Level, options: Options) -> Difference:
    samples: tuple[NumberSample, NumberSample] = (first.sample, second.sample)
    if level is Level.RATIO and any((sample.values < 0).any() for sample in samples):
        return undefined_difference(Reason.NEGATIVE_VALUES)
    if reason := why_undefined(*samples):
        return undefined_difference(reason)
    a, b = samples
    return alpha_difference(
        (number_alpha_statistic(a, level), number_alpha_statistic(b, level)),
        (labeled_items(a)[1], labeled_items(b)[1]),
        (items_in(first, a.labels_per_item >= 2), items_in(second, b.labels_per_item >= 2)),
        options,
        is_drawn=all(_can_be_drawn(each, level, options) for each in (a, b)),
    )


def _rank_difference(
    statistic: Statistic, first: LabelSubset, second: LabelSubset, options: Options
) -> Difference:
    """Return the difference on the items that all raters of a sample labeled."""
    try:
        a, b, scale = kendall.ranked_together(first.sample, second.sample)
    except Undefined as undefined:
        return undefined_difference(undefined.reason)
    if options.replicates * (first.size.n_labels + second.size.n_labels) > MAX_DIFFERENCE_STEPS:
        options = replace(options, interval=IntervalMethod.ANALYTIC)
    mine = LabelSubset(a, items_in(first, first.sample.is_complete))
    theirs = LabelSubset(b, items_in(second, second.sample.is_complete))
    return difference_of(statistic, mine, theirs, scale, options)


def _concordance_difference(first: LabelSubset, second: LabelSubset, confidence: float) -> Difference:
    """Return the difference of Lin's concordance of two raters, always by the jackknife."""
    return concordance_difference(
        first.sample.complete,
        second.sample.complete,
        first_items=items_in(first, first.sample.is_complete),
        second_items=items_in(second, second.sample.is_complete),
        confidence=confidence,
    )
