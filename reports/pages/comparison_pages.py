"""The pages of comparisons: sides of a question, two reports, windows of time, subgroups, models and people."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from projects.access import project_to
from projects.roles import Right
from reports.pages.comparing.effect_page import effect_page
from reports.pages.comparing.models_page import models_page
from reports.pages.comparing.reports_page import two_page
from reports.pages.comparing.sides_page import comparison
from reports.pages.comparing.subgroups_page import subgroups_page
from reports.pages.comparing.time_page import time_page
from reports.pages.comparing.waiting import when_computed
from reports.pages.contexts import context_of
from reports.pages.loaders import computed_result_of


@require_safe
@when_computed
def compare(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Two rounds, reports, pairs or groups of raters of one question, with the difference of their figures."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    page = comparison(request, computed_result_of(project, pk, question))
    status = 400 if page.refusal else 200
    return render(request, "reports/comparing/compare.html", context_of(page), status=status)


@require_safe
@when_computed
def two_reports(request: HttpRequest, slug: str) -> HttpResponse:
    """Two finished reports of the project on one question: what differs, and how far."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    page = two_page(request, project)
    status = 400 if page.refusal else 200
    return render(request, "reports/comparing/two.html", context_of(page), status=status)


@require_safe
@when_computed
def over_time(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Agreement on one question by round, by version of the guidelines or by window of time."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    result = computed_result_of(project, pk, question)
    return render(request, "reports/comparing/time.html", context_of(time_page(request, result)))


@require_safe
@when_computed
def by_subgroup(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Agreement on one question within the items or raters of each value of an attribute, and between them."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    page = subgroups_page(request, computed_result_of(project, pk, question))
    status = 400 if page.refusal else 200
    return render(request, "reports/comparing/subgroups.html", context_of(page), status=status)


@require_safe
@when_computed
def effect(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """What a part of the history, such as an import, did to agreement on one question."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    page = effect_page(request, computed_result_of(project, pk, question))
    status = 400 if page.refusal else 200
    return render(request, "reports/comparing/effect.html", context_of(page), status=status)


@require_safe
@when_computed
def models(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Whether a model agrees with people as they agree with each other, and may take the place of one."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    page = models_page(request, computed_result_of(project, pk, question))
    status = 400 if page.refusal else 200
    return render(request, "reports/comparing/models.html", context_of(page), status=status)
