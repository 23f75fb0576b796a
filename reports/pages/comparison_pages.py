"""Comparison pages: sides of a question, two reports, windows of time, subgroups, models and people."""

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
    """Compare two rounds, reports, pairs, or groups of raters on one question."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    page = comparison(request, computed_result_of(project, pk, question))
    status = 400 if page.refusal else 200
    return render(request, "reports/comparing/compare.html", context_of(page), status=status)


@require_safe
@when_computed
def two_reports(request: HttpRequest, slug: str) -> HttpResponse:
    """Compare two finished reports of the project on one question."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    page = two_page(request, project)
    status = 400 if page.refusal else 200
    return render(request, "reports/comparing/two.html", context_of(page), status=status)


@require_safe
@when_computed
def over_time(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show agreement on one question by round, by guidelines version, or by window of time."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    result = computed_result_of(project, pk, question)
    return render(request, "reports/comparing/time.html", context_of(time_page(request, result)))


@require_safe
@when_computed
def by_subgroup(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show agreement on one question within and between the items or raters with each value of an attribute."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    page = subgroups_page(request, computed_result_of(project, pk, question))
    status = 400 if page.refusal else 200
    return render(request, "reports/comparing/subgroups.html", context_of(page), status=status)


@require_safe
@when_computed
def effect(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show the effect of a part of the history, such as an import, on agreement on one question."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    page = effect_page(request, computed_result_of(project, pk, question))
    status = 400 if page.refusal else 200
    return render(request, "reports/comparing/effect.html", context_of(page), status=status)


@require_safe
@when_computed
def models(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show whether a model agrees with people as they agree with each other, and could replace one."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    page = models_page(request, computed_result_of(project, pk, question))
    status = 400 if page.refusal else 200
    return render(request, "reports/comparing/models.html", context_of(page), status=status)
