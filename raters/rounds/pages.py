"""Pages for leads to plan, preview, open, close, and reveal the rounds of a project."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from core.numbers import whole_number
from core.web.forms import posted, require_form
from core.web.refusals import refusals_as_messages, refusals_in_form
from projects.access import permissions_in, project_to
from projects.models import Project, Round
from projects.roles import Permission
from raters.access import refuse_hidden_assignments
from raters.figures.pending_figures import when_stored
from raters.figures.stored_figures import NOW, FigureFreshness, FiguresNotComputed
from raters.rounds import states
from raters.rounds.assigning.assignment_design import AssignmentDesign
from raters.rounds.forms import MAX_SEED, RatersField, RoundForm, RoundSettingsForm, who_may_label
from raters.rounds.plan_storage import plan_rounds, preview, preview_replan, replan, when_found
from raters.rounds.planning import PlanChanged
from raters.rounds.precision import Precision, PrecisionPlan, coverage_table, precision_plan
from raters.rounds.revealed import effect_of_revealing
from raters.rounds.round_plan import draw_seed
from raters.rounds.stored_progress import round_list_context


class PrecisionForm(forms.Form):
    kappa = forms.FloatField(label="Expected κ", min_value=-0.99, max_value=0.99, initial=0.7)
    prevalence = forms.FloatField(
        label="Prevalence of the more common of two categories (%)", min_value=1, max_value=99, initial=50
    )


class PlanningForm(RoundForm, PrecisionForm):
    pass


@require_safe
@when_stored
def rounds(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_ORIGINS)
    found = round_list_context(project, by=request.user)
    may_edit = Permission.EDIT_PROJECT in permissions_in(request.user, project)
    context = {"project": project, "rounds": found.rounds, "figures": found, "may_edit": may_edit}
    return render(request, "rounds/list.html", context)


@require_form
def new_round(request: HttpRequest, slug: str) -> HttpResponse:
    """Plan a round. Without `assign`, only show the plan; of a closed project or an audit, only say so."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    if project.is_closed or project.is_audit:
        status = 409 if request.method == "POST" else 200
        return render(request, "rounds/new.html", {"project": project}, status=status)
    form = PlanningForm(posted(request), project=project, initial=_initial_values(request, project))
    if not form.is_valid():
        return _planning_page(request, project, form)
    users = list(form.cleaned_data["raters"])
    shown: list[PrecisionPlan] = []
    counted, is_changed = NOW, False
    with refusals_in_form(form), _refusals_in_form(form):
        counted = when_found(project, form.plans, by=request.user)
        if "assign" in request.POST:
            if _is_assigned(request, project, form, users):
                messages.success(request, "Round planned. Open it when raters can start.")
                return redirect("rounds", slug)
            is_changed = True
        planned, precision = preview(project, form.plans, users, by=request.user), _precision(form)
        names = [name for name, _ in form.named_plans]
        shown = [
            precision_plan(name, one, users, precision) for name, one in zip(names, planned, strict=True)
        ]
    return _planning_page(request, project, form, plans=shown, counted=counted, is_changed=is_changed)


@contextmanager
def _refusals_in_form(form: forms.Form) -> Iterator[None]:
    """Keep what was entered while the items in dispute of a large project are found for the first time."""
    try:
        yield
    except FiguresNotComputed as waiting:
        failed = f" The last attempt failed: {waiting.run.failure}" if waiting.run.failure else ""
        form.add_error(
            None,
            "The items in dispute are being found, which takes a while the first time. Nothing was planned. Try again "
            f"in a minute.{failed}",
        )


def _initial_values(request: HttpRequest, project: Project) -> dict[str, Any]:
    """Return initial values from the query string: the items of a list or round, possibly to be labeled again."""
    found: dict[str, Any] = {
        name: request.GET[name] for name in ("source", "item_list", "of_round") if name in request.GET
    }
    if "again" in request.GET:
        found |= {"again": True, "design": AssignmentDesign.SAME}
        before = whole_number(found.get("of_round", ""))
        found["raters"] = who_may_label(project).filter(raters__assignments__round=before).distinct()
    return found


# What is pressed after a plan has changed, so that one which changes all the time can be assigned.
WHATEVER = "whatever"


def _is_assigned(request: HttpRequest, project: Project, form: PlanningForm, users: Sequence[Any]) -> bool:
    """Assign what was shown. If that has changed, nothing is assigned, and the page shows the plan as it is now."""
    # A page without a preview sends no digests.
    digests = [] if request.POST["assign"] == WHATEVER else request.POST.getlist("digest")
    try:
        plan_rounds(
            project,
            form.named_plans,
            users,
            by=request.user,
            idle_minutes=form.cleaned_data["idle_minutes"],
            reference_use=form.cleaned_data["reference_use"],
            digests=digests,
        )
    except PlanChanged as changed:
        form.add_error(None, str(changed))
        return False
    return True


def _planning_page(
    request: HttpRequest,
    project: Project,
    form: PlanningForm,
    *,
    plans: Sequence[PrecisionPlan] = (),
    counted: FigureFreshness = NOW,
    is_changed: bool = False,
) -> HttpResponse:
    context = {"project": project, "form": form, "plans": plans, "counted": counted, "is_changed": is_changed}
    return render(request, "rounds/new.html", context, status=400 if form.errors else 200)


def _precision(form: forms.Form) -> Precision:
    return Precision.of(kappa=form.cleaned_data["kappa"], share=form.cleaned_data["prevalence"] / 100)


class ReassignForm(PrecisionForm):
    raters = RatersField(queryset=None, help_text="The raters of this round from now on.")
    seed = forms.IntegerField(
        min_value=0,
        max_value=MAX_SEED,
        initial=draw_seed,
        help_text="Drawn at random. The same seed gives the same assignment.",
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["raters"].queryset = who_may_label(project)  # type: ignore[attr-defined]


@require_form
def round_reassign(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change the raters and redistribute pending assignments. Without `assign`, only show the result."""
    project, round_ = _round(request, slug, pk)
    refuse_hidden_assignments(request.user, round_)
    present = who_may_label(project).filter(raters__assignments__round=round_).distinct()
    form = ReassignForm(posted(request), project=project, initial={"raters": present})
    shown = None
    if form.is_valid():
        users, seed = list(form.cleaned_data["raters"]), form.cleaned_data["seed"]
        with refusals_in_form(form):
            if "assign" in request.POST:
                replan(round_, users, by=request.user, seed=seed)
                messages.success(request, "Pending assignments reassigned. Completed ones are unchanged.")
                return redirect("rounds", slug)
            shown = coverage_table(
                preview_replan(round_, users, by=request.user, seed=seed), _precision(form)
            )
    context = {"project": project, "round": round_, "form": form, "shown": shown}
    return render(request, "rounds/change_raters.html", context, status=400 if form.errors else 200)


@require_form
def round_settings(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change the settings of a round that is not closed."""
    project, round_ = _round(request, slug, pk)
    form = RoundSettingsForm(posted(request), round_=round_)
    if form.is_valid():
        with refusals_in_form(form):
            states.change_round(round_, by=request.user, **form.cleaned_data)
            messages.success(request, f"{round_.key} saved.")
            return redirect("round", slug, pk)
    context = {"project": project, "round": round_, "form": form}
    return render(request, "rounds/settings.html", context, status=400 if form.errors else 200)


def _round(request: HttpRequest, slug: str, pk: int) -> tuple[Project, Round]:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    return project, get_object_or_404(project.rounds, pk=pk)


@require_POST
def round_open(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _step(request, slug, pk, states.open_round, "is open; its raters can start labeling")


@require_POST
def round_close(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _step(request, slug, pk, states.close_round, "is closed; its labels can no longer be changed")


@require_form
def round_reveal(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the effect of revealing the round; on POST, reveal it."""
    if request.method == "POST":
        return _step(
            request, slug, pk, states.reveal_round, "is revealed; its raters can see each other’s labels"
        )
    project, round_ = _round(request, slug, pk)
    context = {"project": project, "round": round_, "effect": effect_of_revealing(round_)}
    return render(request, "rounds/reveal.html", context)


def _step(request: HttpRequest, slug: str, pk: int, step: Callable[..., None], words: str) -> HttpResponse:
    _, round_ = _round(request, slug, pk)
    with refusals_as_messages(request):
        step(round_, by=request.user)
        messages.success(request, f"{round_.key} {words}.")
    return redirect("rounds", slug)
