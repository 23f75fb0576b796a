"""The form for drawing an audit, shared by page and API."""

import re
import secrets
from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.auth import get_user_model

from core.keys import MAX_KEY
from projects.models import Category, Project, Question
from raters.audits.drawing import AuditDesign
from raters.audits.population import AuditRefused, divisions_of
from raters.models import Audit, Rater
from raters.models.audits import StoredPopulation
from raters.rounds.forms import MAX_SEED, RatersField
from reports.plans.audit import DECIDE, AuditPlan
from reports.plans.audit_draw import Draw, DrawRequest
from reports.plans.audit_form import AUDIT_DEFAULTS, AuditPlanForm

AUDITED_KINDS = (Rater.Kind.HUMAN, Rater.Kind.MODEL)
_OF_PLAN = tuple(name for name in AUDIT_DEFAULTS)


class RatesField(forms.CharField):
    """A line for each stratum: its value, a colon, and a rate."""

    def clean(self, value: Any) -> dict[str, float]:
        found = {}
        for line in super().clean(value).splitlines():
            if not line.strip():
                continue
            name, _, text = line.rpartition(":")
            if not name.strip() or not re.fullmatch(r"\s*(0?\.\d+|0|1|1\.0*)\s*", text, re.ASCII):
                raise forms.ValidationError(
                    f"“{line.strip()[:80]}” is not a stratum and a rate, such as “positive: 0.1”."
                )
            found[name.strip()] = float(text)
        return found


class DrawAuditForm(AuditPlanForm):
    """`size` follows from the labels."""

    name = forms.CharField(
        label="Name", max_length=MAX_KEY, help_text="Name of the project that will hold the audit."
    )
    question: "forms.ModelChoiceField[Any]" = forms.ModelChoiceField(
        queryset=None, label="Question", to_field_name="key", empty_label=None
    )
    raters = forms.MultipleChoiceField(
        label="Whose labels",
        required=False,
        widget=forms.SelectMultiple,
        help_text="People and models whose labels are audited. Leave empty for all.",
    )
    attribute = forms.CharField(
        label="Only raters with",
        required=False,
        max_length=2 * MAX_KEY + 1,
        help_text="An attribute and its value, such as vendor=Acme.",
    )
    rounds = forms.MultipleChoiceField(
        label="Rounds", required=False, widget=forms.SelectMultiple, help_text="Leave empty for all."
    )
    categories = forms.MultipleChoiceField(
        label="Given labels",
        required=False,
        widget=forms.SelectMultiple,
        help_text="Only labels of these categories. Leave empty for all.",
    )
    unit = forms.ChoiceField(label="Draw", choices=Audit.Unit.choices, initial=Audit.Unit.LABEL)
    stratify_by = forms.ChoiceField(
        label="Strata", required=False, help_text="Draw from each group separately. For an estimate only."
    )
    allocation = forms.ChoiceField(
        label="Allocation to strata",
        choices=Audit.Allocation.choices,
        initial=Audit.Allocation.PROPORTIONAL,
        required=False,
    )
    rates = RatesField(
        label="Expected error rates of strata",
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="For allocation by expected error rate: a line for each stratum, such as “positive: 0.1”. Enter "
        "categories by their keys.",
    )
    n = forms.IntegerField(
        label="Number to draw",
        min_value=1,
        required=False,
        help_text="For an estimate. Leave empty to draw as many as the margin of error requires.",
    )
    shows_given = forms.BooleanField(
        label="Show auditors the given label",
        required=False,
        help_text="Faster, but auditors then tend to agree with it. The certificate states whether they saw it.",
    )
    double_share = forms.FloatField(
        label="Items labeled by two auditors (%)",
        min_value=0,
        max_value=100,
        initial=0,
        required=False,
        help_text="Shows how reliable the auditors are, and corrects the error rate for it.",
    )
    auditors = RatersField(
        queryset=None,
        help_text="Members of this project. Nobody audits an item that they labeled. Those who can see labels in this "
        "project could look up the given ones.",
    )
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=MAX_SEED,
        help_text="The same seed draws the same sample from the same labels.",
    )

    field_order = ("name", "question", "raters", "attribute", "rounds", "unit", "stratify_by")

    def __init__(self, asked: Mapping[str, Any] | None, *, project: Project) -> None:
        initial = {"name": f"Audit of {project.name}"[:MAX_KEY], "seed": secrets.randbelow(MAX_SEED)}
        forms.Form.__init__(self, asked, initial={**AUDIT_DEFAULTS, **initial})
        self.project = project
        del self.fields["size"]
        questions = project.questions.compared()
        self.fields["question"].queryset = questions  # type: ignore[attr-defined]
        self.fields["auditors"].queryset = (  # type: ignore[attr-defined]
            get_user_model().objects.filter(memberships__project=project, is_active=True).order_by("username")
        )
        raters = project.raters.filter(kind__in=AUDITED_KINDS).order_by("key")
        self._choices("raters", [(key, key) for key in raters.values_list("key", flat=True)])
        rounds = project.rounds.values_list("key", flat=True)
        self._choices("rounds", [(key, key) for key in rounds])
        categories = Category.objects.filter(question__in=questions.filter(kind=Question.Kind.SINGLE))
        names: dict[str, dict[str, None]] = {}
        for category in categories.order_by("question__position", "position"):
            names.setdefault(category.key, {})[str(category)] = None
        # Categories of several questions can have the same key and other names.
        self._choices("categories", [(key, " / ".join(found)) for key, found in names.items()])
        divisions = dict(pair for question in questions for pair in divisions_of(question))
        self._choices("stratify_by", [("", "None"), *divisions.items()])

    def _choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def clean_attribute(self) -> list[str] | None:
        text = self.cleaned_data["attribute"]
        name, equals, value = (part.strip() for part in text.partition("="))
        if text and not (name and equals):
            raise forms.ValidationError("Enter an attribute and its value, such as vendor=Acme.")
        return [name, value] if text else None

    @property
    def asked(self) -> DrawRequest:
        data = self.cleaned_data
        wanted: StoredPopulation = {"rounds": data["rounds"] or None, "raters": data["raters"] or None}
        if data["attribute"]:
            wanted["attribute"] = data["attribute"]
        if data["categories"]:
            wanted["categories"] = data["categories"]
        return DrawRequest(
            question=data["question"],
            wanted=wanted,
            unit=data["unit"],
            stratify_by=data["stratify_by"],
            allocation=data["allocation"] or Audit.Allocation.PROPORTIONAL,
            rates=data["rates"],
            n=None if data["aim"] == DECIDE else data["n"],
            plan=AuditPlan(**{name: data[name] for name in _OF_PLAN}),
        )

    def design(self, draw: Draw) -> AuditDesign:
        data, asked = self.cleaned_data, self.asked
        if not data["auditors"]:
            raise AuditRefused("Choose at least one auditor.")
        return AuditDesign(
            name=data["name"],
            wanted=asked.wanted,
            unit=asked.unit,
            stratify_by=asked.stratify_by,
            allocation=asked.allocation,
            drawn=draw.drawn,
            n_first=draw.n_first,
            plan=draw.plan,
            seed=data["seed"],
            shows_given=data["shows_given"],
            double_share=(data["double_share"] or 0) / 100,
            auditors=list(data["auditors"]),
        )
