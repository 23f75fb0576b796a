"""The choices when requesting a report."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.validators import RegexValidator

from core.web.strict import CONTROL
from projects.models import Project, Question
from raters.models import Label
from reports.agreement.weights import Weights
from reports.analysis.measure import weights_for
from reports.analysis.options import (
    MAX_CONFIDENCE,
    MAX_REPLICATES,
    MAX_SEED,
    MAX_SMOOTHING,
    MIN_CONFIDENCE,
    MIN_REPLICATES,
    Options,
    RaterKind,
)
from reports.models import MAX_REPORT_NAME, Report

DEFAULT = Options()
# The most raters listed; with more, the key is sent over the API.
MAX_RATERS = 500


def keys_field(label: str, keys: list[str]) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=label,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        choices=[(key, key) for key in keys],
    )


def name_field() -> forms.CharField:
    return forms.CharField(
        label="Name (optional)",
        required=False,
        max_length=MAX_REPORT_NAME,
        validators=[
            RegexValidator(
                CONTROL, "This can’t contain control characters, such as line breaks.", inverse_match=True
            )
        ],
    )


class NameForm(forms.Form):
    """The name of a report; empty for none."""

    name = name_field()


def _weightings(questions: Iterable[Question]) -> list[tuple[str, str]]:
    """Return the weightings that fit the scale of at least one question, and custom ones."""
    fitting = {Weights.UNWEIGHTED, Weights.CUSTOM}
    for question in questions:
        fitting |= {*weights_for(question.kind, question.level)}
    fixed = [(value, name) for value, name in Report.Weights.choices if value in fitting]
    return [("", "Set by question"), *fixed]


class ReportForm(forms.Form):
    """If nothing is chosen, the report is on all questions, each in the round that `round_rule` describes."""

    name = name_field()
    weights = forms.ChoiceField(choices=[("", "Set by question"), *Report.Weights.choices], required=False)
    interval = forms.ChoiceField(
        label="Confidence intervals",
        choices=Report.Interval,
        initial=Report.Interval.ANALYTIC,
        required=False,
    )
    confidence = forms.FloatField(
        label="Confidence level (%)",
        min_value=100 * MIN_CONFIDENCE,
        max_value=100 * MAX_CONFIDENCE,
        initial=95,
        required=False,
    )
    replicates = forms.IntegerField(
        label="Replicates",
        min_value=MIN_REPLICATES,
        max_value=MAX_REPLICATES,
        initial=DEFAULT.replicates,
        required=False,
    )
    seed = forms.IntegerField(
        label="Seed", min_value=0, max_value=MAX_SEED, initial=DEFAULT.seed, required=False
    )
    reference = forms.ChoiceField(label="Reference", required=False)
    counted = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        choices=[(str(kind), kind.many.capitalize()) for kind in RaterKind],
    )
    pooled = forms.BooleanField(label="Pool the rounds", required=False)
    suggested = forms.BooleanField(label="Include labels accepted from a suggestion", required=False)
    smoothing = forms.FloatField(
        label="Smoothing",
        min_value=0,
        max_value=MAX_SMOOTHING,
        initial=0,
        required=False,
    )
    matrix = forms.CharField(
        label="Custom weights",
        required=False,
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="For one selected question: one line per category, in order, with numbers from 0 (no agreement) to 1 "
        "(full agreement) separated by spaces. The matrix must be symmetric, with 1 on the diagonal.",
    )

    def __init__(self, *args: Any, project: Project, names_hidden: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        questions = project.questions.compared()
        self.fields["questions"] = keys_field("Questions", [question.key for question in questions])
        self.questions = [question.key for question in questions]
        raters = [] if names_hidden else project.raters.values_list("key", flat=True)[:MAX_RATERS]
        self.fields["reference"].choices = [("", "Project default"), *((key, key) for key in raters)]  # type: ignore[attr-defined]
        self.fields["weights"].choices = _weightings(questions)  # type: ignore[attr-defined]
        rounds = [round_.key for round_ in project.rounds.all()]
        self.fields["rounds"] = keys_field("Rounds", rounds)
        self.has_rounds = len(rounds) > 1
        self.has_suggestions = Label.objects.filter(question__project=project, from_suggestion=True).exists()

    @property
    def has_more(self) -> bool:
        """Whether any of the collapsed options has an error or was changed."""
        folded = [
            "interval",
            "confidence",
            "replicates",
            "seed",
            "reference",
            "counted",
            "smoothing",
            "matrix",
        ]
        return self.is_bound and any(name in self.errors or name in self.changed_data for name in folded)

    def clean_matrix(self) -> list[list[float]]:
        lines = [line.replace(",", " ").split() for line in self.cleaned_data["matrix"].splitlines()]
        try:
            return [[float(cell) for cell in line] for line in lines if line]
        except ValueError:
            raise forms.ValidationError("Enter numbers separated by spaces or commas.") from None

    def clean(self) -> dict[str, object]:
        found = super().clean() or {}
        asked = found.get("questions") or self.questions
        if found.get("matrix") and len(asked) != 1:
            self.add_error("matrix", "Select the one question that these weights apply to.")
        return found

    @property
    def asked(self) -> dict[str, object]:
        """The arguments of `actions.request_report`."""
        found = self.cleaned_data
        asked = found["questions"] or self.questions
        percent = found["confidence"]
        return {
            "questions": found["questions"] or None,
            "rounds": found["rounds"] or None,
            "pooled": found["pooled"],
            "name": found["name"],
            "weights": found["weights"] or None,
            "interval": found["interval"] or Report.Interval.ANALYTIC,
            # Rounded to decimal digits, because 99.9 / 100 is not 0.999.
            "confidence": None if percent is None else float(f"{percent / 100:.6g}"),
            "replicates": found["replicates"],
            "seed": found["seed"],
            "reference": found["reference"],
            "smoothing": found["smoothing"],
            "suggested": found["suggested"],
            "counted": found["counted"] or None,
            "matrices": {asked[0]: found["matrix"]} if found["matrix"] else None,
        }
