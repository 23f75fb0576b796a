"""The forms of a codebook."""

import math
from typing import Any

from django import forms

from core.keys import MAX_KEY
from core.web.fields import LineField, LinesField
from projects.access import projects_of
from projects.codebook.checks import PAGE_KEYS, SHORTCUTS
from projects.codebook.starters import starters
from projects.models import MAX_TEXT, MAX_VALUE, Category, Project, Question


class QuestionForm(forms.Form):
    """What can be changed of a question; a new one has a key besides."""

    prompt = LinesField(
        label="Question",
        max_length=MAX_TEXT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="As raters read it.",
    )
    kind = forms.ChoiceField(
        label="Asks for", choices=Question.Kind, help_text="It stays once the question has labels."
    )
    level = forms.ChoiceField(
        label="Scale",
        choices=Question.Level,
        help_text="Nominal: names without order. Ordinal: ranks. Interval: numbers with distances. "
        "Ratio: with a true zero. It says how agreement is computed and can change at any time.",
    )
    is_required = forms.BooleanField(label="An answer is required", required=False)
    allows_abstention = forms.BooleanField(label="Raters may say “cannot tell”", required=False)


class NewQuestionForm(QuestionForm):
    key = LineField(
        max_length=MAX_KEY,
        help_text="A short name for files and reports, such as “tone”. It stays.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    is_required = forms.BooleanField(label="An answer is required", required=False, initial=True)
    allows_abstention = forms.BooleanField(label="Raters may say “cannot tell”", required=False, initial=True)
    field_order = ["key"]


class CategoryForm(forms.Form):
    """What can be changed of a category; a new one has a key besides."""

    name = LineField(max_length=MAX_KEY, required=False, help_text="As raters read it; empty: the key.")
    definition = LinesField(
        max_length=MAX_TEXT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="When to choose it.",
    )
    examples = LinesField(
        max_length=MAX_TEXT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Typical ones, and one at the border.",
    )
    shortcut = forms.CharField(
        max_length=1,
        required=False,
        widget=forms.TextInput(attrs={"size": 2, "autocomplete": "off", "autocapitalize": "none"}),
        help_text="A key of the keyboard: a digit or a letter from a to z, but for those that the labelling page "
        f"uses itself: {', '.join(PAGE_KEYS)}.",
    )
    colour = forms.ChoiceField(
        choices=[("", "None"), *Category.Colour.choices],
        required=False,
        help_text="People of every colour vision can tell these apart. The name stands beside it all the same.",
    )
    value = forms.FloatField(
        required=False,
        min_value=-MAX_VALUE,
        max_value=MAX_VALUE,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
        help_text="The number that it stands for, on an interval or ratio scale.",
    )

    def __init__(self, *args: Any, question: Question, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if question.level not in {Question.Level.INTERVAL, Question.Level.RATIO}:
            # What has no meaning here is not asked for, and stays as it is.
            del self.fields["value"]

    def clean_shortcut(self) -> str:
        shortcut = str(self.cleaned_data["shortcut"]).lower()
        if shortcut and shortcut not in SHORTCUTS:
            raise forms.ValidationError("A shortcut is a digit or a letter from a to z.")
        return shortcut

    def clean_value(self) -> float | None:
        value: float | None = self.cleaned_data["value"]
        if value is not None and not math.isfinite(value):
            raise forms.ValidationError("Give a number.")
        return value


class NewCategoryForm(CategoryForm):
    key = LineField(
        max_length=MAX_KEY,
        help_text="A short name for files, such as “good”. It stays.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    field_order = ["key"]


class StarterForm(forms.Form):
    starter = forms.ChoiceField(label="Start from")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["starter"].choices = starter_choices()  # type: ignore[attr-defined]


def starter_choices() -> list[tuple[str, str]]:
    return [(starter.key, f"{starter.name} – {starter.about}") for starter in starters().values()]


class CopyForm(forms.Form):
    source = forms.ModelChoiceField(label="Project", queryset=Project.objects.none())
    with_guidelines = forms.BooleanField(label="Its guidelines too, as a new version of ours", required=False)

    def __init__(self, *args: Any, user: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        others = projects_of(user).filter(questions__isnull=False).exclude(pk=project.pk).distinct()
        self.fields["source"].queryset = others  # type: ignore[attr-defined]

    @property
    def has_sources(self) -> bool:
        return bool(self.fields["source"].queryset.exists())  # type: ignore[attr-defined]


class GuidelinesForm(forms.Form):
    text = LinesField(
        label="Guidelines",
        required=False,
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 22}),
        help_text="In Markdown. Each change makes a new version; labels remember the one they were made under.",
    )
    seen = forms.IntegerField(min_value=0, max_value=32_767, widget=forms.HiddenInput)
