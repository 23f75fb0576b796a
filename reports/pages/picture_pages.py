"""Downloads of the pictures of a report."""

from collections.abc import Callable, Collection

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from projects.access import project_to
from projects.events import record
from projects.models import Event
from projects.roles import Permission
from reports.drawing.picture import Picture
from reports.drawing.typeset import TypesettingFailed
from reports.drawing.vega import DrawingFailed
from reports.models import PairAgreement, Report
from reports.pages import drawings
from reports.pages.comparing.on_demand_pages import address_of
from reports.pages.loaders import compared, computed_result_of, pair_of
from reports.pictures.picture_files import MADE, saved
from reports.plans.form import PlanForm
from reports.store.on_demand import OnDemandNotReady
from reports.store.stored_result import StoredResult

NO_PICTURE = "There is no such figure."


OF_QUESTION: dict[str, Callable[[HttpRequest, StoredResult], Picture | None]] = {
    "forest": drawings.forest,
    "distribution": drawings.distribution,
    "network": drawings.network,
    "time": drawings.time,
    "calibration": drawings.calibration,
    "winning": drawings.winning,
    "risk": drawings.risk,
}
OF_EVERY_KIND = frozenset({"time", "calibration", "winning", "risk"})
OF_PAIR: dict[str, Callable[[HttpRequest, PairAgreement], Picture | None]] = {
    "prevalence": drawings.prevalence,
    "differences": drawings.differences,
}


@require_safe
def picture(request: HttpRequest, slug: str, pk: int, question: int, file: str) -> HttpResponse:
    """Return an overall picture, as shown on the page with the same query string."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    name, extension = parts_of(file, OF_QUESTION)
    result = computed_result_of(project, pk, question)
    result = result if name in OF_EVERY_KIND else compared(result)
    try:
        drawing = OF_QUESTION[name](request, result)
    except OnDemandNotReady as not_yet:
        # That page shows the progress.
        return redirect(address_of(not_yet.figures))
    answer = picture_response(request, result.report, drawing, f"{result.question.key}-{name}", extension)
    return answer or redirect("report_question", slug, pk, question)


@require_safe
def pair_picture(
    request: HttpRequest, slug: str, pk: int, question: int, a: int, b: int, file: str
) -> HttpResponse:
    """Return a picture of two raters."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    name, extension = parts_of(file, OF_PAIR)
    _, pair = pair_of(project, pk, question, a, b)
    drawing = OF_PAIR[name](request, pair)
    words = f"{pair.agreement.question.key}-{pair.rater_a}-{pair.rater_b}-{name}"
    answer = picture_response(request, pair.agreement.report, drawing, words, extension)
    return answer or redirect("pair", slug, pk, question, a, b)


@require_safe
def plan_picture(request: HttpRequest, file: str) -> HttpResponse:
    """Return the curve of a plan, which belongs to no project."""
    _, extension = parts_of(file, {"prevalence": None})
    found = PlanForm.of_page(request.GET.dict()).answer()
    if found is None or found.curve is None:
        raise Http404(NO_PICTURE)
    try:
        return saved(drawings.plan_curve(found.curve), "prevalence", extension)
    except (DrawingFailed, TypesettingFailed):
        messages.error(request, NOT_MADE)
        return redirect("plan_items")


def parts_of(file: str, names: Collection[str]) -> tuple[str, str]:
    """Return "forest" and "svg" for "forest.svg". Raises Http404 for an unknown name or extension."""
    name, _, extension = file.rpartition(".")
    if name not in names or extension not in MADE:
        raise Http404(NO_PICTURE)
    return name, extension


NOT_MADE = "Drawing this figure took too much time or memory. The table has the same data."


def picture_response(
    request: HttpRequest, report: Report, drawing: Picture | None, name: str, extension: str
) -> HttpResponse | None:
    """Return the file, or None, with a message, if it could not be drawn."""
    if drawing is None:
        raise Http404(NO_PICTURE)
    try:
        answer = saved(drawing, f"{report.project.slug}-report-{report.pk}-{name}", extension)
    except (DrawingFailed, TypesettingFailed):
        messages.error(request, NOT_MADE)
        return None
    record(
        Event.Kind.EXPORTED,
        by=request.user,
        project=report.project,
        about=f"{name}.{extension}",
        report=report.pk,
    )
    return answer
