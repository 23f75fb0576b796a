"""What the page of a question shows: verdict, matrix and pairs."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from core.numbers import whole_number
from projects.models import Project, Question
from raters.models import Rater as RaterKind
from reports.analysis.reasons import UNFIT
from reports.models import QuestionAgreement, Report
from reports.pages.choices import chosen
from reports.pages.question.head import question_head
from reports.pages.question.matrix import ORDERS, Wish, matrix_of
from reports.pages.question.measures import measure_of, measures_of, pairs_by
from reports.pages.question.pairs import pair_list
from reports.pages.question.statistics import (
    all_statistics,
)
from reports.pages.question.summary import links_of, tiles_of
from reports.pages.question.verdict import verdict_of
from reports.results.main_coefficient import main_coefficient
from reports.results.remarks import remarks_of
from reports.store.agreements import raters_of
from reports.store.sides import batches_of

# Reports that are looked through for other rounds.
MOST_ROUNDS = 200


def question(request: HttpRequest, project: Project, agreement: QuestionAgreement) -> dict[str, Any]:
    if agreement.reason in UNFIT:
        return question_head(project, agreement)
    measures = measures_of(agreement)
    measure = measure_of(request, agreement, measures)
    own = agreement.report.options["weights"]
    query = f"?weights={measure.key}" if measure.is_kappa and measure.key != own else ""
    pairs, wish = pairs_by(agreement, measure), wish_of(request)
    return {
        **question_head(project, agreement),
        "verdict": verdict_of(agreement, pairs.spread(), measure.title),
        "remarks": remarks_of(agreement),
        "tiles": tiles_of(agreement, main_coefficient(agreement)),
        "links": links_of(agreement),
        "is_nominal": agreement.question.level == Question.Level.NOMINAL,
        "matrix": matrix_of(agreement, pairs, wish, show=measure.shown, query=query),
        "mean": measure.shown(pairs.mean()),
        "measure": measure,
        "measures": measures,
        "weights": measure.key if measure.is_kappa else own,
        "wish": wish,
        "orders": ORDERS,
        "kinds": kinds_of(agreement),
        "rounds": rounds_of(agreement),
        "has_rounds": agreement.report.scope["batches"] is None and len(batches_of(agreement)) > 1,
        **pair_list(request, agreement, pairs, measure, query),
        **all_statistics(agreement),
    }


def wish_of(request: HttpRequest) -> Wish:
    kinds = frozenset(request.GET.getlist("kind")) & frozenset(RaterKind.Kind.values)
    n = whole_number(request.GET.get("least", ""), least=1, most=10**9 - 1) or 1
    named = request.GET.get("named", "").strip()[:200]
    return Wish(chosen(request, "order", ORDERS, "name"), kinds, n, named)


def kinds_of(agreement: QuestionAgreement) -> dict[str, str]:
    """The kinds of raters that the report has, with their names; {} if all are of one kind."""
    found = {rater.kind for rater in raters_of(agreement)}
    return {value: name for value, name in RaterKind.Kind.choices if value in found} if len(found) > 1 else {}


def rounds_of(agreement: QuestionAgreement) -> list[tuple[str, str, bool]]:
    """Reports on the same question by the same options, each of one round or of all: name, address, whether it is this.

    Of several on the same labels the newest, but always this one.
    """
    report = agreement.report
    same = QuestionAgreement.objects.filter(
        report__project=report.project_id,
        report__state=Report.State.DONE,
        report__options=report.options,
        question=agreement.question_id,
        reason="",
    )
    found: dict[str, tuple[int, bool]] = {}
    scopes = same.order_by("-report_id").values_list("report_id", "report__scope")[:MOST_ROUNDS]
    for pk, scope in [(report.pk, report.scope), *scopes]:
        name = "all labels" if scope["batches"] is None else " and ".join(scope["batches"])
        found.setdefault(name, (pk, pk == report.pk))
    if len(found) == 1:
        return []
    return [
        (name, reverse("report_question", args=[report.project.slug, pk, agreement.question_id]), is_this)
        for name, (pk, is_this) in sorted(found.items())
    ]
