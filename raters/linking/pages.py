"""Pages for the raters of a project and their links to people."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from core.web.form_pages import require_form_of_page_above
from core.web.paging import page_of
from projects.access import project_to
from projects.models import Project
from projects.roles import Permission
from raters.figures.pending_figures import when_stored
from raters.figures.size import is_large
from raters.figures.stored_figures import NOW
from raters.linking import actions as linking
from raters.progress.progress_figures import stored_progress


@require_safe
@when_stored
def raters(request: HttpRequest, slug: str) -> HttpResponse:
    return _raters_page(request, project_to(request.user, slug, Permission.EDIT_PROJECT))


@require_form_of_page_above
@when_stored
def link(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    rater = get_object_or_404(linking.raters_of(project), pk=pk)
    user = (
        linking.people_to_link(project)
        .filter(username=request.POST.get("username", "").replace("\0", ""))
        .first()
    )
    if user is None:
        return _raters_page(
            request, project, refusal="Choose a member who is not linked to another rater.", status=400
        )
    try:
        linking.link(rater, by=request.user, user=user)
    except linking.CannotLink as refusal:
        return _raters_page(request, project, refusal=str(refusal), status=409)
    messages.success(request, f"Linked {rater.key} to {user}.")
    return redirect("raters", slug)


@require_POST
def unlink(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    rater = linking.unlink(get_object_or_404(linking.raters_of(project), pk=pk), by=request.user)
    messages.success(request, f"Unlinked {rater.key}. The labels stay with the rater.")
    return redirect("raters", slug)


@require_form_of_page_above
@when_stored
def kind(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    rater = get_object_or_404(linking.raters_of(project), pk=pk)
    chosen = request.POST.get("kind", "")
    if chosen not in linking.KINDS:
        return _raters_page(request, project, refusal="Choose a type for the rater.", status=400)
    try:
        rater = linking.change_kind(rater, chosen, by=request.user)
    except linking.CannotChangeKind as refusal:
        return _raters_page(request, project, refusal=str(refusal), status=409)
    messages.success(
        request,
        f"{rater.key} is now a {rater.get_kind_display().lower()}. Reports from now on use the new type.",
    )
    return redirect("raters", slug)


def _raters_page(
    request: HttpRequest, project: Project, *, refusal: str = "", status: int = 200
) -> HttpResponse:
    page = page_of(request, linking.raters_of(project))
    context = {
        "project": project,
        "refusal": refusal,
        "page": page,
        "rows": linking.linkable_raters(project, list(page), by=request.user),
        "people": linking.people_to_link(project),
        "kinds": linking.KINDS,
        "counted": stored_progress(project, by=request.user).counted if is_large(project) else NOW,
    }
    return render(request, "raters/list.html", context, status=status)
