"""The page of two reports side by side."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from projects.access import project_to
from projects.roles import Right
from reports.pages.comparing.later import when_computed
from reports.pages.comparing.two_reports import two_page


@require_safe
@when_computed
def two_reports(request: HttpRequest, slug: str) -> HttpResponse:
    """Two finished reports of the project on one question: what differs, and how far."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    context = two_page(request, project)
    return render(request, "reports/comparing/two.html", context, status=400 if "refusal" in context else 200)
