"""The page for exporting labels, final labels, and items, and the file downloads."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from projects.access import project_to
from projects.models import Project
from projects.roles import Permission
from raters.access import LabelsHidden, log_label_access
from raters.figures.pending_figures import when_stored
from raters.writing.contents import ExportContents
from raters.writing.downloading import ABOUT, file_of, refuse_while_labeling
from raters.writing.forms import ExportForm
from raters.writing.records import WHAT_TITLES, ExportKind
from raters.writing.stored_contents import export_contents_context
from raters.writing.target import CannotWrite, Loss, Target
from raters.writing.targets import TARGETS

COUNTED = {ExportKind.LABELS: "labels", ExportKind.FINAL: "final labels", ExportKind.ITEMS: "items"}


@dataclass(frozen=True, slots=True)
class TargetCard:
    """A format as offered on the page. refusal: why it cannot be chosen, "" if it can."""

    target: Target
    is_chosen: bool
    refusal: str
    losses: list[Loss]


@require_safe
@when_stored
def export_labels(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    form = _form(project, request.GET)
    scope = form.scope
    refusal, contents, found = "", None, None
    try:
        refuse_while_labeling(request.user, scope)
    except LabelsHidden as blind:
        refusal = str(blind)
    else:
        found = export_contents_context(scope, by=request.user)
        contents = found.contents
        if scope.what in ABOUT:
            log_label_access(request.user, project, f"export of {ABOUT[scope.what]}")
    chosen = form.cleaned_data
    context = {
        "project": project,
        "form": form,
        "scope": scope,
        "kinds": [(str(what), title, what is scope.what) for what, title in WHAT_TITLES.items()],
        "questions": [(each, each in chosen["question"]) for each in form.questions],
        "rounds": [(each, each in chosen["round"]) for each in form.rounds],
        "refusal": refusal,
        "contents": contents,
        "figures": found,
        "counted": COUNTED[scope.what],
        "cards": _cards(contents, form.target) if contents else [],
    }
    return render(request, "labels/export.html", context)


@require_safe
def labels_file(request: HttpRequest, slug: str) -> HttpResponseBase:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    form = _form(project, request.GET)
    try:
        return file_of(request.user, form.scope, form.target)
    except CannotWrite as refused:
        messages.error(request, str(refused))
        return redirect(f"{reverse('export_labels', args=[slug])}?{request.GET.urlencode()}")


def _form(project: Project, query: QueryDict) -> ExportForm:
    form = ExportForm(project, query)
    if not form.is_valid():
        raise Http404("There is no such question, round, or format.")
    return form


def _cards(contents: ExportContents, chosen: Target) -> list[TargetCard]:
    fitting = [target for target in TARGETS if contents.scope.what in target.holds]
    refusals = {target.key: target.refusal(contents) for target in fitting}
    possible = [target for target in fitting if not refusals[target.key]]
    checked = chosen if chosen in possible else next(iter(possible), None)
    return [
        TargetCard(target, target is checked, refusals[target.key], target.losses(contents))
        for target in fitting
    ]
