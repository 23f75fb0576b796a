"""Rounds of a project for its lead: planned, looked at before anything is assigned, opened, closed, revealed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from projects.access import project_to
from projects.actions import KeyTaken, ProjectClosed
from projects.models import Batch, Project
from projects.roles import Right
from projects.views import posted, require_form
from raters.assigning.wanted import DesignRefused
from raters.rounds import states
from raters.rounds.forms import RatersField, RoundForm, who_may_label
from raters.rounds.planning import Planned
from raters.rounds.writing import plan_again, plan_round, preview
from reports.agreement.planning.checked import critical_z
from reports.agreement.planning.margins import Margins
from reports.agreement.weights import Weights, weighting

# A matrix of more raters than this is shown in figures alone.
MAX_SHOWN = 40
CONFIDENCE = 0.95


class PlanningForm(RoundForm):
    kappa = forms.FloatField(label="Expected κ", min_value=-0.99, max_value=0.99, initial=0.7)
    prevalence = forms.FloatField(
        label="Share of the commoner of two categories, %", min_value=1, max_value=99, initial=50
    )


@require_safe
def rounds(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Right.EDIT_PROJECT)
    done = Count("assignments", filter=Q(assignments__state="done"))
    rows = project.batches.annotate(n_places=Count("assignments"), n_done=done).order_by("position", "pk")
    return render(request, "rounds/list.html", {"project": project, "rounds": rows})


@require_form
def new_round(request: HttpRequest, slug: str) -> HttpResponse:
    """Without `assign` the plan is only shown."""
    project = project_to(request.user, slug, Right.EDIT_PROJECT)
    form = PlanningForm(posted(request), project=project)
    if not form.is_valid():
        return _planning_page(request, project, form)
    users = list(form.cleaned_data["raters"])
    try:
        if "assign" in request.POST:
            _assign(project, form, users, by=request.user)
            messages.success(request, "The round is planned. Open it when its raters may begin.")
            return redirect("rounds", slug)
        planned = preview(project, form.plans, users)
        precision = Precision.of(form)
    except (DesignRefused, KeyTaken, ProjectClosed, ValueError) as refused:
        form.add_error(None, str(refused))
        return _planning_page(request, project, form)
    names = [name for name, _ in form.named_plans]
    shown = [shown_plan(name, one, precision) for name, one in zip(names, planned, strict=True)]
    return _planning_page(request, project, form, shown=shown)


@transaction.atomic
def _assign(project: Project, form: PlanningForm, users: Sequence[Any], *, by: Any) -> None:
    for key, plan in form.named_plans:
        plan_round(project, key, plan, users, by=by, idle_minutes=form.cleaned_data["idle_minutes"])


def _planning_page(
    request: HttpRequest, project: Project, form: PlanningForm, *, shown: Sequence["ShownPlan"] = ()
) -> HttpResponse:
    context = {"project": project, "form": form, "plans": shown}
    return render(request, "rounds/new.html", context, status=400 if form.errors else 200)


@dataclass(frozen=True, slots=True)
class Precision:
    """How wide the interval of kappa is expected to be: z tau / sqrt(n) to either side.

    tau is sqrt(n) times the large-sample error (Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72, 323-327).
    """

    per_root: float

    @classmethod
    def of(cls, form: PlanningForm) -> "Precision":
        """Raises ValueError for a kappa that raters with this prevalence cannot have."""
        share = form.cleaned_data["prevalence"] / 100
        shares = [share, 1 - share]
        margins = Margins(shares, shares, weighting(Weights.UNWEIGHTED, n_categories=2))  # type: ignore[arg-type]
        return cls(critical_z(CONFIDENCE, n_sides=2) * margins.tau(form.cleaned_data["kappa"]))

    def half_width(self, n_items: float) -> float | None:
        """None where no item is shared, and where the interval would say nothing."""
        width = self.per_root / math.sqrt(n_items) if n_items > 0 else math.inf
        return width if width < 1 else None


@dataclass(frozen=True, slots=True)
class ShownPlan:
    """rows: of each rater, the name, new items, repeats, and (items shared, half width) with each rater."""

    key: str
    planned: Planned
    rows: list[tuple[str, float, int, list[tuple[float, float | None] | None]]]
    least: float
    most: float
    widest: float | None

    @property
    def is_matrix_shown(self) -> bool:
        return 1 < len(self.rows) <= MAX_SHOWN


def shown_plan(key: str, planned: Planned, precision: Precision) -> ShownPlan:
    shared, names = planned.shared, planned.names
    rows = []
    for a, name in enumerate(names):
        cells: list[tuple[float, float | None] | None] = [
            None if a == b else (float(n), precision.half_width(n)) for b, n in enumerate(shared[a])
        ]
        rows.append((name, float(planned.work[a]), int(planned.repeats[a]), cells))
    pairs = [float(shared[a, b]) for a in range(len(names)) for b in range(a)]
    least, most = (min(pairs), max(pairs)) if pairs else (0.0, 0.0)
    return ShownPlan(key, planned, rows, least, most, precision.half_width(least))


class AgainForm(forms.Form):
    raters = RatersField(queryset=None, help_text="Who labels in this round from now on.")
    seed = forms.IntegerField(min_value=0, max_value=2**31 - 1, initial=1)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["raters"].queryset = who_may_label(project)  # type: ignore[attr-defined]


@require_form
def round_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Raters leave or join: what is not done is shared anew."""
    project, batch = _round(request, slug, pk)
    present = who_may_label(project).filter(raters__assignments__batch=batch).distinct()
    form = AgainForm(posted(request), project=project, initial={"raters": present})
    if form.is_valid():
        try:
            users = list(form.cleaned_data["raters"])
            plan_again(batch, users, by=request.user, seed=form.cleaned_data["seed"])
        except DesignRefused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, "What is not done is shared anew; what is done stayed as it was.")
            return redirect("rounds", slug)
    context = {"project": project, "round": batch, "form": form}
    return render(request, "rounds/again.html", context, status=400 if form.errors else 200)


def _round(request: HttpRequest, slug: str, pk: int) -> tuple[Project, Batch]:
    project = project_to(request.user, slug, Right.EDIT_PROJECT)
    return project, get_object_or_404(project.batches, pk=pk)


@require_POST
def round_open(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _step(request, slug, pk, states.open_round, "is open: its raters may label")


@require_POST
def round_close(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _step(request, slug, pk, states.close_round, "is closed: raters cannot change its labels any more")


@require_POST
def round_reveal(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _step(request, slug, pk, states.reveal_round, "is revealed")


def _step(request: HttpRequest, slug: str, pk: int, step: Callable[..., None], words: str) -> HttpResponse:
    _, batch = _round(request, slug, pk)
    try:
        step(batch, by=request.user)
    except states.NotNow as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, f"{batch.key} {words}.")
    return redirect("rounds", slug)
