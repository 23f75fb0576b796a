"""The pages of model runs: the list, a new one, its preview, and its progress."""

import json

from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from core.web.form_pages import require_form_of_page_above
from core.web.forms import posted, require_form
from core.web.paging import page_of
from core.web.refusals import refusals_as_messages, refusals_in_form
from projects.access import project_to
from projects.roles import Permission
from raters.access import blindness_of
from raters.model_runs import starting
from raters.model_runs.configuring import is_on, request_digest, request_of
from raters.model_runs.drafting import RunOutdated, draft, draft_again, refuse_changed_configuration
from raters.model_runs.forms import ModelRunForm, ResumeForm
from raters.models import ModelRequest, ModelRun

State = ModelRequest.State
SHOWN = 20


@require_safe
def model_runs(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.IMPORT)
    rows = project.model_runs.select_related("rater", "asked_by", "project").annotate(
        n=Count("requests"), n_done=Count("requests", filter=Q(requests__state=State.DONE))
    )
    rows = rows.order_by("-id")
    context = {"project": project, "page": page_of(request, rows, size=SHOWN), "is_on": is_on()}
    return render(request, "model_runs/list.html", context)


@require_form
def model_run_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose what to send; the preview is the next page."""
    project = project_to(request.user, slug, Permission.IMPORT)
    form = ModelRunForm(posted(request), project=project)
    if form.is_valid():
        with refusals_in_form(form):
            run = draft(
                project,
                form.wanted,
                form.items_wanted,
                round_=form.cleaned_data["round"],
                limits=form.limits,
                by=request.user,  # type: ignore[arg-type]
            )
            return redirect(run)
    context = {"project": project, "form": form, "is_on": is_on()}
    return render(request, "model_runs/new.html", context, status=400 if form.errors else 200)


@require_safe
def model_run(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the exact requests of a draft, or the progress and the failures of a run."""
    run = _found(request, slug, pk)
    if request.GET.get("part") == "progress":
        context = {"run": run, "figures": run.figures, "address": request.path}
        return render(request, "model_runs/_progress.html", context)
    return _draft_page(request, run) if run.is_draft else _run_page(request, run, ResumeForm.of(run))


def _draft_page(request: HttpRequest, run: ModelRun) -> HttpResponse:
    page = page_of(request, run.requests.select_related("item"), size=1)
    shown = page[0]
    body = request_of(run.content, shown.item)
    context = {
        "project": run.project,
        "run": run,
        "figures": run.figures,
        "page": page,
        "request_shown": shown,
        "body": body,
        "messages_shown": json.loads(body)["messages"] if body else [],
        "is_changed": request_digest(body) != shown.digest,
        "why_outdated": _why_outdated(run),
    }
    return render(request, "model_runs/draft.html", context)


def _why_outdated(run: ModelRun) -> str:
    try:
        refuse_changed_configuration(run)
    except RunOutdated as outdated:
        return str(outdated)
    return ""


def _run_page(request: HttpRequest, run: ModelRun, form: ResumeForm, status: int = 200) -> HttpResponse:
    faulty = [State.FAILED, State.UNKNOWN, *([State.SENT] if run.is_final else [])]
    figures = run.figures
    context: dict[str, object] = {
        "project": run.project,
        "run": run,
        "figures": figures,
        "page": page_of(request, run.requests.filter(state__in=faulty).select_related("item")),
        "may_resume": run.is_final and run.rater_id is not None and figures.n_done < figures.n,
        "form": form,
        # Raters who still label see no answers of a model.
        "hides_answers": bool(blindness_of(request.user, run.project).rounds),
    }
    return render(request, "model_runs/run.html", context, status=status)


@require_POST
def model_run_start(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = _found(request, slug, pk)
    with refusals_as_messages(request):
        starting.start(run, by=request.user)
    return redirect(run)


@require_POST
def model_run_review(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Make a new preview with the same choices."""
    run = _found(request, slug, pk)
    with refusals_as_messages(request):
        return redirect(draft_again(run, by=request.user))  # type: ignore[arg-type]
    return redirect(run)


@require_POST
def model_run_cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Cancel a run, or discard a draft."""
    run = _found(request, slug, pk)
    if run.is_draft:
        with refusals_as_messages(request):
            starting.discard(run)
            messages.success(request, "Discarded the preview. Nothing was sent.")
            return redirect("model_runs", slug)
    elif not starting.cancel(run, by=request.user):
        messages.warning(request, "This run has already ended.")
    return redirect(run)


@require_form_of_page_above
def model_run_resume(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = _found(request, slug, pk)
    form = ResumeForm.of(run, request.POST)
    if form.is_valid():
        with refusals_in_form(form):
            starting.resume(
                run,
                by=request.user,
                with_failed=form.cleaned_data["with_failed"],
                with_unknown=form.cleaned_data["with_unknown"],
                limits=form.limits,
            )
            return redirect(run)
    return _run_page(request, run, form, status=400)


def _found(request: HttpRequest, slug: str, pk: int) -> ModelRun:
    project = project_to(request.user, slug, Permission.IMPORT)
    rows = ModelRun.objects.select_related("project", "rater", "round", "asked_by")
    return get_object_or_404(rows, project=project, pk=pk)
