"""The items that only a model labeled as CSV, with what it may decide alone."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from core.tables.safe_cells import csv_lines
from projects.access import project_to
from projects.events import record
from projects.models import Event
from projects.roles import Right
from reports.models import QuestionAgreement, Report
from reports.results.decided_rows import COLUMNS, rows_of
from reports.results.decision_wording import asked_decisions
from reports.store.model_decisions import DecisionsRefused, decided_by_model
from reports.store.stored_result import StoredResult

NAME = "decisions.csv"


@require_safe
def decisions_file(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Return each item that only the model labeled; redirects to the page if there is nothing to export."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    rows = QuestionAgreement.objects.select_related("report__project", "question")
    done = rows.filter(report__project=project, report__state=Report.State.DONE, reason="")
    result = StoredResult.of(get_object_or_404(done, report=pk, question=question))
    try:
        decided = decided_by_model(result, asked_decisions(request.GET))
    except DecisionsRefused:
        page = reverse("report_decisions", args=[slug, pk, question])
        return redirect(f"{page}?{request.GET.urlencode()}")
    record(Event.Kind.EXPORTED, by=request.user, project=project, about=NAME, report=pk)
    lines = csv_lines([COLUMNS, *rows_of(result, decided)])
    response = HttpResponse("".join(lines), content_type="text/csv; charset=utf-8")
    name = f"{slug}-report-{pk}-{result.question.key}-{NAME}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "no-store"
    return response
