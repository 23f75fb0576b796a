"""Pages whose figures a worker computes: their progress until they are done."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from projects.access import permissions_in, project_to
from projects.models import Project
from projects.roles import Permission
from reports.models import OnDemandFigures
from reports.store.on_demand import OnDemandNotReady

PROGRESS = "runs/_progress.html"
PAGES = {
    OnDemandFigures.What.SIDES: "report_compare",
    OnDemandFigures.What.OVER_TIME: "report_time",
    OnDemandFigures.What.SUBGROUPS: "report_subgroups",
    OnDemandFigures.What.EFFECT: "report_effect",
    OnDemandFigures.What.MODELS: "report_question",
    OnDemandFigures.What.AGAINST: "report_models",
}

View = Callable[..., HttpResponse]


def when_computed(view: View) -> View:
    """Show the progress of a page's figures until the view can show them; `part=progress` returns only the progress."""

    @wraps(view)
    def waiting(request: HttpRequest, slug: str, **ids: Any) -> HttpResponse:
        is_part = request.GET.get("part") == "progress"
        try:
            answer = view(request, slug=slug, **ids)
        except OnDemandNotReady as not_yet:
            return _waiting(request, slug, not_yet.figures, is_part=is_part)
        if is_part and answer.status_code == 200:
            done = OnDemandFigures(state=OnDemandFigures.State.DONE)
            return render(request, PROGRESS, {"run": done, "address": request.path})
        return answer

    return waiting


def _waiting(request: HttpRequest, slug: str, figures: OnDemandFigures, *, is_part: bool) -> HttpResponse:
    if is_part:
        return render(request, PROGRESS, {"run": figures, "address": request.path})
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    context = {
        "project": project,
        "run": figures,
        "cancel": reverse("on_demand_cancel", args=[slug, figures.public]),
        "again": reverse("on_demand_retry", args=[slug, figures.public]),
        "may_ask": Permission.ASK_REPORTS in permissions_in(request.user, project),
    }
    return render(request, "reports/comparing/waiting.html", context)


@require_POST
def cancel(request: HttpRequest, slug: str, public: UUID) -> HttpResponse:
    figures = _figures_of(project_to(request.user, slug, Permission.ASK_REPORTS), public)
    if not figures.cancel():
        messages.warning(request, "This computation has already ended.")
    return redirect(address_of(figures))


@require_POST
def retry(request: HttpRequest, slug: str, public: UUID) -> HttpResponse:
    figures = _figures_of(project_to(request.user, slug, Permission.ASK_REPORTS), public)
    if not figures.retry(by=request.user):
        messages.warning(request, "Only failed or canceled computations can be retried.")
    return redirect(address_of(figures))


def _figures_of(project: Project, public: UUID) -> OnDemandFigures:
    every = OnDemandFigures.objects.select_related(
        "agreement__report__project", "agreement__question", "before"
    )
    return get_object_or_404(every, agreement__report__project=project, public=public)


def address_of(figures: OnDemandFigures) -> str:
    """Return the URL of the page that requested the figures."""
    agreement, asked = figures.agreement, dict(figures.asked)
    slug = agreement.report.project.slug
    if figures.before is not None:
        query = {"first": figures.before.report_id, "second": agreement.report_id}
        return (
            f"{reverse('two_reports', args=[slug])}?{urlencode(query | {'question': agreement.question.key})}"
        )
    name = PAGES[OnDemandFigures.What(figures.what)]
    if "unit" in asked:
        asked["attribute"] = f"{asked.pop('unit')}:{asked['attribute']}"
    if "n_windows" in asked:
        asked["windows"] = asked.pop("n_windows")
    asked.pop("zone", None)
    return f"{reverse(name, args=[slug, agreement.report_id, agreement.question_id])}?{urlencode(asked)}"
