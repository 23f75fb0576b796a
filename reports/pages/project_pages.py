"""The list of projects and the page of a project: its contents, progress, and next steps."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from projects.access import permissions_in, project_to
from projects.codebook.rendered_guidelines import rendered_guidelines
from projects.deletion.actions import deleted_projects
from projects.models import Project
from projects.roles import Permission
from raters.access import blindness_of, rater_or_newcomer
from raters.accounts.joining import invitations_to
from raters.figures.stored_figures import FiguresNotComputed
from raters.items.item_letters import are_hidden_from
from raters.labeling.own_rounds import own_rounds, rounds_with_work
from raters.progress.next_steps import NextStep, next_steps
from raters.progress.progress_figures import figures_of
from raters.rounds.revealed import revealed_rounds
from reports.results import queries


@require_safe
def projects(request: HttpRequest) -> HttpResponse:
    context = {
        "rows": queries.project_rows(request.user),
        "invitations": invitations_to(request.user),
        "deleted": deleted_projects(request.user),
    }
    return render(request, "projects/list.html", context)


@require_safe
def project(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a project; raters see only the guidelines and the codebook, nothing of the work of others."""
    project = project_to(request.user, slug, Permission.SEE_PROJECT)
    permissions = permissions_in(request.user, project)
    overview = (
        queries.overview(project, blindness_of(request.user, project))
        if Permission.SEE_LABELS in permissions
        else None
    )
    counts = (overview.by_question if overview else None) or {}
    may_edit, is_open = Permission.EDIT_PROJECT in permissions, not project.is_closed
    # Counting takes seconds if there are very many labels; then only the Progress page has the steps.
    has_steps = may_edit and is_open and overview is not None and overview.by_question is not None
    own = (
        rounds_with_work(own_rounds(rater_or_newcomer(request.user, slug)))
        if Permission.LABEL in permissions
        else []
    )
    context = {
        "project": project,
        "guidelines": rendered_guidelines(project),
        "questions": [(q, counts.get(q.pk)) for q in project.questions.prefetch_related("categories")],
        "sees_labels": Permission.SEE_LABELS in permissions,
        "import_address": reverse("imports", args=[slug])
        if Permission.IMPORT in permissions and is_open
        else "",
        "may_edit": may_edit,
        "overview": overview,
        "names_hidden": are_hidden_from(request.user, project),
        "steps": _steps(request, project) if has_steps else None,
        "own_rounds": own,
        "has_work": any(not each.gates for each in own),
        "revealed": revealed_rounds(project, request.user) if Permission.LABEL in permissions else (),
    }
    return render(request, "projects/project.html", context)


def _steps(request: HttpRequest, project: Project) -> list[NextStep] | None:
    """Return the next steps; None if the project is large and its figures have not been computed yet."""
    try:
        return next_steps(project, figures_of(project, by=request.user))
    except FiguresNotComputed:
        return None
