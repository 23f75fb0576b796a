"""Files on the items of a model: what it may decide alone, and its labels with people's on a random sample."""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from core.refusals import Refused
from core.tables.safe_cells import Cell, csv_lines
from projects.access import project_to
from projects.events import record
from projects.models import Event, Project
from projects.roles import Right
from reports.models import QuestionAgreement, Report
from reports.results import decided_rows, sampled_rows
from reports.results.decision_wording import asked_decisions
from reports.store.model_decisions import decided_by_model
from reports.store.sampled_labels import sampled_labels
from reports.store.stored_result import StoredResult


@require_safe
def decisions_file(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Return each item that only the model labeled; redirects to the page if there is nothing to export."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    result = _result_of(project, pk, question)
    try:
        decided = decided_by_model(result, asked_decisions(request.GET))
    except Refused:
        page = reverse("report_decisions", args=[slug, pk, question])
        return redirect(f"{page}?{request.GET.urlencode()}")
    rows = decided_rows.rows_of(result, decided)
    return _file(result, "decisions.csv", [decided_rows.COLUMNS, *rows], by=request.user)


@require_safe
def sample_file(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Return each item that the model labeled and people could have; redirects to the page of models with the reason if
    it is not known how people's items were drawn.
    """
    project = project_to(request.user, slug, Right.SEE_LABELS)
    result = _result_of(project, pk, question)
    try:
        found = sampled_labels(result, request.GET.get("model", ""))
    except Refused as refused:
        messages.warning(request, str(refused))
        return redirect("report_models", slug, pk, question)
    rows = sampled_rows.rows_of(result, found)
    return _file(result, "sample.csv", [sampled_rows.COLUMNS, *rows], by=request.user)


def _result_of(project: Project, pk: int, question: int) -> StoredResult:
    rows = QuestionAgreement.objects.select_related("report__project", "question")
    done = rows.filter(report__project=project, report__state=Report.State.DONE, reason="")
    return StoredResult.of(get_object_or_404(done, report=pk, question=question))


def _file(result: StoredResult, name: str, rows: Iterable[tuple[Cell, ...]], *, by: Any) -> HttpResponse:
    report = result.report
    record(Event.Kind.EXPORTED, by=by, project=report.project, about=name, report=report.pk)
    response = HttpResponse("".join(csv_lines(rows)), content_type="text/csv; charset=utf-8")
    whole = f"{report.project.slug}-report-{report.pk}-{result.question.key}-{name}"
    response["Content-Disposition"] = f'attachment; filename="{whole}"'
    response["Cache-Control"] = "no-store"
    return response
