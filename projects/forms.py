"""The forms of a project."""

from typing import Any

from django import forms

from core.keys import MAX_KEY
from core.web.fields import LineField, LinesField
from projects.codebook.starters import starters
from projects.models import Project
from projects.reasons import reasons_in, validate_reasons
from projects.thresholds import ReadingScale, as_lines, thresholds_in


class NewProjectForm(forms.Form):
    name = LineField(max_length=MAX_KEY, widget=forms.TextInput(attrs={"autofocus": True}))
    guidelines = LinesField(
        max_length=100_000,
        required=False,
        help_text="What raters should do, in Markdown. You can write it later.",
    )
    starter = forms.ChoiceField(label="Codebook to start from", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", "None"), *((starter.key, starter.name) for starter in starters().values())]
        self.fields["starter"].choices = choices  # type: ignore[attr-defined]


class ThresholdsField(forms.CharField):
    """Thresholds, a line for each: where it begins, and its name."""

    widget = forms.Textarea(attrs={"rows": 4})

    def prepare_value(self, value: Any) -> Any:
        return as_lines(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[dict[str, Any]]:
        return thresholds_in(super().clean(value))


class ReasonsField(forms.CharField):
    """The reasons of decisions, a line for each."""

    widget = forms.Textarea(attrs={"rows": 6})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        reasons = reasons_in(super().clean(value))
        validate_reasons(reasons)
        return reasons


class ProjectForm(forms.ModelForm):
    name = LineField(max_length=MAX_KEY)
    thresholds = ThresholdsField(
        label="Thresholds of our own",
        required=False,
        max_length=2000,
        help_text="A line for each, ascending: where it begins and its name, such as “0.8 good enough to publish”.",
    )

    adjudication_reasons = ReasonsField(
        label="Reasons of decisions",
        required=False,
        max_length=25_000,
        help_text="A line for each, in the order in which adjudicators see them. Decisions keep a reason that you take "
        "away. Without any, none is asked for.",
    )

    class Meta:
        model = Project
        fields = [
            "name",
            "state",
            "is_codebook_closed",
            "coefficient",
            "reading_scale",
            "thresholds_for",
            "thresholds",
            "shows_names",
            "shows_own_figures",
            "adjudicators_see_names",
            "adjudication_reasons",
        ]
        labels = {
            "is_codebook_closed": "The codebook is closed",
            "coefficient": "Judge agreement by",
            "reading_scale": "Words for coefficients",
            "thresholds_for": "Our thresholds are for",
            "shows_names": "Raters see who the others are",
            "shows_own_figures": "Raters see their own page of a report",
            "adjudicators_see_names": "Adjudicators see who said what",
        }
        help_texts = {
            "state": "A closed project takes no labels.",
            "is_codebook_closed": "Labels with a category that it does not declare are refused.",
            "coefficient": "The coefficient of all raters that reports of single choices begin with.",
            "reading_scale": "A scale is a convention, shown with its name beside the value and the interval, and only "
            "for the coefficients that it was made for.",
            "thresholds_for": "One threshold does not suit all coefficients.",
            "shows_names": "In rounds that are revealed; else they are “Rater A”, “Rater B” there.",
            "shows_own_figures": "How far they agree with the others, without names, and of rounds alone that are "
            "revealed.",
            "adjudicators_see_names": "Else raters are “Rater A”, “Rater B” on the pages of adjudication, in an order "
            "that does not tell and changes from item to item.",
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        is_own = cleaned.get("reading_scale") == ReadingScale.OWN
        if is_own and not cleaned.get("thresholds") and "thresholds" not in self.errors:
            self.add_error("thresholds", "Give at least one threshold, or choose another scale.")
        return cleaned
