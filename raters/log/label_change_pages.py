"""The page of the label history, and its files."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from core.refusals import RefusedWithCode
from core.web.paging import ON_A_PAGE
from projects.access import project_to
from projects.codebook.former import ever_in
from projects.models import Project
from projects.roles import Permission
from raters.log.label_change_export import FORMATS, label_changes_file
from raters.log.label_change_form import ChangeForm
from raters.log.label_changes import (
    ChangeFilter,
    ChangePage,
    Cursor,
    change_page,
    imports_behind,
    span_of_source,
)
from raters.reporting import EffectOnQuestion
from raters.spans import Span


@require_safe
def label_changes(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LOG)
    if "of" in request.GET:
        return _part_of_history(request, project)
    form = ChangeForm(project, request.GET)
    is_valid = form.is_valid()
    wanted = form.filter if is_valid else ChangeFilter()
    found = (
        change_page(project, wanted, _before(request), size=ON_A_PAGE) if is_valid else ChangePage([], None)
    )
    filters = request.GET.copy()
    filters.pop("before", None)
    context = {
        "project": project,
        "form": form,
        "rows": found.rows,
        "older": found.older,
        "is_later_page": "before" in request.GET,
        "is_filtered": wanted != ChangeFilter() or not is_valid,
        "is_between": wanted.after is not None or wanted.up_to is not None,
        "effects": _effects(project, wanted),
        "imports": imports_behind(project, found.rows),
        "formats": list(FORMATS),
        "query": filters.urlencode(),
    }
    return render(request, "log/label_changes.html", context, status=200 if is_valid else 400)


@require_safe
def label_changes_download(request: HttpRequest, slug: str, format: str) -> HttpResponseBase:
    project = project_to(request.user, slug, Permission.SEE_LOG)
    form = ChangeForm(project, request.GET)
    if format not in FORMATS or not form.is_valid():
        raise Http404("File not found.")
    return label_changes_file(project, form.filter, format, by=request.user)


def _part_of_history(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the changes of one import, which are looked up only on request."""
    span = span_of_source(project, request.GET["of"][:60])
    address = reverse("label_changes", args=[project.slug])
    if span is None:
        messages.warning(
            request, "This import did not record which changes it made, so they can’t be listed."
        )
        return redirect(address)
    return redirect(f"{address}?{urlencode({'after': span.after, 'up_to': span.up_to})}#effects")


def _effects(project: Project, wanted: ChangeFilter) -> list[EffectOnQuestion]:
    """Return how the selected part of the history affected agreement, if the page shows a part."""
    if wanted.after is None or wanted.up_to is None or wanted.after >= wanted.up_to:
        return []
    found = Span(project, wanted.after, wanted.up_to).effects
    keys = ever_in(project)
    return [each for each in found if wanted.question is None or each.question == keys.get(wanted.question)]


def _before(request: HttpRequest) -> Cursor | None:
    """Return where the page begins; invalid values give the first page."""
    try:
        return Cursor.of_text(request.GET["before"]) if "before" in request.GET else None
    except RefusedWithCode:
        return None
