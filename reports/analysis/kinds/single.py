"""Questions whose label is one category."""

import math
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from reports.agreement.blockwise import ComputeBlocks, State, here
from reports.agreement.building import build
from reports.agreement.counting import all_pairs, count_pairs, n_blocks, places_of_blocks
from reports.agreement.intervals.difference import Difference
from reports.agreement.models.label_similarity import CategorySimilarity, Similarity
from reports.agreement.models.pair_agreement import KappaAgreement, PairwiseAgreement
from reports.agreement.overall.statistic import estimate
from reports.agreement.own.category_bias import ChosenCategories
from reports.agreement.own.others import others_vote
from reports.agreement.pair_counts import PairCounts
from reports.agreement.pairs.cohen import cohen_kappa, kappa_with_normal_interval
from reports.agreement.progress_callbacks import ReportProgress, no_progress, part_of
from reports.agreement.results import (
    REASONS,
    Coefficient,
    Estimates,
    FloatArray,
    IntArray,
    PairKappas,
    Reason,
)
from reports.agreement.sample import Sample
from reports.agreement.weights import Level
from reports.analysis.catalog import StatisticFamily
from reports.analysis.category_use import confusions_of, distributions_of
from reports.analysis.comparison import requested_statistics, sample_differences
from reports.analysis.consensus import consensus_of
from reports.analysis.findings import Search, measure_of
from reports.analysis.findings_pairs import PairFindings
from reports.analysis.kinds.kind import shares_equal
from reports.analysis.label_arrays import (
    AnswerColumns,
    LabelColumns,
    LabelSubset,
    QuestionLabels,
    Raters,
    Series,
    is_same,
)
from reports.analysis.options import IntervalMethod
from reports.analysis.overall import (
    categories_of,
    category_tests_of,
    coefficients_of,
    intervals_of,
    intervals_of_categories,
    resampled,
    tests_of,
)
from reports.analysis.pair_blocks import Arrays, Keep, PairBlock, PairBlocks
from reports.analysis.pairs import of_kappa, pair_statistics
from reports.analysis.question import MAX_CELLS, QuestionNotComputable, QuestionScope, unfit_values
from reports.analysis.rater_comparison import category_raters_versus_others
from reports.analysis.results import (
    Differences,
    Figure,
    PairResult,
    QuestionResult,
    RatersVersusOthers,
    SeriesStatistics,
)
from reports.analysis.suspicious_pairs import PairChecks

# Limit on the cells of a confusion matrix that is given in full.
MAX_SHOWN_CELLS = 40_000
# With more categories, the confusion matrices of all time windows are too large.
MAX_WINDOW_CATEGORIES = 200
# The coefficients' share of the work on all raters, and that of coefficients and categories.
COEFFICIENTS, CATEGORIES = 0.6, 0.8


@dataclass(frozen=True, slots=True)
class SingleChoice:
    scope: QuestionScope

    pair_figure = "cohen_kappa"
    pairs_have_counts = True
    window_measure = "percent_agreement"
    default_level = Level.NOMINAL

    def refuse_unfit(self) -> None:
        # Ranks instead of missing values would be a different statistic under the same name.
        scope = self.scope
        reason = "" if scope.category_ids else "no_categories"
        reason = reason or unfit_values(scope.level, scope.values) or scope.misfit(scope.weights)
        if reason:
            raise QuestionNotComputable(reason)

    def analysis(self, labels: QuestionLabels[Sample], raters: Raters) -> "SingleAnalysis":
        return SingleAnalysis(self.scope, labels, raters)

    @property
    def names(self) -> list[str]:
        return list(requested_statistics(self.scope.scale))

    @property
    def part_names(self) -> list[str]:
        return self.names

    def part(self, labels: LabelColumns) -> LabelSubset:
        n_categories = max(1, len(self.scope.category_ids))
        ratings, items, _ = build(labels.items, labels.raters, labels.values, n_categories=n_categories)
        return LabelSubset(Sample(ratings), items)

    def figure(self, name: str, part: LabelSubset, report_progress: ReportProgress | None = None) -> Figure:
        statistic, scale = requested_statistics(self.scope.scale)[name]
        options = self.scope.options
        found = estimate(statistic, part.sample, scale, confidence=options.confidence)
        intervals = resampled([statistic], part.sample, scale, options, report_progress=report_progress)
        return Figure.of(found).with_interval(next(iter(intervals.get(statistic.name, [])), None))

    def differences(
        self,
        first: LabelSubset,
        second: LabelSubset,
        only: frozenset[str] = frozenset(),
        report_progress: ReportProgress | None = None,
    ) -> Differences:
        return sample_differences(
            first, second, self.scope.scale, self.scope.options, only=only, report_progress=report_progress
        )

    def category_part(self, part: LabelSubset, place: int) -> tuple[LabelSubset, int]:
        return part, place

    @property
    def n_compared_categories(self) -> int:
        return len(self.scope.category_ids)

    def pair_values(self, part: LabelSubset) -> dict[tuple[int, int], float]:
        pairs = all_pairs(part.sample.ratings)
        found = kappa_with_normal_interval(pairs.tables, self.scope.scale.weighting).kappa
        rows = zip(pairs.rater_a.tolist(), pairs.rater_b.tolist(), found.tolist(), strict=True)
        return {(a, b): value for a, b, value in rows if not math.isnan(value)}

    def pair_difference(self, first: LabelSubset, second: LabelSubset) -> Difference:
        # For two raters, Light's kappa is Cohen's.
        name = "light_kappa_weighted" if self.scope.is_weighted else "light_kappa"
        return self.differences(first, second, frozenset({name}))[name]

    def closeness(self, labels: LabelColumns) -> Similarity:
        return CategorySimilarity()

    def pair_agreement(self, labels: LabelColumns) -> PairwiseAgreement:
        return KappaAgreement(self.scope.scale.weighting.similarity)

    def series(self, answers: AnswerColumns) -> Series:
        return Series(answers.values)

    def category_shares(self, answers: AnswerColumns) -> list[float | None]:
        n_categories = len(self.scope.category_ids)
        if not len(answers):
            return [None] * n_categories
        return list((np.bincount(answers.values, minlength=n_categories) / len(answers)).tolist())

    def chosen(self, answers: AnswerColumns, places: IntArray) -> ChosenCategories | None:
        return ChosenCategories(places, answers.values)

    def consensus_of_others(
        self, places: IntArray, others: AnswerColumns, *, n_items: int
    ) -> tuple[Series, NDArray[np.bool_], NDArray[np.bool_]]:
        n_categories = len(self.scope.category_ids)
        vote = others_vote(places, others.values, n_items=n_items, n_categories=n_categories)
        return Series(vote.codes), vote.codes >= 0, vote.is_tied

    def likeness(self, own: Series, others: Series) -> FloatArray:
        # A position below 0 means no consensus, which equals nothing.
        return ((others.values >= 0) & is_same(own, others)).astype(np.float64)

    def series_compared(self, a: Series, b: Series) -> SeriesStatistics:
        [counts] = tables_of(
            a.values, b.values, np.zeros(len(a), dtype=np.int64), 1, len(self.scope.category_ids)
        )
        plain = replace(self.scope.options, interval=IntervalMethod.ANALYTIC)
        found = pair_statistics(counts[None], self.scope.scale, plain).of(0)
        return SeriesStatistics(
            n=len(a),
            values=found.values,
            categories=found.categories,
            tests=found.tests,
            counts=counts.tolist() if counts.size <= MAX_SHOWN_CELLS else None,
        )

    def figures_of_first(self, series: Sequence[Series], items: Sequence[IntArray]) -> list[PairResult]:
        raise NotImplementedError("single choices are compared by their tables")

    def window_values(self, own: Series, others: Series, windows: Sequence[IntArray]) -> Estimates:
        return shares_equal(own, others, windows, confidence=self.scope.options.confidence)

    def window_kappas(self, own: Series, others: Series, windows: Sequence[IntArray]) -> Estimates | None:
        n_categories = len(self.scope.category_ids)
        if n_categories > MAX_WINDOW_CATEGORIES:
            return None
        rows = np.concatenate(list(windows))
        groups = np.repeat(np.arange(len(windows)), [len(places) for places in windows])
        tables = tables_of(own.values[rows], others.values[rows], groups, len(windows), n_categories)
        scale, confidence = self.scope.scale, self.scope.options.confidence
        return of_kappa(cohen_kappa(tables, scale.weighting, confidence=confidence))


def tables_of(
    a: NDArray[np.integer], b: NDArray[np.integer], groups: IntArray, n_groups: int, n_categories: int
) -> NDArray[np.int64]:
    """Return (G, K, K) for each group the confusion matrix of two series of categories, rows a."""
    cells = (groups * n_categories + a) * n_categories + b
    counts = np.bincount(cells, minlength=n_groups * n_categories**2)
    return counts.reshape(n_groups, n_categories, n_categories)


class SingleAnalysis:
    def __init__(self, scope: QuestionScope, labels: QuestionLabels[Sample], raters: Raters) -> None:
        self._scope, self._labels, self._raters = scope, labels, raters
        self._summary = self._new_summary()

    def _new_summary(self) -> "PairSummary":
        criterion = measure_of(self._scope, len(self._raters.counted)).criterion
        return PairSummary(self._raters, n_cells=len(self._scope.category_ids) ** 2, criterion=criterion)

    @cached_property
    def counted(self) -> Sample:
        return self._labels.sample.of_raters(self._raters.counted)

    def pairs(
        self, keep: Keep, report_progress: ReportProgress, compute: ComputeBlocks = here
    ) -> Iterator[PairBlock]:
        ratings = self._labels.sample.ratings
        work = PairBlocks(
            lambda: n_blocks(ratings),
            partial(self._pairs, keep),
            states_at=partial(places_of_blocks, ratings),
        )
        for block in compute(work, report_progress):
            self._summary.merge(block.summary)
            yield block

    def _pairs(self, keep: Keep, first: int, last: int, place: State) -> Iterator[PairBlock]:
        weighting, confidence = self._scope.scale.weighting, self._scope.options.confidence
        for counts in count_pairs(self._labels.sample.ratings, first=first, last=last, place=place):
            kappas = cohen_kappa(counts.tables, weighting, confidence=confidence)
            summary = self._new_summary()
            summary.add(counts, kappas)
            yield PairBlock(len(counts), keep(pair_results(counts, kappas)), summary.arrays)

    def share(self, compute: ComputeBlocks, keep: Keep) -> None:
        deque(self.pairs(keep, no_progress, compute), maxlen=0)
        sample, scale, options = self.counted, self._scope.scale, self._scope.options
        deque(compute(self._search.tests, no_progress), maxlen=0)
        intervals_of(sample, scale, options, compute=compute)
        if self._scope.category_ids:
            intervals_of_categories(sample, scale, options, compute=compute)

    @cached_property
    def _search(self) -> Search:
        return Search.of(self._scope, self._labels, self._raters, self.counted)

    def all_raters(
        self,
        families: Collection[StatisticFamily],
        report_progress: ReportProgress,
        compute: ComputeBlocks = here,
    ) -> QuestionResult:
        everyone, raters = self._labels.sample, self._raters
        sample, scale, options = self.counted, self._scope.scale, self._scope.options
        coefficients = coefficients_of(
            sample, scale, options, report_progress=part_of(report_progress, 0, COEFFICIENTS), compute=compute
        )
        report_progress(COEFFICIENTS)
        result = QuestionResult(
            coefficients=coefficients | {"mean_pairwise_kappa": self._summary.mean(sample)},
            checks=self._summary.checks.found(everyone.ratings, raters.keys, order=self._labels.order),
        )
        # A file without labels has no known categories; the single one of its scale is a placeholder.
        has_categories = bool(self._scope.category_ids)
        if StatisticFamily.CATEGORIES in families and has_categories:
            part = part_of(report_progress, COEFFICIENTS, CATEGORIES)
            result = replace(
                result,
                categories=categories_of(sample, scale, options, report_progress=part, compute=compute),
                confusions=confusions_of(sample),
                distributions=distributions_of(everyone, raters.keys),
            )
        if StatisticFamily.TESTS in families:
            of_each = category_tests_of(sample) if has_categories else {}
            result = replace(result, tests=tests_of(sample, scale), category_tests=of_each)
        if StatisticFamily.CONSENSUS in families and has_categories:
            agreeing, keys = (
                (everyone.of_raters([]), []) if raters.are_too_few else (sample, raters.counted_keys)
            )
            result = replace(result, consensus=consensus_of(agreeing, keys, smoothing=options.smoothing))
        has_pairs = has_categories and len(raters.counted) > 1
        if StatisticFamily.CATEGORIES in families and has_pairs and result.checks:
            found = self._search.found(
                result.checks, self._summary.findings, compute, part_of(report_progress, CATEGORIES, 1)
            )
            result = replace(result, findings=found)
            if StatisticFamily.CONSENSUS in families:
                result = replace(result, standings=self._raters_versus_others(sample))
        return result

    def _raters_versus_others(self, sample: Sample) -> RatersVersusOthers | None:
        return category_raters_versus_others(
            sample.ratings,
            1 - self._scope.scale.weighting.similarity,
            self._raters.counted_keys,
            confidence=self._scope.options.confidence,
        )


def pair_results(counts: PairCounts, kappas: PairKappas) -> Iterator[PairResult]:
    """Yield the pairs of a block one by one, with None for undefined values."""
    figures = [kappas.observed, kappas.expected, kappas.kappa, kappas.se]
    figures += [kappas.ci_low, kappas.ci_high, kappas.kappa_max]
    columns = [[None if math.isnan(value) else value for value in figure.tolist()] for figure in figures]
    tables = counts.tables.reshape(len(counts), counts.tables.shape[1] ** 2)
    rows = zip(
        counts.rater_a.tolist(),
        counts.rater_b.tolist(),
        counts.n.tolist(),
        tables.tolist(),
        [None] * len(counts),
        *columns,
        (str(REASONS[reason]) for reason in kappas.reason.tolist()),
        strict=True,
    )
    yield from map(PairResult._make, rows)


class PairSummary:
    """The mean kappa over pairs of raters who count, all pairs that suggest a mistake, and findings, independent of the
    order of the blocks.

    n_cells: number of cells of a pair's confusion matrix. criterion: of findings.
    """

    def __init__(self, raters: Raters, *, n_cells: int, criterion: float) -> None:
        self.checks = PairChecks()
        self.findings = PairFindings(raters.counted, len(raters.keys), criterion=criterion)
        self._n_cells = n_cells
        self._n_pairs, self._n_counted = 0, 0
        self._counts = np.zeros(len(raters.keys), dtype=bool)
        self._counts[list(raters.counted)] = True
        self._defined: list[FloatArray] = []

    def add(self, counts: PairCounts, kappas: PairKappas) -> None:
        self._add_pairs(len(kappas))
        self.checks.add(counts, kappas)
        self.findings.add(counts, kappas)
        both = self._counts[counts.rater_a] & self._counts[counts.rater_b]
        self._n_counted += int(np.count_nonzero(both))
        self._defined.append(kappas.kappa[both & ~np.isnan(kappas.kappa)])

    def _add_pairs(self, n: int) -> None:
        self._n_pairs += n
        if self._n_pairs * self._n_cells > MAX_CELLS:
            raise QuestionNotComputable("too_many_cells")

    @property
    def arrays(self) -> Arrays:
        """What `merge` adds to the summary of other blocks."""
        return {
            "n_all": np.array(self._n_pairs),
            "n_counted": np.array(self._n_counted),
            "defined": np.concatenate([np.empty(0), *self._defined]),
            **self.checks.arrays,
            **self.findings.arrays,
        }

    def merge(self, found: Arrays) -> None:
        self._add_pairs(int(found["n_all"]))
        self._n_counted += int(found["n_counted"])
        self._defined.append(found["defined"])
        self.checks.merge(found)
        self.findings.merge(found)

    def mean(self, sample: Sample) -> Figure:
        """Return the mean over pairs with a defined kappa; pairs that share no item are not counted as 0."""
        defined = np.concatenate([np.empty(0), *self._defined])
        n_defined = len(defined)
        # fsum is exact, so the result does not depend on the order of the pairs.
        value = math.fsum(defined) / n_defined if n_defined else None
        reason = Reason.NO_VARIATION if self._n_counted else Reason.NO_OVERLAP
        mean = Coefficient(
            value=value,
            reason=Reason.NONE if n_defined else reason,
            used=sample.pairable_size,
            left_out=sample.size.without(sample.pairable_size),
            method="mean over pairs with a defined kappa",
        )
        return replace(Figure.of(mean), n_pairs=self._n_counted, n_undefined=self._n_counted - n_defined)
