"""How many labels to audit: a form sent by GET, so that plans have URLs."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from reports.drawing.picture import Picture
from reports.drawing.typeset import TypesettingFailed
from reports.drawing.vega import DrawingFailed
from reports.pages.contexts import PageSection, context_of
from reports.pages.picture_pages import NO_PICTURE, NOT_MADE, parts_of
from reports.pictures.acceptance_plot import acceptance_picture, sample_number_picture
from reports.pictures.picture_files import saved
from reports.plans.audit import AuditAnswer
from reports.plans.audit_form import AuditPlanForm
from reports.plans.audit_plan_tables import InspectionRow, RateRow, look_rows, rate_rows, sentences


@require_safe
def plan_audit(request: HttpRequest) -> HttpResponse:
    form = AuditPlanForm(request.GET.dict())
    found = form.answer()
    context = {"form": form} | (context_of(_section_of(found)) if found else {})
    return render(request, "statistics/audit.html", context, status=200 if found else 400)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPlanSection(PageSection):
    """looks: when to stop, for a plan with more than one look. rates: of the curve."""

    found: AuditAnswer
    sentences: Sequence[str]
    looks: Sequence[InspectionRow]
    curve: Picture | None
    numbers: Picture | None
    rates: Sequence[RateRow]
    pictures: str


def _section_of(found: AuditAnswer) -> AuditPlanSection:
    return AuditPlanSection(
        found=found,
        sentences=sentences(found),
        looks=look_rows(found) if found.plan and len(found.plan.looks) > 1 else [],
        curve=acceptance_picture(found.curve, found.asked) if found.curve else None,
        numbers=numbers_of(found),
        rates=rate_rows(found.curve),
        pictures=f"{reverse('plan_audit')}pictures/",
    )


def numbers_of(found: AuditAnswer) -> Picture | None:
    """The average sample number, if it depends on the error rate."""
    if found.curve is None or found.plan is None or len(found.plan.looks) < 2:
        return None
    return sample_number_picture(found.curve)


@require_safe
def audit_plan_picture(request: HttpRequest, file: str) -> HttpResponse:
    """Return a curve of a plan, which belongs to no project."""
    name, extension = parts_of(file, {"acceptance": None, "labels-audited": None})
    found = AuditPlanForm(request.GET.dict()).answer()
    if found is None or found.curve is None:
        raise Http404(NO_PICTURE)
    title, drawing = "Probability of acceptance by error rate", acceptance_picture(found.curve, found.asked)
    if name == "labels-audited":
        numbers = numbers_of(found)
        if numbers is None:
            raise Http404(NO_PICTURE)
        title, drawing = "Average number of labels audited by error rate", numbers
    try:
        return saved(drawing.named(title, " ".join(sentences(found)[:1])), name, extension)
    except (DrawingFailed, TypesettingFailed):
        messages.error(request, NOT_MADE)
        return redirect("plan_audit")
