"""The forms of a project."""

from collections.abc import Sequence
from typing import Any

from django import forms

from core.keys import MAX_KEY
from core.web.form_fields import MultilineField, NameField, SingleLineField
from projects.adjudication_reasons import validate_reasons
from projects.codebook.starters import starters
from projects.field_names import validate_names
from projects.models import Project
from projects.short_lists import lines_in
from projects.thresholds import ReadingScaleChoice, as_lines, thresholds_in


class NewProjectForm(forms.Form):
    name = NameField(max_length=MAX_KEY, widget=forms.TextInput(attrs={"autofocus": True}))
    guidelines = MultilineField(
        max_length=100_000,
        required=False,
        help_text="Instructions for raters, in Markdown. You can write them later.",
    )
    starter = forms.ChoiceField(label="Codebook template", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", "None"), *((starter.key, starter.name) for starter in starters().values())]
        self.fields["starter"].choices = choices  # type: ignore[attr-defined]


class ThresholdsField(forms.CharField):
    """Thresholds, one per line: the lower bound and a name."""

    widget = forms.Textarea(attrs={"rows": 4})

    def prepare_value(self, value: Any) -> Any:
        return as_lines(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[dict[str, object]]:
        return thresholds_in(super().clean(value))


class ReasonsField(forms.CharField):
    """Reasons for decisions, one per line."""

    widget = forms.Textarea(attrs={"rows": 6})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        reasons = lines_in(super().clean(value))
        validate_reasons(reasons)
        return reasons


class NamesInput(forms.Textarea):
    """Checkboxes for the fields that items have (`known`), and a text area of the same name for others.

    templates/projects/_field_names.html shows it.
    """

    known: Sequence[str] = ()

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        values = data.getlist(name) if hasattr(data, "getlist") else [data.get(name) or ""]
        checked = [value for value in values if value in self.known]
        typed = [line for value in values if value not in self.known for line in lines_in(value)]
        return "\n".join([*checked, *(line for line in typed if line not in checked)])


class NamesField(forms.CharField):
    """Names of fields of items."""

    widget = NamesInput(attrs={"rows": 2})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        names = lines_in(super().clean(value))
        validate_names(names)
        return names


LISTS_OF_NAMES = ("fields_hidden", "fields_side_by_side")


class ProjectForm(forms.ModelForm):
    name = NameField(max_length=MAX_KEY)
    thresholds = ThresholdsField(
        label="Custom thresholds",
        required=False,
        max_length=2000,
        help_text="One per line, in ascending order: the lower bound and a name, such as “0.8 good enough to publish”.",
    )

    adjudication_reasons = ReasonsField(
        label="Decision reasons",
        required=False,
        max_length=25_000,
        help_text="One per line, in the order adjudicators see them. Leave empty to ask for no reason. Removing a "
        "reason does not change existing decisions.",
    )

    main_field = SingleLineField(
        label="Main field",
        required=False,
        max_length=MAX_KEY,
        help_text="The field that gets the most room. Leave empty to let each item decide: its image, "
        "audio, or video, or its longest text.",
    )
    fields_hidden = NamesField(
        label="Hidden fields",
        required=False,
        max_length=50_000,
        help_text="Raters don’t get these fields while they label; leads, adjudicators, and exports do.",
    )
    fields_side_by_side = NamesField(
        label="Fields side by side",
        required=False,
        max_length=50_000,
        help_text="Such as two answers to compare. Other fields get the full width, and short ones "
        "share a line at the top.",
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
            "one_key_saving",
            "main_field",
            "fields_hidden",
            "fields_side_by_side",
        ]
        labels = {
            "is_codebook_closed": "Close the codebook",
            "coefficient": "Primary coefficient",
            "reading_scale": "Interpretation scale",
            "thresholds_for": "Custom thresholds apply to",
            "shows_names": "Show raters’ names to each other",
            "shows_own_figures": "Show raters their own results",
            "adjudicators_see_names": "Show raters’ names to adjudicators",
            "one_key_saving": "Save as soon as an answer is chosen",
        }
        help_texts = {
            "state": "A closed project does not accept labels.",
            "is_codebook_closed": "Labels with unknown categories are rejected.",
            "coefficient": "The overall coefficient shown first in reports on single-choice questions, "
            "unless the question has its own.",
            "reading_scale": "A published convention for describing coefficients in words. Reports name "
            "the scale and use it "
            "only for the coefficients it was made for.",
            "thresholds_for": "The same thresholds do not suit every coefficient.",
            "shows_names": "In revealed rounds. Otherwise, raters appear as “Rater A”, “Rater B”.",
            "shows_own_figures": "Their agreement with other raters, without names, in revealed rounds only.",
            "one_key_saving": "For projects with one single-choice question. If it is up to each rater, it is on by "
            "default for two categories.",
            "adjudicators_see_names": "Otherwise, adjudicators see “Rater A”, “Rater B”, in a random order "
            "for each item.",
        }

    def __init__(self, *args: Any, known: Sequence[str] = (), **kwargs: Any) -> None:
        """known: the fields that the items have."""
        super().__init__(*args, **kwargs)
        self.known = known
        for name in LISTS_OF_NAMES:
            self.fields[name].widget.known = known
        if known:
            self.fields["main_field"].widget.attrs["list"] = "field-names"

    def lists_of_names(self) -> list[tuple[forms.BoundField, list[tuple[str, bool]], str]]:
        """Return the lists of fields: each with its choices, and the other names as text."""
        found = []
        for name in LISTS_OF_NAMES:
            chosen = lines_in(self[name].value() or "")
            others = "\n".join(each for each in chosen if each not in self.known)
            found.append((self[name], [(each, each in chosen) for each in self.known], others))
        return found

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or self.cleaned_data
        is_own = cleaned.get("reading_scale") == ReadingScaleChoice.OWN
        if is_own and not cleaned.get("thresholds") and "thresholds" not in self.errors:
            self.add_error("thresholds", "Enter at least one threshold, or choose another scale.")
        return cleaned
