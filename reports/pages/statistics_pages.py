"""Pages about the statistics themselves, with no figure of any project."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from reports.pictures.prevalence_plot import curve_picture
from reports.plans.answer import PlanAnswer
from reports.plans.form import PlanForm
from reports.plans.shown import LINES, rows_of, sentence, uncertainty
from reports.published.checking import verified
from reports.published.shown import groups_of


@login_not_required
@require_safe
def published(request: HttpRequest) -> HttpResponse:
    """Published examples beside what this program computes of them; for everyone."""
    context = {"found": verified(), "groups": groups_of(verified())}
    return render(request, "statistics/published.html", context)


@require_safe
def plan_items(request: HttpRequest) -> HttpResponse:
    """How many items a study needs; a form that is sent as an address, so that a plan can be linked to."""
    form = PlanForm(request.GET.dict())
    found = form.answer()
    context = {"form": form} | (_context_of(found) if found else {})
    return render(request, "statistics/items.html", context, status=200 if found else 400)


def _context_of(found: PlanAnswer) -> dict[str, Any]:
    curve = found.curve
    return {
        "found": found,
        "items": [(needed, sentence(found, needed), uncertainty(needed)) for needed in found.items],
        "curve": curve_picture(curve) if curve else None,
        "pictures": f"{reverse('plan_items')}pictures/",
        "lines": list(LINES.values()),
        "rows": rows_of(curve) if curve else [],
    }
