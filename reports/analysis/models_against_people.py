"""Compare every model of a question with its people; see `reports.agreement.models` for the statistics."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reports.agreement.intervals.resampling import bootstrap_limits
from reports.agreement.models.alternative_annotator import (
    EPSILONS,
    AlternativeTest,
    LabelComparisons,
    advantage_interval,
    advantage_replicates,
    alternative_test,
    contests,
)
from reports.agreement.models.difference import LabelMatrix, ReplicatedValues, pairs_resampled
from reports.agreement.models.resampled_units import N_REPLICATES, UnitWeights
from reports.agreement.models.stability import stability
from reports.agreement.progress_callbacks import ReportProgress, part_of
from reports.agreement.results import IntArray, Reason, number
from reports.analysis.findings_gain import analytic
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import LabelColumns, of_raters
from reports.analysis.model_errors import model_errors, share_of
from reports.analysis.results import (
    AnnotatorTestResult,
    Figure,
    ModelAgainstPeople,
    ModelPairComparison,
    ModelPrevalence,
    ModelsAgainstPeople,
    ModelStability,
    PersonVersusModel,
)
from reports.analysis.steps import ReportStep, each_of, phase, silent

# For low-paid raters, skilled raters, and experts.
OFFERED = (0.1, 0.15, 0.2)
# Largest ε for which the curve is kept.
LARGEST = 0.5
ALPHA = "krippendorff_alpha"
# With more people, the resamples of all pairs would not fit into memory.
MOST_PEOPLE = 100
# Limit on labels times people for computing alpha with the model replacing each person: about 20 seconds.
MOST_REPLACED, MOST_REPLACED_UNCOUNTED = 20_000_000, 2_000_000
# With more models, only those with the most items are compared with each other.
MOST_COMPARED = 8
TOO_MANY = Figure(value=None, reason=Reason.TOO_LARGE)


def as_text(epsilon: float) -> str:
    return f"{epsilon:g}"


@dataclass(frozen=True, slots=True, eq=False)
class _SharedItems:
    """The items that the models and at least two people labeled. matrix: columns are people first, then models.

    people: (m,) IDs of those who labeled any of these items. items: (N,) IDs. labels: all of these, one per item and
    rater.
    """

    labels: LabelColumns
    items: NDArray[np.int64]
    people: NDArray[np.int64]
    matrix: LabelMatrix

    @classmethod
    def of(cls, labels: LabelColumns, people: Sequence[int], models: Sequence[int]) -> "_SharedItems":
        for model in models:
            labels = labels.of(np.isin(labels.items, labels.items[labels.raters == model]))
        labels = of_raters(labels, [*people, *models])
        is_person = ~np.isin(labels.raters, np.array(models, dtype=np.int64))
        items, counts = np.unique(labels.items[is_person], return_counts=True)
        items = items[counts >= 2]
        labels = labels.of(np.isin(labels.items, items))
        found = np.setdiff1d(labels.raters, np.array(models, dtype=np.int64))
        return cls(labels, items, found, _matrix(labels, items, [*found.tolist(), *models]))

    @property
    def n_people(self) -> int:
        return len(self.people)

    def contests(self, kind: QuestionKind, column: int) -> LabelComparisons:
        """column: of the model, counting from the first model."""
        items, people = np.nonzero(self.matrix.has[:, : self.n_people])
        values = self.matrix.values[items, people]
        model = self.matrix.values[:, self.n_people + column]
        return contests(kind.closeness(self.labels), items, people, values, model)


def _matrix(labels: LabelColumns, items: NDArray[np.int64], raters: Sequence[int]) -> LabelMatrix:
    ids = np.array(raters, dtype=np.int64)
    order = np.argsort(ids)
    rows = np.searchsorted(items, labels.items)
    columns = order[np.searchsorted(ids, labels.raters, sorter=order)] if len(ids) else rows
    values = np.zeros((len(items), len(ids)), dtype=labels.values.dtype)
    has = np.zeros(values.shape, dtype=bool)
    values[rows, columns], has[rows, columns] = labels.values, True
    return LabelMatrix(values, has)


def models_against_people(
    kind: QuestionKind,
    labels: LabelColumns,
    runs: LabelColumns,
    people: Sequence[int],
    models: Sequence[int],
    attributes: Mapping[str, Mapping[str, NDArray[np.int64]]],
    *,
    least: int,
    prevalence: Callable[[int], ModelPrevalence],
    report_step: ReportStep = silent,
) -> ModelsAgainstPeople:
    """labels: one per item and rater. runs: every label of the models, from first and later passes.

    people, models: IDs. attributes: item IDs by name and value. least: number of items that a person needs to be
    tested. prevalence: of a model, by ID. Resampling uses the report's seed.
    """
    report_progress = phase(report_step, "Comparing models with people", 0.1, 0.8)
    found = [
        _against(kind, labels, runs, people, model, attributes, least, prevalence(model), own)
        for model, own in each_of(models, report_progress)
    ]
    most = sorted(found, key=lambda each: -each.n_items)[:MOST_COMPARED]
    compared = sorted(each.rater for each in most if each.n_items)
    two = list(itertools.combinations(compared, 2))
    report_progress = phase(report_step, "Comparing models with each other", 0.8, 1)
    return ModelsAgainstPeople(
        pair_figure=kind.pair_figure,
        least=least,
        n_replicates=N_REPLICATES,
        models=tuple(found),
        comparisons=tuple(
            _compared(kind, labels, people, *pair, least) for pair, _ in each_of(two, report_progress)
        ),
        n_left_out=len(found) - len(compared),
    )


def _against(
    kind: QuestionKind,
    labels: LabelColumns,
    runs: LabelColumns,
    people: Sequence[int],
    model: int,
    attributes: Mapping[str, Mapping[str, NDArray[np.int64]]],
    least: int,
    prevalence: ModelPrevalence,
    report_progress: ReportProgress,
) -> ModelAgainstPeople:
    shared = _SharedItems.of(labels, people, [model])
    n_items, confidence = len(shared.items), kind.scope.options.confidence
    weights = UnitWeights.drawn(max(1, n_items), seed=kind.scope.options.seed)
    contested = shared.contests(kind, 0)
    test = alternative_test(contested, min_items=least)
    replicates = advantage_replicates(contested, test.people, weights)
    agreement = _PairAgreementValues.of(kind, shared, weights, part_of(report_progress, 0, 0.5))
    mine = labels.items[labels.raters == model]
    of_people = of_raters(labels, people).items
    return ModelAgainstPeople(
        rater=model,
        n_labels=len(mine),
        n_items=n_items,
        n_single=int(np.isin(mine, of_people).sum()) - n_items,
        n_people=shared.n_people,
        n_person_labels=int(shared.matrix.has[:, : shared.n_people].sum()),
        with_people=agreement.mean(agreement.with_model),
        among_people=agreement.mean(agreement.among_people),
        difference=agreement.less(agreement.with_model, agreement.among_people),
        n_tested=len(test.people),
        advantage=_advantage(test, replicates, n_items, confidence),
        winning={
            as_text(epsilon): float(share)
            for epsilon, share in zip(EPSILONS, test.winning, strict=True)
            if len(test.people) and epsilon <= LARGEST
        },
        smallest=test.smallest,
        alpha=_alpha(kind, of_raters(shared.labels, shared.people.tolist())),
        people=tuple(_people(kind, shared, test, agreement, part_of(report_progress, 0.5, 1))),
        consensus=model_errors(kind, labels, people, model, attributes),
        stability=_stability(kind, runs.of(runs.raters == model)),
        prevalence=prevalence,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _PairAgreementValues:
    """pairs: resampled, first the model with each of m people, then all pairs of people, row by row; None with too many
    people.
    """

    pairs: ReplicatedValues | None
    m: int
    confidence: float

    @classmethod
    def of(
        cls, kind: QuestionKind, shared: _SharedItems, weights: UnitWeights, report_progress: ReportProgress
    ) -> "_PairAgreementValues":
        m, confidence = shared.n_people, kind.scope.options.confidence
        if m > MOST_PEOPLE:
            return cls(None, m, confidence)
        pairs = [(person, m) for person in range(m)] + list(itertools.combinations(range(m), 2))
        agreement = kind.pair_agreement(shared.labels)
        return cls(
            pairs_resampled(shared.matrix, pairs, agreement, weights, report_progress=report_progress),
            m,
            confidence,
        )

    @property
    def with_model(self) -> list[int]:
        return list(range(self.m))

    @property
    def among_people(self) -> list[int]:
        return list(range(self.m, self.m + self.m * (self.m - 1) // 2))

    def with_others(self, person: int) -> list[int]:
        """Return the positions of the pairs of this person with another person."""
        two = itertools.combinations(range(self.m), 2)
        return [self.m + place for place, pair in enumerate(two) if person in pair]

    def mean(self, places: Sequence[int]) -> Figure:
        return TOO_MANY if self.pairs is None else figure(self.pairs.mean(places), self.confidence)

    def less(self, places: Sequence[int], others: Sequence[int]) -> Figure:
        """Return the mean over `places` minus the mean over `others`."""
        if self.pairs is None:
            return TOO_MANY
        return figure(self.pairs.mean(places).less(self.pairs.mean(others)), self.confidence)


def figure(found: ReplicatedValues, confidence: float) -> Figure:
    """Return a value with its percentile interval, or the reason why there is none."""
    n_items = int(found.n_items[0])
    limits = bootstrap_limits(found.value, found.replicates, n=n_items, confidence=confidence).interval(0)
    value = number(float(found.value[0]))
    if value is None:
        return Figure(value=None, reason=limits.reason, n_items=n_items)
    return Figure(value=value, n_items=n_items).with_interval(limits)


def _advantage(
    test: AlternativeTest, replicates: NDArray[np.float64], n_items: int, confidence: float
) -> Figure:
    if not len(test.people):
        reason = Reason.TOO_FEW_ITEMS if n_items else Reason.NO_OVERLAP
        return Figure(value=None, reason=reason, n_items=n_items)
    limits = advantage_interval(test, replicates, n_items=n_items, confidence=confidence)
    return Figure(value=test.advantage, n_items=n_items).with_interval(limits.interval(0))


def _alpha(kind: QuestionKind, labels: LabelColumns) -> Figure:
    if not len(labels):
        return Figure(value=None, reason=Reason.NO_OVERLAP)
    kind = kind_of(analytic(kind.scope))
    return kind.figure(ALPHA, kind.part(labels))


def _people(
    kind: QuestionKind,
    shared: _SharedItems,
    test: AlternativeTest,
    agreement: _PairAgreementValues,
    report_progress: ReportProgress,
) -> Iterator[PersonVersusModel]:
    plain = kind_of(analytic(kind.scope))
    everyone = of_raters(shared.labels, shared.people.tolist())
    # Single-choice labels are counted; all others are compared one by one.
    most = MOST_REPLACED if kind.pairs_have_counts else MOST_REPLACED_UNCOUNTED
    has_alpha = shared.n_people * len(shared.labels) <= most
    whole = plain.part(everyone) if has_alpha else None
    for (column, person), own in each_of(list(enumerate(shared.people.tolist())), report_progress):
        own(0)
        others = agreement.with_others(column)
        in_place = less = None
        if whole is not None:
            part = plain.part(shared.labels.of(shared.labels.raters != person))
            less = plain.differences(part, whole, frozenset({ALPHA}))[ALPHA]
            in_place = Figure(value=less.first, reason=Reason.NONE if less.first is not None else less.reason)
        yield PersonVersusModel(
            person=person,
            test=_tested(test, column),
            rejected=_rejected(test, column),
            with_model=agreement.mean([column]),
            with_people=agreement.mean(others),
            less=agreement.less([column], others),
            in_place=in_place,
            in_place_less=less,
        )


def _tested(test: AlternativeTest, column: int) -> AnnotatorTestResult:
    if column not in test.people:
        n = test.too_few_n[test.too_few == column]
        return AnnotatorTestResult(n_items=int(n[0]) if len(n) else 0, p_values={})
    place = int(np.searchsorted(test.people, column))
    return AnnotatorTestResult(
        n_items=int(test.n[place]),
        own_score=float(test.own[place]),
        model_score=float(test.model[place]),
        own_wins=float(test.own_wins[place]),
        model_wins=float(test.model_wins[place]),
        difference=float(test.difference[place]),
        p_values={as_text(each): float(test.p_values[test.at(each), place]) for each in OFFERED},
    )


def _rejected(test: AlternativeTest, column: int) -> dict[str, bool]:
    places: IntArray = np.flatnonzero(test.people == column)
    return {as_text(each): bool(test.rejected[test.at(each), places[0]]) for each in OFFERED if len(places)}


def _stability(kind: QuestionKind, runs: LabelColumns) -> ModelStability:
    """runs: of one model; those of the same item in their order."""
    found = stability(runs.items, runs.values, confidence=kind.scope.options.confidence)
    # Each run counts as a rater: the first runs as one, the second runs as another, and so on.
    is_first = np.ones(len(runs), dtype=bool)
    is_first[1:] = runs.items[1:] != runs.items[:-1]
    starts = np.maximum.accumulate(np.where(is_first, np.arange(len(runs)), 0))
    as_raters = replace(runs, raters=np.arange(len(runs)) - starts)
    _, places, counts = np.unique(runs.items, return_inverse=True, return_counts=True)
    again = as_raters.of(counts[places] >= 2)
    share = share_of(found.n_same, found.n_items, kind.scope.options.confidence)
    return ModelStability(
        n_items=found.n_items,
        n_runs=found.n_runs,
        n_same=found.n_same,
        share=replace(share, reason=found.reason) if found.share is None else share,
        alpha=_alpha(kind, again),
    )


def _compared(
    kind: QuestionKind,
    labels: LabelColumns,
    people: Sequence[int],
    first: int,
    second: int,
    least: int,
) -> ModelPairComparison:
    shared = _SharedItems.of(labels, people, [first, second])
    n_items, m, confidence = len(shared.items), shared.n_people, kind.scope.options.confidence
    if not n_items or m > MOST_PEOPLE:
        nothing = TOO_MANY if n_items else Figure(value=None, reason=Reason.NO_OVERLAP)
        return ModelPairComparison(
            first=first, second=second, n_items=n_items, agreement=nothing, advantage=nothing
        )
    weights = UnitWeights.drawn(n_items, seed=kind.scope.options.seed)
    pairs = [(person, m + column) for column in (0, 1) for person in range(m)]
    found = pairs_resampled(shared.matrix, pairs, kind.pair_agreement(shared.labels), weights)
    agreement = found.mean(range(m)).less(found.mean(range(m, 2 * m)))
    return ModelPairComparison(
        first=first,
        second=second,
        n_items=n_items,
        agreement=figure(agreement, confidence),
        advantage=_advantages(kind, shared, weights, least),
    )


def _advantages(kind: QuestionKind, shared: _SharedItems, weights: UnitWeights, least: int) -> Figure:
    """Return ρ of the first model minus that of the second, on the same resamples."""
    n_items, found = len(shared.items), []
    for column in (0, 1):
        contested = shared.contests(kind, column)
        test = alternative_test(contested, min_items=least)
        if not len(test.people):
            return Figure(value=None, reason=Reason.TOO_FEW_ITEMS, n_items=n_items)
        replicates = advantage_replicates(contested, test.people, weights)
        value = np.array([test.advantage])
        found.append(ReplicatedValues(value, replicates[None, :], np.array([n_items])))
    return figure(found[0].less(found[1]), kind.scope.options.confidence)
