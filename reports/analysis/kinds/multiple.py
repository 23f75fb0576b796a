"""Questions whose label is any number of categories."""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, takewhile

import numpy as np
from numpy.typing import NDArray

from reports.agreement.blockwise import ComputeBlocks, here, named
from reports.agreement.building import build
from reports.agreement.intervals.difference import Difference
from reports.agreement.models.label_similarity import SetSimilarity, Similarity
from reports.agreement.models.pair_agreement import MasiAgreement, PairwiseAgreement
from reports.agreement.overall.statistic import size_used
from reports.agreement.own.category_bias import ChosenCategories
from reports.agreement.own.others import others_sets, others_shares
from reports.agreement.progress_callbacks import ReportProgress, no_progress
from reports.agreement.results import Coefficient, Estimates, FloatArray, IntArray, Interval
from reports.agreement.sample import Sample, Scale
from reports.agreement.sets.alpha import set_alpha, set_alpha_statistic
from reports.agreement.sets.category_agreement import STATISTICS, by_category, shares_chosen
from reports.agreement.sets.distances import BitSets, SetDistance
from reports.agreement.sets.members import SetSample
from reports.agreement.sets.pairs import SetPairs, set_pairs, set_pairs_of
from reports.agreement.sets.similarity import mean_similarities, similarity_statistics
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level
from reports.analysis.catalog import StatisticFamily
from reports.analysis.findings_gain import analytic
from reports.analysis.findings_sets import SetSearch
from reports.analysis.kinds.feasible import (
    alpha_difference,
    is_feasible,
    items_in,
    named_intervals,
    pairs_by_rater,
    storable,
    undefined_difference,
    why_undefined,
)
from reports.analysis.kinds.kind import shares_equal
from reports.analysis.label_arrays import (
    AnswerColumns,
    LabelColumns,
    LabelSubset,
    QuestionLabels,
    Raters,
    Series,
)
from reports.analysis.options import Options
from reports.analysis.overall import resampled
from reports.analysis.pair_blocks import Keep, PairBlock
from reports.analysis.question import QuestionNotComputable, QuestionScope
from reports.analysis.rater_comparison import raters_versus_others
from reports.analysis.results import (
    Differences,
    Figure,
    PairResult,
    QuestionResult,
    RatersVersusOthers,
    SeriesStatistics,
    figures_of,
    figures_of_kappas,
    two_series_of,
)

# The plain name refers to the distance that is usual in the literature on sets; `method` names the distance.
DISTANCES = {
    "krippendorff_alpha": SetDistance.MASI,
    "krippendorff_alpha_jaccard": SetDistance.JACCARD,
}


@dataclass(frozen=True, slots=True)
class MultipleChoice:
    scope: QuestionScope

    pair_figure = "masi"
    pairs_have_counts = False
    window_measure = "percent_agreement"
    default_level = Level.NOMINAL

    def refuse_unfit(self) -> None:
        if not self.scope.category_ids:
            raise QuestionNotComputable("no_categories")

    def analysis(self, labels: QuestionLabels[SetSample], raters: Raters) -> "MultipleAnalysis":
        return MultipleAnalysis(self.scope, labels, raters)

    @property
    def names(self) -> list[str]:
        return [*DISTANCES, "percent_agreement", "mean_jaccard", "mean_masi"]

    @property
    def part_names(self) -> list[str]:
        return self.names

    def part(self, labels: LabelColumns) -> LabelSubset:
        members = (
            np.zeros((0, len(self.scope.category_ids)), bool) if labels.members is None else labels.members
        )
        ratings, items, _ = build(
            labels.items, labels.raters, labels.values, n_categories=max(1, len(members))
        )
        return LabelSubset(SetSample(ratings, members), items)

    def figure(self, name: str, part: LabelSubset, report_progress: ReportProgress | None = None) -> Figure:
        options = self.scope.options
        found = (
            set_alpha(part.sample, DISTANCES[name], confidence=options.confidence)
            if name in DISTANCES
            else mean_similarities(part.sample, confidence=options.confidence)[name]
        )
        return with_intervals(part.sample, {name: found}, options)[name]

    def differences(
        self,
        first: LabelSubset,
        second: LabelSubset,
        only: frozenset[str] = frozenset(),
        report_progress: ReportProgress | None = None,
    ) -> Differences:
        """Return differences of alpha with both distances, and of the mean similarities."""
        reason = why_undefined(first.sample.sample, second.sample.sample)
        statistics = _statistics(first.sample), _statistics(second.sample)
        return {
            name: undefined_difference(reason)
            if reason
            else alpha_difference(
                (statistics[0][name], statistics[1][name]),
                (first.sample.labeled_items, second.sample.labeled_items),
                (_pairable_items(first), _pairable_items(second)),
                self.scope.options,
            )
            for name in statistics[0]
            if not only or name in only
        }

    def category_part(self, part: LabelSubset, place: int) -> tuple[LabelSubset, int]:
        """Return the part reduced to whether the category was chosen."""
        return LabelSubset(Sample(part.sample.one_against_rest(place)), part.item_ids), 1

    @property
    def n_compared_categories(self) -> int:
        return len(self.scope.category_ids)

    def pair_values(self, part: LabelSubset) -> dict[tuple[int, int], float]:
        return {
            (a, b): value
            for pairs in set_pairs(part.sample)
            for a, b, value in zip(
                pairs.rater_a.tolist(), pairs.rater_b.tolist(), pairs.masi.tolist(), strict=True
            )
            if not np.isnan(value)
        }

    def pair_difference(self, first: LabelSubset, second: LabelSubset) -> Difference:
        return self.differences(first, second, frozenset({"mean_masi"}))["mean_masi"]

    def closeness(self, labels: LabelColumns) -> Similarity:
        return SetSimilarity(self._bits(labels))

    def pair_agreement(self, labels: LabelColumns) -> PairwiseAgreement:
        return MasiAgreement(self._bits(labels))

    def _bits(self, labels: LabelColumns) -> BitSets:
        nothing = np.zeros((0, len(self.scope.category_ids)), dtype=bool)
        return BitSets.of(nothing if labels.members is None else labels.members)

    def series(self, answers: AnswerColumns) -> Series:
        if not len(answers):
            return Series(np.zeros((0, len(self.scope.category_ids)), dtype=bool))
        return Series(answers.members[answers.values])

    def category_shares(self, answers: AnswerColumns) -> list[float | None]:
        if not len(answers):
            return [None] * len(self.scope.category_ids)
        return list(answers.members[answers.values].mean(axis=0).tolist())

    def chosen(self, answers: AnswerColumns, places: IntArray) -> ChosenCategories | None:
        rows, categories = np.nonzero(self.series(answers).values)
        return ChosenCategories(places[rows], categories)

    def consensus_of_others(
        self, places: IntArray, others: AnswerColumns, *, n_items: int
    ) -> tuple[Series, NDArray[np.bool_], NDArray[np.bool_]]:
        is_known = np.bincount(places, minlength=n_items) > 0
        chosen = others_sets(others_shares(places, self.series(others).values, n_items=n_items))
        return Series(chosen), is_known, np.zeros(n_items, dtype=bool)

    def likeness(self, own: Series, others: Series) -> FloatArray:
        """Return |A n B| / |A u B|."""
        places = np.arange(len(own))
        return BitSets.of(np.concatenate((own.values, others.values))).jaccard(places, len(own) + places)

    def series_compared(self, a: Series, b: Series) -> SeriesStatistics:
        [pair] = self.figures_of_first([a, b], [np.arange(len(a))] * 2)
        return two_series_of(pair.n, pair.figures or {})

    def figures_of_first(self, series: Sequence[Series], items: Sequence[IntArray]) -> list[PairResult]:
        raters = np.repeat(np.arange(len(series)), [len(each) for each in series])
        chosen = np.concatenate([each.values for each in series])
        sample = SetSample.from_labels(np.concatenate(list(items)), raters, chosen)
        pairs = pair_results(sample, confidence=self.scope.options.confidence)
        # Pairs are ordered by the first of the two raters.
        return list(takewhile(lambda pair: pair.rater_a == 0, pairs))

    def window_values(self, own: Series, others: Series, windows: Sequence[IntArray]) -> Estimates:
        return shares_equal(own, others, windows, confidence=self.scope.options.confidence)

    def window_kappas(self, own: Series, others: Series, windows: Sequence[IntArray]) -> Estimates | None:
        return None


class MultipleAnalysis:
    def __init__(self, scope: QuestionScope, labels: QuestionLabels[SetSample], raters: Raters) -> None:
        self._scope, self._labels, self._raters = scope, labels, raters

    @cached_property
    def counted(self) -> SetSample:
        return self._labels.sample.of_raters(self._raters.counted)

    def pairs(
        self, keep: Keep, report_progress: ReportProgress, compute: ComputeBlocks = here
    ) -> Iterator[PairBlock]:
        find = partial(pair_results_of, self._labels.sample, confidence=self._scope.options.confidence)
        return storable(compute(pairs_by_rater(find, len(self._raters.keys), keep), report_progress))

    def share(self, compute: ComputeBlocks, keep: Keep) -> None:
        deque(self.pairs(keep, no_progress, compute), maxlen=0)
        deque(compute(self._search.tests, no_progress), maxlen=0)
        sample, options = self.counted, self._scope.options
        intervals_of(sample, options, compute)
        intervals_of_categories(sample, options, compute)

    def all_raters(
        self,
        families: Collection[StatisticFamily],
        report_progress: ReportProgress,
        compute: ComputeBlocks = here,
    ) -> QuestionResult:
        """Return alpha and mean similarity of all raters, and each category against the rest."""
        sample, options = self.counted, self._scope.options
        confidence = options.confidence
        found = mean_similarities(sample, confidence=confidence)
        found |= {
            name: set_alpha(sample, distance, confidence=confidence) for name, distance in DISTANCES.items()
        }
        result = QuestionResult(
            coefficients=with_intervals(sample, found, options, compute),
            categories=_categories(sample, options, compute),
        )
        if StatisticFamily.CATEGORIES not in families or len(self._raters.counted) < 2:
            return result
        result = replace(result, findings=self._search.found(compute, report_progress))
        return (
            replace(result, standings=self._raters_versus_others())
            if StatisticFamily.CONSENSUS in families
            else result
        )

    @cached_property
    def _search(self) -> SetSearch:
        return SetSearch(self._scope, self._raters, MultipleChoice(analytic(self._scope)), self.counted)

    def _raters_versus_others(self) -> RatersVersusOthers | None:
        sets = BitSets.of(self.counted.members)
        return raters_versus_others(
            *self.counted.labels,
            lambda a, b: 1 - sets.masi(a, b),
            self._raters.counted_keys,
            measure="agreement",
            confidence=self._scope.options.confidence,
        )


def _categories(sample: SetSample, options: Options, compute: ComputeBlocks) -> dict[str, tuple[Figure, ...]]:
    found = {
        name: figures_of(estimates)
        for name, estimates in by_category(sample, confidence=options.confidence).items()
    }
    for category, intervals in enumerate(intervals_of_categories(sample, options, compute)):
        for name, [interval, *_] in intervals.items():
            found[name][category] = found[name][category].with_interval(interval)
    found["share_chosen"] = [Figure.bare(share) for share in shares_chosen(sample)]
    used = {each.name: size_used(each, sample.sample) for each in STATISTICS}
    return {
        name: tuple(row.resting_on(used.get(name, sample.size), sample.size) for row in rows)
        for name, rows in found.items()
    }


def intervals_of_categories(
    sample: SetSample, options: Options, compute: ComputeBlocks
) -> list[dict[str, list[Interval]]]:
    """Return the intervals of each category against the rest from replicates, where feasible."""
    if not is_feasible(sample.ratings.n_items, sample.ratings.n_raters, options):
        return []
    return [
        resampled(
            STATISTICS,
            Sample(sample.one_against_rest(category)),
            Scale(2),
            options,
            compute=named(f"category {category}", compute),
        )
        for category in range(sample.n_categories)
    ]


def with_intervals(
    sample: SetSample, found: dict[str, Coefficient], options: Options, compute: ComputeBlocks = here
) -> dict[str, Figure]:
    """Return the coefficients with the interval set in the options where feasible, otherwise with an analytic one."""
    intervals = intervals_of(sample, options, compute)
    return {name: Figure.of(each).with_interval(intervals.get(name)) for name, each in found.items()}


def intervals_of(sample: SetSample, options: Options, compute: ComputeBlocks) -> dict[str, Interval]:
    """Return the intervals from replicates where feasible, by the name of the coefficient."""
    n_steps = max(sample.ratings.n_labels, len(sample.members) ** 2)
    if not is_feasible(sample.ratings.n_items, n_steps, options):
        return {}
    statistics, scale = _statistics(sample), Scale(len(sample.members))
    return named_intervals(
        list(statistics), list(statistics.values()), sample.sample, scale, options, compute
    )


def _statistics(sample: SetSample) -> dict[str, Statistic]:
    alphas = {name: set_alpha_statistic(sample, distance) for name, distance in DISTANCES.items()}
    return alphas | {each.name: each for each in similarity_statistics(sample)}


def _pairable_items(part: LabelSubset) -> IntArray:
    rows = np.bincount(part.sample.labels[0], minlength=part.sample.ratings.n_items) >= 2
    return items_in(part, rows)


def pair_results(sample: SetSample, *, confidence: float) -> Iterator[PairResult]:
    """Yield every pair of raters who share an item: the similarity of their sets, and kappa for each category."""
    of = pair_results_of(sample, confidence=confidence)
    return chain.from_iterable(map(of, range(sample.ratings.n_raters - 1)))


def pair_results_of(sample: SetSample, *, confidence: float) -> Callable[[int], Iterator[PairResult]]:
    """Return a function that yields the pairs of a rater with later ones."""
    pairs_of = set_pairs_of(sample)
    return lambda rater: chain.from_iterable(_results(pairs, confidence) for pairs in pairs_of(rater))


def _results(pairs: SetPairs, confidence: float) -> Iterator[PairResult]:
    kappas, n_categories = figures_of_kappas(pairs.kappas(confidence=confidence)), pairs.tables.shape[1]
    rows = zip(pairs.rater_a.tolist(), pairs.rater_b.tolist(), pairs.n.tolist(), strict=True)
    for place, (a, b, n) in enumerate(rows):
        of_each = kappas[place * n_categories : (place + 1) * n_categories]
        yield PairResult(
            a,
            b,
            n,
            figures={
                "identical_sets": Figure.bare(pairs.identical[place]),
                "jaccard": Figure.bare(pairs.jaccard[place]),
                "masi": Figure.bare(pairs.masi[place]),
                "cohen_kappa": tuple(of_each),
            },
        )
