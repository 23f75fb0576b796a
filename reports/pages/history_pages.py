"""The history of a project: its head and its verification."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from core.web.form_pages import require_form_of_page_above
from projects.access import permissions_in, project_to
from projects.models import Project
from projects.roles import Permission
from reports.store import history_verification


@require_safe
def project_history(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, project_to(request.user, slug, Permission.SEE_LABELS))


@require_form_of_page_above
def verify_history(request: HttpRequest, slug: str) -> HttpResponse:
    """Verify the history for the user; the result is not stored."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    expected = request.POST.get("head", "").strip()
    try:
        return _page(
            request,
            project,
            expected=expected,
            found=history_verification.verify_at_once(project, expected=expected),
        )
    except history_verification.BadHead as error:
        return _page(request, project, expected=expected, error=str(error), status=400)
    except history_verification.HistoryTooLarge as refused:
        messages.warning(request, str(refused))
        return redirect("project_history", slug)


def _page(request: HttpRequest, project: Project, *, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "project": project,
        "head": history_verification.head_now(project),
        "n_revisions": history_verification.count_revisions(project),
        "found": None,
        "expected": "",
        "error": "",
        "may_see_log": Permission.SEE_LOG in permissions_in(request.user, project),
        **more,
    }
    return render(request, "reports/history.html", context, status=status)
