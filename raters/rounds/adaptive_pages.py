"""Pages for leads to set or stop the adaptive overlap of a round and see its expected cost."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from core.web.forms import posted, require_form
from core.web.refusals import refusals_in_form
from projects.access import project_to
from projects.models import Project, Question, Round
from projects.roles import Permission
from raters.models import AdaptiveOverlap
from raters.rounds.adaptive import (
    MAX_RATERS,
    AdaptiveRule,
    ExpectedCost,
    adaptive_progress,
    cost_of,
    start,
    stop,
)
from raters.rounds.forms import RatersField, who_may_label


class AdaptiveForm(forms.Form):
    until = forms.ChoiceField(
        label="Add raters until", choices=AdaptiveOverlap.Until.choices, widget=forms.RadioSelect
    )
    up_to = forms.IntegerField(
        label="Raters per item, at most",
        min_value=2,
        max_value=MAX_RATERS,
        help_text="Including those of the round itself.",
    )
    questions = forms.ModelMultipleChoiceField(
        queryset=Question.objects.none(), required=False, widget=forms.CheckboxSelectMultiple
    )
    raters = RatersField(queryset=None, required=False)

    def __init__(self, data: Any, *, project: Project, rule: AdaptiveRule) -> None:
        super().__init__(
            data,
            initial={
                "until": rule.until,
                "up_to": rule.up_to,
                "questions": list(rule.questions),
                "raters": list(rule.users),
            },
        )
        self.fields["raters"].queryset = who_may_label(project)  # type: ignore[attr-defined]
        self.fields["questions"].queryset = project.questions.compared()  # type: ignore[attr-defined]

    @property
    def rule(self) -> AdaptiveRule:
        given = self.cleaned_data
        return AdaptiveRule(
            until=given["until"],
            up_to=given["up_to"],
            questions=list(given["questions"]),
            users=list(given["raters"]),
        )


@require_form
def round_adaptive(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Set the rule. Without `save`, only show the cost."""
    project, round_ = _round(request, slug, pk)
    progress = adaptive_progress(round_, by=request.user)
    rule = AdaptiveRule() if progress is None else progress.rule
    form = AdaptiveForm(posted(request), project=project, rule=rule)
    if form.is_valid():
        rule = form.rule
        with refusals_in_form(form):
            if "save" in request.POST:
                start(round_, rule, by=request.user)
                messages.success(request, f"Raters are added where those of {round_.key} disagree.")
                return redirect("round", slug, pk)
    cost: ExpectedCost = cost_of(round_, rule, by=request.user)
    context = {
        "project": project,
        "round": round_,
        "form": form,
        "rule": rule,
        "cost": cost,
        "n_most": cost.n_most(rule.up_to),
    }
    return render(request, "rounds/adaptive.html", context, status=400 if form.errors else 200)


@require_POST
def round_adaptive_stop(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    _, round_ = _round(request, slug, pk)
    stop(round_, by=request.user)
    messages.success(request, f"No more raters are added to items of {round_.key}.")
    return redirect("round", slug, pk)


def _round(request: HttpRequest, slug: str, pk: int) -> tuple[Project, Round]:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    return project, get_object_or_404(project.rounds.select_related("project"), pk=pk)
