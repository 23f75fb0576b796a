"""Audits of a project, and drawing a new one."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from core.web.forms import posted, require_form
from core.web.refusals import refusals_in_form
from projects.access import permissions_in, project_to
from projects.models import Project
from projects.roles import Permission
from raters.audits.drawing import draw_audit
from raters.audits.population import GIVEN, names_by_key
from raters.models import Audit
from reports.drawing.picture import Picture
from reports.pages.audit_plan_pages import numbers_of
from reports.pages.contexts import PageSection, context_of
from reports.pictures.acceptance_plot import acceptance_picture
from reports.plans.audit_draw import Draw, draw_of
from reports.plans.audit_draw_form import DrawAuditForm
from reports.plans.audit_plan_tables import InspectionRow, look_rows, percent, sentences

# The strata listed in a preview.
MOST_LISTED = 50


@require_safe
def audits(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_ORIGINS)
    mine = Audit.objects.filter(source=project, project__deletion_due_at=None).select_related(
        "project", "question"
    )
    visible = set(project_ids_of(request.user))
    context = {
        "project": project,
        "audits": [(audit, audit.project_id in visible) for audit in mine.order_by("-pk")],
        "may_edit": Permission.EDIT_PROJECT in permissions_in(request.user, project),
    }
    return render(request, "audits/list.html", context)


def project_ids_of(user: Any) -> list[int]:
    return list(user.memberships.values_list("project", flat=True))


@dataclass(frozen=True, slots=True)
class StratumRow:
    """value: what a rate is entered for; of given labels the key, and `name` the category's name."""

    value: str
    name: str
    size: int
    drawn: int
    probability: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawSection(PageSection):
    draw: Draw
    noun: str
    sentences: list[str]
    looks: list[InspectionRow]
    curve: Picture | None
    numbers: Picture | None
    strata: list[StratumRow]
    n_unlisted: int


def _section(draw: Draw, *, is_of_labels: bool, by_given: bool) -> DrawSection:
    rows = zip(draw.units.values, draw.units.sizes.tolist(), draw.drawn.tolist(), strict=True)
    names = names_by_key(draw.population.question) if by_given else {}
    strata = [
        StratumRow(value, names.get(value, value), size, n, percent(n / size)) for value, size, n in rows
    ]
    answer = draw.answer
    return DrawSection(
        draw=draw,
        noun="label" if is_of_labels else "item",
        sentences=sentences(answer) if answer else [],
        looks=look_rows(answer) if answer and answer.plan and len(answer.plan.looks) > 1 else [],
        curve=acceptance_picture(answer.curve, answer.asked) if answer and answer.curve else None,
        numbers=numbers_of(answer) if answer else None,
        strata=strata[:MOST_LISTED] if len(strata) > 1 else [],
        n_unlisted=max(len(strata) - MOST_LISTED, 0),
    )


@require_form
def new_audit(request: HttpRequest, slug: str) -> HttpResponse:
    """Preview what would be drawn. With `draw`, draw it and go to the project of the audit."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    form = DrawAuditForm(posted(request), project=project)
    context: dict[str, object] = {"project": project, "form": form}
    if form.is_valid():
        with refusals_in_form(form):
            draw = draw_of(form.asked)
            if "draw" in request.POST:
                audit = _draw(form, by=request.user)
                messages.success(
                    request, "The sample is drawn and assigned. Open the audit when auditors can start."
                )
                return redirect("audit", audit.project.slug)
            section = _section(
                draw,
                is_of_labels=form.cleaned_data["unit"] == Audit.Unit.LABEL,
                by_given=form.cleaned_data["stratify_by"] == GIVEN,
            )
            context |= context_of(section)
    return render(request, "audits/new.html", context, status=400 if form.errors else 200)


@transaction.atomic
def _draw(form: DrawAuditForm, *, by: Any) -> Audit:
    draw = draw_of(form.asked)
    return draw_audit(draw.population, draw.units, form.design(draw), by=by)


def audit_of(project: Project) -> Audit | None:
    return Audit.objects.filter(project=project).select_related("question", "drawn_by", "project").first()
