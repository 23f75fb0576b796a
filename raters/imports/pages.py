"""Pages to upload, preview, confirm, and follow imports."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST

from core.refusals import Refused, RefusedWithCode
from core.runs.ledger import QueueFull
from core.tables.encoding import AUTO
from core.web.forms import require_form
from core.web.paging import page_of
from projects.access import permissions_in, project_to
from projects.imports.import_lock import lock_timeout_refusals
from projects.imports.protocol import ImportContext, ReadingOptions
from projects.models import Project
from projects.refusals import ProjectClosed
from projects.roles import Permission
from raters.imports import actions, undoing
from raters.imports.file_kinds import refuse_while_labeling
from raters.imports.forms import UploadForm
from raters.imports.import_refusals import FileKnown
from raters.imports.kind_pages import PAGES
from raters.imports.label_file import LabelFile
from raters.imports.label_options import LabelOptions
from raters.imports.undoing import MOST_AT_ONCE, check_undo
from raters.imports.uploads import limit_upload, stored
from raters.models import ImportedRange, Label, LabelImport
from raters.reading.number_notation import UNCLEAR
from raters.reporting import EffectOnQuestion
from raters.spans import span_of_import, span_of_undoing

Kind = LabelImport.Kind
CHANGED = "You changed how the file is read. Check the preview, then import."
LISTED = 100
# Problems that overwriting what is stored would solve.
CONFLICTS = {"item_exists", "question_exists", "conflicts_with_label"}
SHOWN = 20


@csrf_exempt
@require_form
def imports(request: HttpRequest, slug: str) -> HttpResponse:
    """List imports, or upload a file. Checks rights and the size limit before reading the body with its CSRF token."""
    project = _project(request, slug)
    if request.method == "POST":
        limit_upload(request)
    try:
        with lock_timeout_refusals():
            return _imports(request, project)
    except RefusedWithCode as refusal:
        return _imports_page(request, project, refusal=str(refusal), status=refusal.status_code)


def _project(request: HttpRequest, slug: str) -> Project:
    """Return the project. Reading requires a different right than importing."""
    return project_to(
        request.user, slug, Permission.IMPORT if request.method == "POST" else Permission.SEE_ORIGINS
    )


def _may_import(request: HttpRequest, project: Project) -> bool:
    return Permission.IMPORT in permissions_in(request.user, project)


@csrf_protect
def _imports(request: HttpRequest, project: Project) -> HttpResponse:
    if request.method != "POST":
        return _imports_page(request, project)
    try:
        return _upload(request, project)
    except ProjectClosed as refused:
        return _imports_page(request, project, refusal=str(refused), status=refused.status_code)


def _upload(request: HttpRequest, project: Project) -> HttpResponse:
    if request.POST.get("what") == Kind.LABELS:
        refuse_while_labeling(request.user, project, Kind.LABELS)
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _imports_page(request, project, form=form, status=400)
    name, source = form.cleaned_data["file"].name, form.cleaned_data["file"].chunks
    file = LabelFile(
        project, source, LabelOptions(encoding=form.cleaned_data["encoding"]), ImportContext(name=name)
    )
    kind, earlier = form.cleaned_data["what"], None
    if kind in ("", Kind.LABELS):
        glance = file.glance(has_labels=kind == Kind.LABELS)
        kind, earlier = kind or glance.holds, glance.earlier
    refuse_while_labeling(request.user, project, kind)
    is_of_labels = kind == Kind.LABELS
    options = (
        file.options if is_of_labels else PAGES[kind].first_options(file.options.encoding, file.options.sheet)
    )
    try:
        draft = actions.upload(project, name, source(), options, by=request.user, kind=kind)  # type: ignore[arg-type]
    except FileKnown as known:
        messages.warning(request, str(known))
        return redirect(known.first)
    if earlier:
        messages.info(
            request,
            f"Columns and values are read as in {earlier.file_name}, which has the same columns. "
            "Check them before you import.",
        )
    return redirect(draft)


def _imports_page(
    request: HttpRequest,
    project: Project,
    *,
    form: UploadForm | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    may_import = _may_import(request, project)
    rows = project.imports.select_related("asked_by", "project").order_by("-id")
    if not may_import:
        rows = rows.exclude(state=LabelImport.State.DRAFT)
    context = {
        "project": project,
        "may_import": may_import,
        "page": page_of(request, rows, size=SHOWN),
        "form": form or UploadForm(),
        "refusal": refusal,
    }
    return render(request, "imports/list.html", context, status=status)


@require_form
def label_import(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the preview of a draft, which POST checks again with other options, or the progress of an import."""
    project = _project(request, slug)
    run = get_object_or_404(LabelImport.objects.select_related("project", "asked_by"), project=project, pk=pk)
    may_import = _may_import(request, project)
    if run.state == LabelImport.State.DRAFT and not may_import:
        raise Http404("No such import.")
    if request.GET.get("part") == "progress":
        return render(request, "runs/_progress.html", {"run": run, "address": request.path})
    if run.state != LabelImport.State.DRAFT:
        context = {
            "project": project,
            "run": run,
            "may_import": may_import,
            "next": _ANOTHER_IMPORT if run.undone_at else _next_step(project),
            "effects": _effects_of(run),
            "is_unknown": _is_unknown(run),
            "drafts": _drafts_of_same_file(run) if may_import else [],
            "undone_effects": _effects_of_undoing(run),
            **_faults_of(run),
        }
        return render(request, "imports/run.html", context)
    if sheet := request.POST.get("separately"):
        return redirect(_draft_of_sheet(request, run, sheet))
    if recheck_as_other_kind(request, run):
        return redirect(run)
    page = PAGES[run.kind]
    form = page.options_form(run, request.POST or None)
    if form.is_valid():
        with refusal_as_message(request):
            _check_again(run, form.cleaned_data["options"])
        return redirect(run)
    context = {
        "project": project,
        "run": run,
        "form": form,
        "thing": run.kind.removesuffix("s"),
        "kinds": [(value, title, value == run.kind) for value, title in Kind.choices],
        "seen": actions.digest_of_check(run),
        "may_confirm": not run.n_faults and not project.is_closed,
        "has_conflicts": any(fault["code"] in CONFLICTS for fault in run.faults),
        **page.context(run),
        **_faults_of(run),
    }
    return render(request, page.template, context, status=400 if form.errors else 200)


def _draft_of_sheet(request: HttpRequest, run: LabelImport, sheet: str) -> LabelImport:
    """Return a draft of another sheet of the same file, which need not be uploaded again."""
    if earlier := _drafts_of_same_file(run).filter(options__sheet=sheet).first():
        return earlier
    options = LabelOptions(encoding=run.options["encoding"], sheet=sheet)
    file = LabelFile(run.project, stored(run), options, ImportContext(name=run.file_name))
    kind = file.glance().holds
    refuse_while_labeling(request.user, run.project, kind)
    is_of_labels = kind == Kind.LABELS
    found = file.options if is_of_labels else PAGES[kind].first_options(options.encoding, sheet)
    return actions.draft_from_file_of(run, found, by=request.user, kind=kind)  # type: ignore[arg-type]


def _drafts_of_same_file(run: LabelImport) -> QuerySet[LabelImport]:
    same = run.project.imports.filter(sha256=run.sha256, state=LabelImport.State.DRAFT)
    return same.exclude(pk=run.pk).order_by("pk")


def _effects_of(run: LabelImport) -> list[EffectOnQuestion]:
    """Return the effect of a finished import on agreement, by question."""
    is_done = run.kind == Kind.LABELS and run.state == LabelImport.State.DONE
    span = span_of_import(run) if is_done else None
    return span.effects if span else []


def _is_unknown(run: LabelImport) -> bool:
    """Return whether the import changed labels in an earlier release that did not record which."""
    has_changed = (
        run.kind == Kind.LABELS and run.state == LabelImport.State.DONE and run.n_created + run.n_changed
    )
    return bool(has_changed) and not run.ranges.filter(kind=ImportedRange.Kind.REVISION).exists()


def _effects_of_undoing(run: LabelImport) -> list[EffectOnQuestion]:
    span = span_of_undoing(run) if run.kind == Kind.LABELS and run.undone_at else None
    return span.effects if span else []


_ANOTHER_IMPORT = ("imports", "Import another file")


def _next_step(project: Project) -> tuple[str, str]:
    """Return the next step after an import: the name of a page, and the label of its button."""
    if project.raters.filter(Exists(Label.objects.filter(rater=OuterRef("pk"))))[:2].count() > 1:
        return "agreement", "View agreement"
    if project.items.exists() and not project.questions.exists():
        return "codebook", "Set up the questions"
    if project.items.exists():
        return "round_new", "Plan a round"
    return _ANOTHER_IMPORT


def _check_again(run: LabelImport, options: Any, *, kind: str = "") -> None:
    """Check a draft again. kind: the kind of the file, if it differs from the one assumed."""
    with transaction.atomic():
        drafts = LabelImport.objects.select_for_update(of=("self",))
        draft = get_object_or_404(drafts, pk=run.pk, state=LabelImport.State.DRAFT)
        draft.kind = kind or draft.kind
        actions.check(draft, options)


def recheck_as_other_kind(request: HttpRequest, run: LabelImport) -> bool:
    """Check a draft's file again as another kind chosen by the user. Returns False if the kind is unchanged."""
    kind = request.POST.get("holds") or request.POST.get("what", run.kind)
    if kind == run.kind or kind not in Kind.values:
        return False
    refuse_while_labeling(request.user, run.project, kind)
    sheet = run.options.get("sheet", AUTO)
    options: ReadingOptions = PAGES[kind].first_options(run.options["encoding"], sheet)
    if isinstance(options, LabelOptions):
        file = LabelFile(run.project, stored(run), options, ImportContext(name=run.file_name))
        file.glance(has_labels=True)
        options = file.options
    with refusal_as_message(request):
        _check_again(run, options, kind=kind)
    return True


@contextmanager
def refusal_as_message(request: HttpRequest) -> Iterator[None]:
    """Show a refusal as a message on the next page."""
    try:
        with lock_timeout_refusals():
            yield
    except (QueueFull, FileKnown):
        raise
    except Refused as refused:
        messages.error(request, str(refused))


def _faults_of(run: LabelImport) -> dict[str, object]:
    """Return the problems for the table of them: the page asks about unclear numbers elsewhere."""
    is_asked = run.state == LabelImport.State.DRAFT
    faults = [fault for fault in run.faults if not (is_asked and fault["code"] == UNCLEAR)]
    return {"faults": faults[:LISTED], "n_faults": run.n_faults - (len(run.faults) - len(faults))}


@require_POST
def confirm_import(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.IMPORT)
    run = get_object_or_404(LabelImport.objects.select_related("project"), project=project, pk=pk)
    if run.state == LabelImport.State.DRAFT and recheck_as_other_kind(request, run):
        messages.warning(request, CHANGED)
        return redirect(run)
    if run.state == LabelImport.State.DRAFT and "encoding" in request.POST:
        form = PAGES[run.kind].options_form(run, request.POST)
        if not form.is_valid() or form.cleaned_data["options"].as_json() != run.options:
            messages.warning(request, CHANGED)
            if form.is_valid():
                _check_again(run, form.cleaned_data["options"])
            return redirect(run)
    try:
        with refusal_as_message(request):
            actions.confirm(run, by=request.user, seen=request.POST.get("seen", ""))  # type: ignore[arg-type]
    except FileKnown as known:
        messages.warning(request, str(known))
        return redirect(known.first)
    return redirect(run)


@require_form
def undo_import(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show what undoing an import would do; on POST, undo it."""
    project = project_to(request.user, slug, Permission.IMPORT)
    run = get_object_or_404(LabelImport.objects.select_related("project"), project=project, pk=pk)
    with refusal_as_message(request):
        if request.method != "POST":
            context = {
                "project": project,
                "run": run,
                "undoing": check_undo(run),
                "effects": _effects_of(run),
            }
            return render(request, "imports/undo.html", context)
        done = undoing.undo_import(run, by=request.user, most=MOST_AT_ONCE)
        labels = f"{done.n_withdrawn + done.n_restored:,} label{'' if done.n_withdrawn + done.n_restored == 1 else 's'}"
        messages.success(request, f"Undid the import of {run.file_name}: {labels}.")
    return redirect(run)


@require_form
def cancel_import(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Ask whether to cancel the import; on POST, cancel it."""
    project = project_to(request.user, slug, Permission.IMPORT)
    run = get_object_or_404(LabelImport.objects.select_related("project"), project=project, pk=pk)
    if request.method != "POST" and not run.is_final:
        return render(request, "imports/cancel.html", {"project": project, "run": run})
    with refusal_as_message(request):
        if request.method == "POST" and actions.give_up(run, by=request.user):  # type: ignore[arg-type]
            messages.success(request, f"Canceled the import of {run.file_name}. Nothing was changed.")
            return redirect("imports", slug)
        messages.warning(request, "This import has already finished.")
    return redirect(run)
