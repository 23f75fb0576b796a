"""The pages of imports: upload, preview, confirm, follow."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST

from core.web.errors import Refusal
from core.web.paging import page_of
from projects.access import project_to
from projects.imports.turns import turn_refused
from projects.models import Project
from projects.refusals import ProjectClosed
from projects.roles import Right
from raters.access import refuse_blind_to
from raters.imports import actions, at_once
from raters.imports.forms import LabelsForm, OptionsForm, ReadForm, ReplaceForm
from raters.imports.options import Options
from raters.imports.uploads import limit_upload
from raters.models import LabelImport

require_form = require_http_methods(["GET", "HEAD", "POST"])
Kind = LabelImport.Kind
LISTED = 100
SHOWN = 20


@csrf_exempt
@require_form
def imports(request: HttpRequest, slug: str) -> HttpResponse:
    """The rights come first, then the limit of the file, and only then is the body read, token and all."""
    project = project_to(request.user, slug, Right.IMPORT)
    if request.method == "POST":
        limit_upload(request)
    try:
        with turn_refused():
            return _imports(request, project)
    except Refusal as refusal:
        return _imports_page(request, project, refusal=str(refusal.detail), status=refusal.status_code)


@csrf_protect
def _imports(request: HttpRequest, project: Project) -> HttpResponse:
    if request.method != "POST":
        return _imports_page(request, project)
    upload = UPLOADS.get(request.POST.get("what", ""), _upload_labels)
    try:
        return upload(request, project)
    except ProjectClosed as refusal:
        return _imports_page(request, project, refusal=str(refusal), status=409)


def _upload_labels(request: HttpRequest, project: Project) -> HttpResponse:
    refuse_blind_to(request.user, project, None, about="import of labels")
    form = LabelsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _imports_page(request, project, labels=form, status=400)
    name = form.cleaned_data["file"].name
    try:
        draft = actions.upload(project, name, form.source(), form.options, by=request.user)  # type: ignore[arg-type]
    except actions.FileKnown as known:
        messages.warning(request, str(known))
        return redirect(known.first)
    return redirect(draft)


def _upload_others(request: HttpRequest, project: Project, kind: Kind) -> HttpResponse:
    """Items or questions."""
    form = ReplaceForm(request.POST, request.FILES, prefix=kind)
    if not form.is_valid():
        forms: dict[str, Any] = {kind.value: form}
        return _imports_page(request, project, status=400, **forms)
    name = form.cleaned_data["file"].name
    return redirect(
        at_once.upload(project, kind, name, form.source(), form.options, by=request.user)  # type: ignore[arg-type]
    )


UPLOADS: dict[str, Callable[[HttpRequest, Project], HttpResponse]] = {
    Kind.LABELS: _upload_labels,
    Kind.ITEMS: partial(_upload_others, kind=Kind.ITEMS),
    Kind.QUESTIONS: partial(_upload_others, kind=Kind.QUESTIONS),
}


def _imports_page(
    request: HttpRequest,
    project: Project,
    *,
    refusal: str = "",
    status: int = 200,
    **forms: Any,
) -> HttpResponse:
    rows = project.imports.select_related("asked_by", "project").order_by("-id")
    context = {
        "project": project,
        "page": page_of(request, rows, size=SHOWN),
        "labels": forms.get("labels") or LabelsForm(),
        "items": forms.get("items") or ReplaceForm(prefix="items"),
        "questions": forms.get("questions") or ReplaceForm(prefix="questions"),
        "refusal": refusal,
    }
    return render(request, "imports/list.html", context, status=status)


@require_form
def label_import(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A draft's preview, which a POST checks again with other options; else how far the import is."""
    project = project_to(request.user, slug, Right.IMPORT)
    run = get_object_or_404(LabelImport.objects.select_related("project", "asked_by"), project=project, pk=pk)
    if request.GET.get("part") == "progress":
        return render(request, "runs/_progress.html", {"run": run, "address": request.path})
    if run.state != LabelImport.State.DRAFT:
        return render(request, "imports/run.html", {"project": project, "run": run, **_faults_of(run)})
    form = _form_of(run, request.POST or None)
    if form.is_valid():
        with told_refusal(request):
            _check_again(run, form.cleaned_data["options"])
        return redirect(run)
    template, preview = _preview_of(run)
    context = {
        "project": project,
        "run": run,
        "form": form,
        "thing": run.kind.removesuffix("s"),
        "seen": actions.digest_of_check(run),
        "may_confirm": not run.n_faults and not project.is_closed,
        **preview,
        **_faults_of(run),
    }
    return render(request, template, context, status=400 if form.errors else 200)


def _preview_of(run: LabelImport) -> tuple[str, dict[str, Any]]:
    """The template of a draft, and what it alone shows."""
    if run.kind != Kind.LABELS:
        return "imports/draft_at_once.html", {"staged": run.preview}
    new = run.preview["new"]
    return "imports/draft.html", {
        "staged": run.preview["staged"],
        "new": [
            (name if names["n"] == 1 else WORDS[name], names) for name, names in new.items() if names["n"]
        ],
        "has_new_categories": new.get("category", {}).get("n", 0) > 0,
    }


def _check_again(run: LabelImport, options: Any) -> None:
    check: Callable[[LabelImport, Any], None] = (
        actions.check_import if run.kind == Kind.LABELS else at_once.check
    )
    with transaction.atomic():
        drafts = LabelImport.objects.select_for_update(of=("self",))
        check(get_object_or_404(drafts, pk=run.pk, state=LabelImport.State.DRAFT), options)


@contextmanager
def told_refusal(request: HttpRequest) -> Iterator[None]:
    """The sentence of a refusal, for the page that is shown next."""
    try:
        with turn_refused():
            yield
    except Refusal as refusal:
        messages.error(request, str(refusal.detail))
    except (ProjectClosed, actions.NotConfirmable) as refusal:
        messages.error(request, str(refusal))


WORDS = {
    "item": "items",
    "rater": "raters",
    "question": "questions",
    "batch": "batches",
    "category": "categories",
}


def _faults_of(run: LabelImport) -> dict[str, Any]:
    return {"faults": run.faults[:LISTED], "n_faults": run.n_faults}


def _form_of(run: LabelImport, data: Any) -> OptionsForm | ReadForm:
    if run.kind != Kind.LABELS:
        return ReadForm(data, initial=run.options)
    staged = run.preview["staged"]
    return OptionsForm(
        data, options=Options.from_json(run.options), columns=staged["columns"], places=staged["places"]
    )


@require_POST
def confirm_import(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Right.IMPORT)
    run = get_object_or_404(LabelImport.objects.select_related("project"), project=project, pk=pk)
    confirm = actions.confirm_import if run.kind == Kind.LABELS else at_once.confirm
    try:
        with told_refusal(request):
            confirm(run, by=request.user, seen=request.POST.get("seen", ""))  # type: ignore[arg-type]
    except actions.FileKnown as known:
        messages.warning(request, str(known))
        return redirect(known.first)
    return redirect(run)


@require_POST
def cancel_import(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Right.IMPORT)
    run = get_object_or_404(LabelImport.objects.select_related("project"), project=project, pk=pk)
    with told_refusal(request):
        if actions.give_up(run):
            messages.success(request, f"Canceled the import of {run.file_name}. Nothing was changed.")
            return redirect("imports", slug)
        messages.warning(request, "This import has already finished.")
    return redirect(run)
