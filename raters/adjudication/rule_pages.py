"""The page for choosing the rule for the final labels of a question, and re-estimating."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from core.web.forms import posted, require_form
from core.web.refusals import refusals_as_messages, refusals_in_form
from projects.access import project_to
from projects.final_rules import FinalRule, offered_rules
from projects.models import Question
from projects.roles import Permission
from raters.adjudication.rule_words import ABOUT
from raters.adjudication.ruling import NewRule, change_rule, estimate, row_of
from raters.voters import voters_of


class FinalRuleForm(forms.Form):
    """Offers only rules that fit the question. The threshold is entered in percent."""

    rule = forms.ChoiceField(widget=forms.RadioSelect)
    threshold = forms.FloatField(
        label="Leave open below (%)",
        required=False,
        min_value=0.01,
        max_value=100,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
        help_text="Items whose final label would be less certain get none, and adjudicators decide only "
        "these items. Leave empty to leave nothing open; adjudicators then decide all disputes.",
    )
    takes_references = forms.BooleanField(
        label="Reference answers take precedence over the rule", required=False
    )

    def __init__(self, data: Any, *, question: Question) -> None:
        share = question.final_threshold
        initial = {
            "rule": question.final_rule,
            "threshold": "" if share is None else f"{share * 100:.6g}",
            "takes_references": question.final_takes_references,
        }
        super().__init__(data, initial=initial)
        offered = offered_rules(question.kind, question.level)
        self.fields["rule"].choices = [(each.value, each.label) for each in offered]  # type: ignore[attr-defined]

    @property
    def choices(self) -> list[tuple[Any, str]]:
        """Radio buttons with the meaning of each rule."""
        return [(radio, ABOUT[FinalRule(radio.data["value"])]) for radio in self["rule"]]

    @property
    def new(self) -> NewRule:
        given = self.cleaned_data
        share = None if given["threshold"] is None else given["threshold"] / 100
        return NewRule(FinalRule(given["rule"]), share, given["takes_references"])


@require_form
def final_rule(request: HttpRequest, slug: str, question: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    asked = get_object_or_404(Question.objects.select_related("project"), project=project, pk=question)
    form = FinalRuleForm(posted(request), question=asked)
    if form.is_valid():
        with refusals_in_form(form):
            change_rule(asked, form.new, by=request.user)
            messages.success(request, f"Saved the rule for the final labels of {asked.key}.")
            return redirect("finals", slug)
    context = {"project": project, "row": row_of(asked), "form": form, "voters": voters_of(project)}
    return render(request, "adjudication/final_rule.html", context, status=400 if form.errors else 200)


@require_POST
def final_rule_estimate(request: HttpRequest, slug: str, question: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    asked = get_object_or_404(Question, project=project, pk=question)
    with refusals_as_messages(request):
        estimate(asked, by=request.user)
        messages.success(
            request,
            f"The reliability of raters on {asked.key} is being estimated. Reload this page to see the result.",
        )
    return redirect("finals", slug)
