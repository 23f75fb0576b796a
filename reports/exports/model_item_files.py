"""Files on the items of a model: what it may decide alone, and its labels with people's on a random sample."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from core.refusals import Refused
from projects.access import project_to
from projects.roles import Permission
from reports.exports.question_files import computed_result, csv_file
from reports.results import decided_rows, sampled_rows
from reports.results.decision_wording import requested_decisions
from reports.store.model_decisions import decided_by_model
from reports.store.sampled_labels import sampled_labels


@require_safe
def decisions_file(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Return each item that only the model labeled; redirects to the page if there is nothing to export."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    result = computed_result(project, pk, question)
    try:
        decided = decided_by_model(result, requested_decisions(request.GET))
    except Refused:
        page = reverse("report_decisions", args=[slug, pk, question])
        return redirect(f"{page}?{request.GET.urlencode()}")
    rows = decided_rows.rows_of(result, decided)
    return csv_file(result, "decisions.csv", [decided_rows.COLUMNS, *rows], by=request.user)


@require_safe
def sample_file(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Return each item that the model labeled and people could have; redirects to the page of models with the reason if
    it is not known how people's items were drawn.
    """
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    result = computed_result(project, pk, question)
    try:
        found = sampled_labels(result, request.GET.get("model", ""))
    except Refused as refused:
        messages.warning(request, str(refused))
        return redirect("report_models", slug, pk, question)
    rows = sampled_rows.rows_of(result, found)
    return csv_file(result, "sample.csv", [sampled_rows.COLUMNS, *rows], by=request.user)
