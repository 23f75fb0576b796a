"""The page of a round: its progress, name, deadline, reminders, pause, and taking it back."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from core.web.forms import posted, require_form
from core.web.refusals import refusals_as_messages, refusals_in_form
from projects.access import permissions_in, project_to
from projects.models import Project, Round
from projects.roles import Permission
from projects.webhooks.event_queue import site_of
from raters.access import rounds_to_be_blind_in
from raters.figures.pending_figures import when_stored
from raters.models import Rater
from raters.quality.passing import PassMarkResult, decide, results_of
from raters.reporting import reporting
from raters.rounds import states
from raters.rounds.adaptive import adaptive_progress
from raters.rounds.attempts import Attempt, attempts_at, first_of, give_attempt
from raters.rounds.pausing import pause_round, resume_round
from raters.rounds.reminding import remind
from raters.rounds.resetting import delete_round, set_back
from raters.rounds.round_forms import AttemptForm, PassForm, PauseForm, RoundChangeForm
from raters.rounds.round_plan import RoundPlan
from raters.rounds.stored_progress import round_status_context


@require_form
@when_stored
def round_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the round. POST changes its name, deadline, and reminder, and requires a different right than reading."""
    permission = Permission.EDIT_PROJECT if request.method == "POST" else Permission.SEE_ORIGINS
    project, round_ = _round(request, slug, pk, permission)
    initial = {"key": round_.key, "due_on": round_.due_on, "remind_days": round_.remind_days}
    form = RoundChangeForm(posted(request), initial=initial)
    if form.is_valid():
        with refusals_in_form(form):
            states.change_round(round_, by=request.user, site=site_of(request), **form.cleaned_data)
            messages.success(request, f"{round_.key} saved.")
            return redirect("round", slug, pk)
    return _page(request, project, round_, form)


def _page(request: HttpRequest, project: Project, round_: Round, form: RoundChangeForm) -> HttpResponse:
    # Discard a refused change before showing the rest of the page.
    round_.refresh_from_db()
    shown = round_status_context(round_, by=request.user)
    context = {
        "project": project,
        "round": round_,
        "figures": shown,
        "status": shown.status,
        "missing_answers": shown.missing_answers,
        "chosen": RoundPlan.of_json(round_.plans[0]).chosen if round_.plans else None,
        "changes": []
        if rounds_to_be_blind_in(request.user, project)
        else reporting().changes_in_round(round_),
        "form": form,
        "pause": PauseForm(),
        "has_mail": settings.HAS_MAIL,
        "adaptive": adaptive_progress(round_, by=request.user),
        "results": [] if round_.pass_mark is None or shown.is_hidden else _pass_rows(round_),
        "first": first_of(round_),
        "gates": [each.gate for each in round_.gates.select_related("gate")],
        "may_edit": Permission.EDIT_PROJECT in permissions_in(request.user, project),
    }
    return render(request, "rounds/round.html", context, status=400 if form.errors else 200)


def _pass_rows(round_: Round) -> list[tuple[PassMarkResult, list[Attempt], bool]]:
    """Return each rater's result, their other attempts, and whether they can be given another one."""
    attempts = attempts_at(first_of(round_))
    return [
        (
            result,
            [each for each in attempts.get(result.rater, ()) if each.round.pk != round_.pk],
            all(each.is_failed for each in attempts.get(result.rater, ())),
        )
        for result in results_of(round_)
    ]


def _round(
    request: HttpRequest, slug: str, pk: int, permission: Permission = Permission.EDIT_PROJECT
) -> tuple[Project, Round]:
    project = project_to(request.user, slug, permission)
    return project, get_object_or_404(project.rounds.select_related("paused_by"), pk=pk)


def _round_and_rater(request: HttpRequest, slug: str, pk: int, rater: int) -> tuple[Round, Rater]:
    _, round_ = _round(request, slug, pk)
    raters = Rater.objects.filter(project=round_.project_id, assignments__round=round_).distinct()
    return round_, get_object_or_404(raters, pk=rater)


@require_POST
def round_pause(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    form = PauseForm(request.POST)
    if not form.is_valid():
        messages.warning(request, f"The message is not valid: {form.errors['note'][0]}")
        return redirect("round", slug, pk)
    step = partial(pause_round, note=form.cleaned_data["note"])
    return _step(request, slug, pk, step, "is paused; its raters get no more items from it")


@require_POST
def round_resume(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _step(request, slug, pk, resume_round, "continues; its raters get items again")


@require_POST
def round_set_back(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _step(request, slug, pk, set_back, "is set back to planned; its raters no longer see it")


def _step(request: HttpRequest, slug: str, pk: int, step: Callable[..., Any], words: str) -> HttpResponse:
    _, round_ = _round(request, slug, pk)
    with refusals_as_messages(request):
        step(round_, by=request.user)
        messages.success(request, f"{round_.key} {words}.")
    return redirect("round", slug, pk)


@require_POST
def round_pass(request: HttpRequest, slug: str, pk: int, rater: int) -> HttpResponse:
    """Decide, as a lead, whether a rater has passed."""
    round_, who = _round_and_rater(request, slug, pk, rater)
    form = PassForm(request.POST)
    if not form.is_valid():
        raise Http404("Choose whether the rater has passed.")
    with refusals_as_messages(request):
        decide(round_, who, by=request.user, **form.cleaned_data)
        words = "has passed" if form.cleaned_data["is_passed"] else "has not passed"
        messages.success(request, f"{who} {words} {round_.key}.")
    return redirect("round", slug, pk)


@require_POST
def round_attempt(request: HttpRequest, slug: str, pk: int, rater: int) -> HttpResponse:
    """Give a rater who missed the pass mark another attempt."""
    round_, who = _round_and_rater(request, slug, pk, rater)
    form = AttemptForm(request.POST)
    if not form.is_valid():
        raise Http404("Choose which items to label.")
    with refusals_as_messages(request):
        further = give_attempt(round_, who, items=form.cleaned_data["items"], by=request.user)
        messages.success(request, f"{who} can try again: {further.key} is open.")
    return redirect("round", slug, pk)


@require_POST
def round_remind(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    _, round_ = _round(request, slug, pk)
    with refusals_as_messages(request):
        found = remind(round_, by=request.user, site=site_of(request))
        if found.sent:
            messages.success(request, f"Reminded: {', '.join(found.sent)}.")
        if found.without_address:
            names = ", ".join(found.without_address)
            messages.warning(request, f"Not reminded, because they have no confirmed email address: {names}.")
    return redirect("round", slug, pk)


@require_POST
def round_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    _, round_ = _round(request, slug, pk)
    with refusals_as_messages(request):
        delete_round(round_, by=request.user)
        messages.success(request, f"{round_.key} deleted. Its items are available again.")
        return redirect("rounds", slug)
    return redirect("round", slug, pk)
