"""CSV files about one question of a finished report."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404

from core.tables.safe_cells import Cell, csv_lines
from projects.events import record
from projects.models import Event, Project
from reports.models import QuestionAgreement, Report
from reports.store.stored_result import StoredResult


def computed_result(project: Project, pk: int, question: int) -> StoredResult:
    """Return the result of a question that could be computed. Raises Http404."""
    rows = QuestionAgreement.objects.select_related("report__project", "question")
    done = rows.filter(report__project=project, report__state=Report.State.DONE, reason="")
    return StoredResult.of(get_object_or_404(done, report=pk, question=question))


def csv_file(result: StoredResult, name: str, rows: Iterable[Sequence[Cell]], *, by: Any) -> HttpResponse:
    report = result.report
    record(Event.Kind.EXPORTED, by=by, project=report.project, about=name, report=report.pk)
    response = HttpResponse("".join(csv_lines(rows)), content_type="text/csv; charset=utf-8")
    whole = f"{report.project.slug}-report-{report.pk}-{result.question.key}-{name}"
    response["Content-Disposition"] = f'attachment; filename="{whole}"'
    response["Cache-Control"] = "no-store"
    return response
