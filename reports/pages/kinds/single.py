"""The pages of a single-choice question, and of two raters on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from projects.models import Question
from reports.analysis.reasons import UNFIT
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.pages.contexts import PageSection
from reports.pages.heads import QuestionHead, question_head
from reports.pages.pair.pair_page import pair_context
from reports.pages.question.pair_list import PairListSection, pair_list
from reports.pages.question.pair_matrix import (
    ORDERS,
    MatrixOptions,
    PairMatrix,
    kinds_of,
    matrix_of,
    requested_matrix_options,
)
from reports.pages.question.pair_measures import PairMeasure, measure_of, measures_of, pairs_by
from reports.pages.question.verdict import StatisticTile, Verdict, links_of, tiles_of, verdict_of
from reports.pages.rater.rater_list import raters_compared
from reports.pages.statistic_tables import AllStatistics, all_statistics
from reports.results.compared_reports import rounds_in_words
from reports.results.findings import FindingsSection, findings_of
from reports.results.kinds import main_coefficient
from reports.results.remarks import Remarks, remarks_of
from reports.store.frozen_codebook import is_pooled
from reports.store.sides import round_ids
from reports.store.stored_result import StoredResult

# The most reports searched for other rounds.
MOST_ROUNDS = 200


# Parameters of the matrix.
MATRIX_PARAMETERS = ("coefficient", "weights", "order", "least", "named", "kind")
QUESTION, PAIR = "reports/question/page.html", "reports/pair/page.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleChoicePage(PageSection):
    """weights: of the matrix; those of the report if another coefficient is shown. rounds: other reports on the same
    question, from `rounds_of`.
    """

    head: QuestionHead
    verdict: Verdict
    remarks: Remarks
    findings: FindingsSection | None
    tiles: Sequence[StatisticTile]
    links: Sequence[tuple[str, str]]
    is_nominal: bool
    matrix: PairMatrix
    mean: str
    measure: PairMeasure
    measures: Mapping[str, PairMeasure]
    weights: str
    matrix_options: MatrixOptions
    has_matrix_options: bool
    orders: Mapping[str, str]
    kinds: Mapping[str, str]
    rounds: Sequence[tuple[str, str, bool]]
    has_rounds: bool
    pairs: PairListSection
    statistics: AllStatistics


def question(request: HttpRequest, result: StoredResult) -> PageSection:
    """Return the page with verdict, matrix, and pairs."""
    if result.reason in UNFIT:
        return question_head(result)
    measures = measures_of(result)
    measure = measure_of(request, result, measures)
    own = str(result.scope.weights)
    query = f"?weights={measure.key}" if measure.is_kappa and measure.key != own else ""
    pairs, matrix_options = pairs_by(result, measure), requested_matrix_options(request)
    return SingleChoicePage(
        head=question_head(result),
        verdict=verdict_of(result, pairs.spread(), measure.title),
        remarks=remarks_of(result),
        findings=findings_of(result),
        tiles=tiles_of(result, main_coefficient(result.row)),
        links=links_of(result),
        is_nominal=result.question.level == Question.Level.NOMINAL,
        matrix=matrix_of(result, pairs, matrix_options, show=measure.shown, query=query),
        mean=measure.shown(pairs.mean()),
        measure=measure,
        measures=measures,
        weights=measure.key if measure.is_kappa else own,
        matrix_options=matrix_options,
        has_matrix_options=any(name in request.GET for name in MATRIX_PARAMETERS),
        orders=ORDERS,
        kinds=kinds_of(result),
        rounds=rounds_of(result),
        has_rounds=is_pooled(result.report) and len(round_ids(result.row)) > 1,
        pairs=pair_list(request, result, pairs, measure, query),
        statistics=all_statistics(result),
    )


def rounds_of(result: StoredResult) -> list[tuple[str, str, bool]]:
    """Return reports on the question with equal options, each on one or all rounds: name, URL, and whether it is this
    one.

    If several are on the same labels, the newest is returned, except that this report always is.
    """
    report = result.report
    same = QuestionAgreement.objects.filter(
        report__project=report.project_id,
        report__state=Report.State.DONE,
        report__options=report.options,
        question=result.row.question_id,
        reason="",
    )
    found: dict[str, tuple[int, bool]] = {}
    has_rounds = report.project.rounds.exists()
    scopes = same.order_by("-report_id").values_list("report_id", "report__scope")[:MOST_ROUNDS]
    for pk, scope in [(report.pk, report.scope), *scopes]:
        name = rounds_in_words(scope, has_rounds=has_rounds)
        found.setdefault(name, (pk, pk == report.pk))
    if len(found) == 1:
        return []
    return [
        (name, reverse("report_question", args=[report.project.slug, pk, result.row.question_id]), is_this)
        for name, (pk, is_this) in sorted(found.items())
    ]


def raters(request: HttpRequest, result: StoredResult) -> PageSection:
    return raters_compared(request, result)


def pair(request: HttpRequest, result: StoredResult, pair: PairAgreement) -> PageSection:
    return pair_context(request, result, pair)
