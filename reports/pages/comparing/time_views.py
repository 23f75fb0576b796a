"""The page of agreement by round and over time."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from projects.access import project_to
from projects.roles import Right
from reports.pages.comparing.later import when_computed
from reports.pages.comparing.over_time import time_page
from reports.pages.views import computed_agreement_of


@require_safe
@when_computed
def over_time(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Agreement on one question by round, by version of the guidelines or by window of time."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    agreement = computed_agreement_of(project, pk, question)
    return render(request, "reports/comparing/time.html", time_page(request, project, agreement))
