"""The page of a calculated result: as in a report, but on one page and without item lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reports.agreement.results import PairKappa
from reports.analysis.catalog import title_of
from reports.analysis.reasons import UNFIT
from reports.drawing.picture import Picture
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.pages.contexts import PageSection
from reports.pages.kinds import SENTENCES
from reports.pages.kinds.measured_pairs import (
    MOST_CATEGORIES,
    MeasuredFigures,
    MeasuredPairRow,
    measured_figures,
    pair_row,
)
from reports.pages.pair.paradox import Paradox, paradox_of
from reports.pages.question.matrix_cells import rows_here
from reports.pages.question.pair_matrix import FEW, MatrixOptions, MatrixRow, PairMatrix
from reports.pages.question.pair_measures import PairMeasure, default_measure, measures_of, pairs_by
from reports.pages.question.verdict import StatisticTile, Verdict, tiles_of, verdict_of
from reports.pages.statistic_tables import AllStatistics, all_statistics
from reports.pictures.forest import NARROW, forest_of
from reports.results import wording
from reports.results.confusion import (
    ConfusionTable,
    Indices,
    categories_of,
    count_table,
    direction_of,
    indices_of,
    table_of,
)
from reports.results.findings import FindingsSection, findings_of
from reports.results.kinds import main_coefficient, result_kind
from reports.results.pair_statistics import statistics_of_pair
from reports.results.prose import Prose, Style, prose_of_unstored
from reports.results.question_pairs import NO_MEAN, Pair, RaterMean, RecomputedPairs, pairs_of_unstored
from reports.results.remarks import Remarks, remarks_of
from reports.store.included_raters import IncludedRaters
from reports.store.pair_counts import kappas_of
from reports.store.stored_result import StoredResult

# If there are more pairs, the matrices of those with the lowest agreement and of a chosen one are shown.
MOST_TABLES = 15
# A forest plot of more pairs would be taller than the page.
MOST_DRAWN = 45
DIGITS = 3


@dataclass(frozen=True, slots=True)
class PairSection:
    """The confusion matrix of two raters, with kappa and its maximum. n_dispute: items on which they differ."""

    pair: PairAgreement
    counts: ConfusionTable
    kappa: PairKappa
    interval: str
    reason: str
    indices: Indices
    is_two: bool
    direction: str
    n_dispute: int
    is_open: bool

    @property
    def ident(self) -> str:
        return f"pair-{self.pair.rater_a_id}-{self.pair.rater_b_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultHead(PageSection):
    agreement: QuestionAgreement
    report: Report
    counted: IncludedRaters
    percent: str
    weights: str
    reason: str
    is_unfit: bool
    prose: Prose
    plain_prose: Prose


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleResult(PageSection):
    head: ResultHead
    verdict: Verdict
    remarks: Remarks
    findings: FindingsSection | None
    tiles: Sequence[StatisticTile]
    matrix: PairMatrix
    mean: str
    measure: PairMeasure
    matrix_options: MatrixOptions
    forest: Picture | None
    sections: Sequence[PairSection]
    chosen_pairs: Sequence[tuple[str, str]]
    paradox: Paradox | None
    statistics: AllStatistics


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredResult(PageSection):
    head: ResultHead
    figures: MeasuredFigures
    findings: FindingsSection | None
    pair_titles: Sequence[str]
    pair_categories: Sequence[str]
    pair_rows: Sequence[MeasuredPairRow]


def result_context(result: StoredResult, chosen_pair: str = "") -> PageSection:
    """Return the page of a result. chosen_pair: whose confusion matrix is requested, as rater IDs such as "1-2"."""
    head = _head(result)
    if head.is_unfit:
        return head
    if not result_kind(result.scope.kind).has_counts:
        return _measured(result, head)
    return _single(result, head, chosen_pair)


def _head(result: StoredResult) -> ResultHead:
    version = result.report.code_version
    return ResultHead(
        agreement=result.row,
        report=result.report,
        counted=result.counted,
        percent=result.report.chosen.percent,
        weights=wording.WEIGHTS[str(result.scope.weights)],
        reason=wording.long_reason(result.reason) if result.reason else "",
        is_unfit=result.reason in UNFIT,
        prose=prose_of_unstored(result, Style.APA, version),
        plain_prose=prose_of_unstored(result, Style.PLAIN, version),
    )


def _single(result: StoredResult, head: ResultHead, chosen_pair: str) -> SingleResult:
    measure = default_measure(result, measures_of(result))
    names = {rater.id: rater.key for rater in result.raters}
    pairs = pairs_of_unstored(result)
    if not measure.is_kappa:
        pairs = RecomputedPairs(list(pairs_by(result, measure).between(names)), result.counted)
    sections = _sections(result, chosen_pair)
    worst = [pair for pair in pairs.sorted("worst") if pair.kappa is not None]
    drawn = (
        forest_of(worst, names, shape=NARROW, description=f"Forest plot of {measure.title} for all pairs")
        if worst
        else None
    )
    return SingleResult(
        head=head,
        verdict=verdict_of(result, pairs.spread(), measure.title),
        remarks=remarks_of(result),
        findings=findings_of(result),
        tiles=tiles_of(result, main_coefficient(result.row)),
        matrix=_matrix(result, measure, pairs.pairs, pairs.means(names), sections),
        mean=measure.shown(pairs.mean()),
        measure=measure,
        matrix_options=MatrixOptions(),
        forest=drawn if len(result.raters) <= FEW and 1 < len(worst) <= MOST_DRAWN else None,
        sections=sections,
        chosen_pairs=_left_to_choose(result, sections),
        paradox=_paradox(result),
        statistics=all_statistics(result),
    )


def _matrix(
    result: StoredResult,
    measure: PairMeasure,
    pairs: Sequence[Pair],
    means: Mapping[int, RaterMean],
    sections: Sequence[PairSection],
) -> PairMatrix:
    shown = {(section.pair.rater_a_id, section.pair.rater_b_id) for section in sections}
    cells = rows_here([rater.id for rater in result.raters], pairs, measure.shown, shown)
    rows = [
        MatrixRow(rater, row, means.get(rater.id, NO_MEAN))
        for rater, row in zip(result.raters, cells, strict=True)
    ]
    return PairMatrix(
        list(result.raters),
        rows,
        len(rows),
        has_cut=any(pair.is_clipped for pair in pairs),
        has_intervals=any(pair.ci_low is not None for pair in pairs),
    )


def _sections(result: StoredResult, chosen_pair: str) -> list[PairSection]:
    """Return a section for each pair or, if there are many, for a chosen one and those with the lowest agreement."""
    rows = sorted(result.unstored or (), key=lambda pair: (pair.kappa is None, pair.kappa or 0.0))
    chosen = [pair for pair in rows if f"{pair.rater_a_id}-{pair.rater_b_id}" == chosen_pair]
    shown = chosen + [pair for pair in rows[:MOST_TABLES] if pair not in chosen]
    return [_section(result, pair, is_open=place == 0) for place, pair in enumerate(shown)]


def _section(result: StoredResult, pair: PairAgreement, *, is_open: bool) -> PairSection:
    table, categories = table_of(pair), categories_of(pair)
    kappa = kappas_of(result.row, [pair.counts], str(result.scope.weights)).pair(0)
    return PairSection(
        pair=pair,
        counts=count_table(table, categories, show="total"),
        kappa=kappa,
        interval=wording.shown_interval(kappa.ci_low, kappa.ci_high, DIGITS),
        reason=wording.long_reason(str(kappa.reason)) if kappa.reason else "",
        indices=indices_of(table),
        is_two=len(categories) == 2,
        direction=direction_of(table, categories, pair.rater_a.key, pair.rater_b.key),
        n_dispute=int(table.sum() - table.trace()),
        is_open=is_open,
    )


def _left_to_choose(result: StoredResult, sections: Sequence[PairSection]) -> list[tuple[str, str]]:
    """Return the pairs without a section, as values of `chosen_pair` and in words."""
    shown = {section.ident for section in sections}
    return [
        (f"{pair.rater_a_id}-{pair.rater_b_id}", f"{pair.rater_a} × {pair.rater_b}")
        for pair in result.unstored or ()
        if f"pair-{pair.rater_a_id}-{pair.rater_b_id}" not in shown
    ]


def _paradox(result: StoredResult) -> Paradox | None:
    """Return why the coefficients differ, if there are only two raters."""
    if result.n_pairs != 1 or not result.unstored:
        return None
    pair = result.unstored[0]
    return paradox_of(pair, statistics_of_pair(result, pair, str(result.scope.weights)).values)


def _measured(result: StoredResult, head: ResultHead) -> MeasuredResult:
    kind = result_kind(result.scope.kind)
    names = {rater.id: rater.key for rater in result.raters}
    by_kappa = 0 < len(result.categories) <= MOST_CATEGORIES
    return MeasuredResult(
        head=head,
        figures=measured_figures(result, SENTENCES[result.scope.kind]),
        findings=findings_of(result),
        pair_titles=[title_of(name) for name in kind.pair_columns],
        pair_categories=[f"κ {name}" for name in result.category_names] if by_kappa else [],
        pair_rows=[
            pair_row(pair, names, kind.pair_columns, by_kappa=by_kappa) for pair in result.unstored or ()
        ],
    )
