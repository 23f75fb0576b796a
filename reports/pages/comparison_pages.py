"""Comparison pages: sides of a question, two reports, windows of time, subgroups, models and people."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from core.keys import MAX_KEY
from core.web.refusals import refusals_as_messages
from projects.access import project_to
from projects.items.lists import make_list
from projects.roles import Permission
from reports.pages.comparing.decisions_page import MOST_IN_ROUND, decisions_page
from reports.pages.comparing.effect_page import effect_page
from reports.pages.comparing.models_page import models_page
from reports.pages.comparing.on_demand_pages import when_computed
from reports.pages.comparing.reports_page import two_page
from reports.pages.comparing.sides_page import comparison
from reports.pages.comparing.subgroups_page import subgroups_page
from reports.pages.comparing.time_page import time_page
from reports.pages.contexts import PageSection, context_of
from reports.pages.loaders import computed_result_of
from reports.results.decision_wording import requested_decisions
from reports.store.model_decisions import decided_by_model


@require_safe
@when_computed
def compare(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Compare two rounds, reports, pairs, or groups of raters on one question."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    page = comparison(request, computed_result_of(project, pk, question))
    return _rendered(request, "reports/comparing/compare.html", page, page.refusal)


@require_safe
@when_computed
def two_reports(request: HttpRequest, slug: str) -> HttpResponse:
    """Compare two finished reports of the project on one question."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    page = two_page(request, project)
    return _rendered(request, "reports/comparing/two_reports.html", page, page.refusal)


@require_safe
@when_computed
def over_time(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show agreement on one question by round, by guidelines version, or by window of time."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    result = computed_result_of(project, pk, question)
    return render(request, "reports/comparing/time.html", context_of(time_page(request, result)))


@require_safe
@when_computed
def by_subgroup(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show agreement on one question within and between the items or raters with each value of an attribute."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    page = subgroups_page(request, computed_result_of(project, pk, question))
    return _rendered(request, "reports/comparing/subgroups.html", page, page.refusal)


@require_safe
@when_computed
def effect(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show the effect of a part of the history, such as an import, on agreement on one question."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    page = effect_page(request, computed_result_of(project, pk, question))
    return _rendered(request, "reports/comparing/effect.html", page, page.refusal)


@require_safe
@when_computed
def models(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show whether a model agrees with people as they agree with each other, and could replace one."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    page = models_page(request, computed_result_of(project, pk, question))
    return _rendered(request, "reports/comparing/models.html", page, page.refusal)


@require_safe
def decisions(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show which items a model may decide alone, with a guarantee, and which are left to people."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    page = decisions_page(request, computed_result_of(project, pk, question))
    return _rendered(request, "reports/comparing/decisions.html", page, page.refusal)


@require_POST
def decisions_round(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Save the items that are left to people as a list, the least sure first, and plan a round with it."""
    # For raters there are no reports.
    project_to(request.user, slug, Permission.SEE_LABELS)
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    result = computed_result_of(project, pk, question)
    made = None
    with refusals_as_messages(request):
        decided = decided_by_model(result, requested_decisions(request.GET))
        items = decided.items.for_people[:MOST_IN_ROUND].tolist()
        name = f"{result.question.key}: left to people by {decided.rater.key}"
        made = make_list(project, name[:MAX_KEY], items, by=request.user)
    if made is None:
        page = reverse("report_decisions", args=[slug, pk, question])
        return redirect(f"{page}?{request.GET.urlencode()}")
    asked = urlencode({"source": "list", "item_list": made.pk})
    return redirect(f"{reverse('round_new', args=[slug])}?{asked}#items")


def _rendered(request: HttpRequest, template: str, page: PageSection, refusal: str) -> HttpResponse:
    return render(request, template, context_of(page), status=400 if refusal else 200)
