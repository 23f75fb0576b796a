"""Pages about the statistics themselves, without figures of any project."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from reports.agreement.planning.items_needed import ItemsNeeded
from reports.drawing.picture import Picture
from reports.pages.contexts import PageSection, context_of
from reports.pictures.prevalence_plot import curve_picture
from reports.plans.answer import PlanAnswer
from reports.plans.form import PlanForm
from reports.plans.human_labels import HumanLabelsForm
from reports.plans.presentation import LINES, Row, rows_of, sentence, uncertainty
from reports.published.checking import verified
from reports.published.published_rows import groups_of


@login_not_required
@require_safe
def published(request: HttpRequest) -> HttpResponse:
    """Show published examples with the results of this program, for everyone."""
    context = {"found": verified(), "groups": groups_of(verified())}
    return render(request, "statistics/published.html", context)


@require_safe
def plan_items(request: HttpRequest) -> HttpResponse:
    """Show how many items a study needs; a form sent by GET, so that plans have URLs."""
    form = PlanForm.of_page(request.GET.dict())
    found = form.answer()
    of_people = HumanLabelsForm(request.GET.dict())
    people = of_people.answer()
    context = {"form": form, "of_people": of_people, "people": people}
    context |= context_of(_plan_of(found)) if found else {}
    return render(request, "statistics/items.html", context, status=200 if found and people else 400)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSection(PageSection):
    """items: each answer with a sentence and its uncertainty. lines, rows: of the curve."""

    found: PlanAnswer
    items: Sequence[tuple[ItemsNeeded, str, str]]
    curve: Picture | None
    pictures: str
    lines: Sequence[str]
    rows: Sequence[Row]


def _plan_of(found: PlanAnswer) -> PlanSection:
    curve = found.curve
    return PlanSection(
        found=found,
        items=[(needed, sentence(found, needed), uncertainty(needed)) for needed in found.items],
        curve=curve_picture(curve) if curve else None,
        pictures=f"{reverse('plan_items')}pictures/",
        lines=list(LINES.values()),
        rows=rows_of(curve) if curve else [],
    )
