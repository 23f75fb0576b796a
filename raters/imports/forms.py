"""The forms of an import: the upload, and how its file is read."""

from typing import Any

from django import forms

from core.keys import MAX_KEY
from core.tables.delimited import SEPARATORS
from core.tables.encoding import AUTO, ENCODINGS
from core.tables.table import looks_like_json_lines
from projects.imports.options import ReadOptions
from projects.imports.protocol import ReadingOptions
from projects.models import Question
from raters.imports.options import IMPORTED_KINDS, LAYOUTS, ROLES, TEXTS, LabelOptions

ENCODING_CHOICES = [(AUTO, "Detect (default UTF-8)"), *((name, name) for name in ENCODINGS)]
SEPARATOR_CHOICES = [(AUTO, "Detect"), *((name, name) for name in SEPARATORS)]


class UploadForm(forms.Form):
    """Any file; the encoding is chosen here too, since a file that cannot be decoded has no preview."""

    file = forms.FileField(label="File", max_length=None)
    encoding = forms.ChoiceField(choices=ENCODING_CHOICES, initial=AUTO)

    @property
    def source(self) -> Any:
        return self.cleaned_data["file"].chunks

    @property
    def options(self) -> ReadingOptions:
        raise NotImplementedError


class LabelsForm(UploadForm):
    layout = forms.ChoiceField(
        label="Layout",
        choices=[("long", "One label per row"), ("wide", "A column for each rater")],
        help_text="JSON Lines files are detected automatically.",
    )

    @property
    def options(self) -> LabelOptions:
        layout = self.cleaned_data["layout"]
        if looks_like_json_lines(self.source):
            layout = "jsonl"
        return LabelOptions(layout=layout, encoding=self.cleaned_data["encoding"])


class ReplaceForm(UploadForm):
    """Items or questions."""

    replace = forms.BooleanField(label="Overwrite existing values", required=False)

    @property
    def options(self) -> ReadOptions:
        return ReadOptions(encoding=self.cleaned_data["encoding"], replace=self.cleaned_data["replace"])


class ReadForm(forms.Form):
    """How a draft's file of items or questions is read."""

    encoding = forms.ChoiceField(choices=ENCODING_CHOICES)
    separator = forms.ChoiceField(choices=SEPARATOR_CHOICES)
    replace = forms.BooleanField(label="Overwrite existing values", required=False)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        return given if self.errors else {"options": ReadOptions(**given)}


def _for_all_rows(name: str) -> forms.CharField:
    return forms.CharField(
        label=f"{name} for all rows",
        max_length=MAX_KEY,
        required=False,
        help_text="If the file has no column for it.",
    )


class OptionsForm(forms.Form):
    """How a draft's file is read; its columns are chosen by their place, since any name is possible."""

    layout = forms.ChoiceField(
        choices=[(name, words[0].upper() + words[1:]) for name, words in LAYOUTS.items()]
    )
    encoding = forms.ChoiceField(choices=ENCODING_CHOICES)
    separator = forms.ChoiceField(choices=SEPARATOR_CHOICES)
    question = _for_all_rows("Question")
    question_kind = forms.ChoiceField(label="Answer type of new questions", choices=Question.Kind)
    level = forms.ChoiceField(label="Scale of new questions", choices=Question.Level)
    rater = _for_all_rows("Rater")
    rater_kind = forms.ChoiceField(label="Type of new raters", choices=IMPORTED_KINDS)
    round = _for_all_rows("Round")
    trim = forms.BooleanField(label="Trim leading and trailing spaces", required=False)
    replace = forms.BooleanField(label="Overwrite existing labels", required=False)
    ignored = forms.MultipleChoiceField(
        label="Columns to ignore", required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(
        self, data: Any, *, options: LabelOptions, columns: list[str], places: dict[str, int]
    ) -> None:
        self.before, self.columns = options, columns
        named = [(str(place), name or "(no name)") for place, name in enumerate(columns)]
        super().__init__(data, initial=self._initial(places))
        for role in ROLES:
            self.fields[f"column_{role}"] = forms.ChoiceField(
                label=role.capitalize(), choices=[("", "–"), *named], required=False
            )
            self.initial[f"column_{role}"] = str(self._place_of(role, places))
        self.fields["ignored"].choices = named  # type: ignore[attr-defined]

    @property
    def column_fields(self) -> list[forms.BoundField]:
        return [self[f"column_{role}"] for role in ROLES]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if self.errors:
            return given
        try:
            given["options"] = self._options(given)
        except ValueError as error:
            self.add_error(None, str(error))
        return given

    def _initial(self, places: dict[str, int]) -> dict[str, Any]:
        before = self.before.as_json()
        ignored = [str(place) for place, name in enumerate(self.columns) if name in self.before.ignored]
        return {**before, "ignored": ignored}

    def _place_of(self, role: str, places: dict[str, int]) -> int | str:
        """Where the file has the role: as it was read, or as it would be by its name."""
        name = self.before.columns.get(role, role)
        found = self.columns.index(name) if name in self.columns and name not in self.before.ignored else ""
        return places.get(role, found)

    def _options(self, given: dict[str, Any]) -> LabelOptions:
        columns = {
            role: self.columns[int(given[f"column_{role}"])] for role in ROLES if given[f"column_{role}"]
        }
        ignored = [self.columns[int(place)] for place in given["ignored"]]
        # Another separator or encoding makes other columns of the file; what was said of these is void.
        read = ("layout", "encoding", "separator")
        if any(given[name] != getattr(self.before, name) for name in read):
            columns, ignored = {}, []
        return LabelOptions(
            columns=columns,
            ignored=tuple(name for name in ignored if name not in columns.values()),
            trim=given["trim"],
            replace=given["replace"],
            **{name: given[name] for name in TEXTS},
        )
