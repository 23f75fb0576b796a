"""Forms for uploading a file and choosing how to read it."""

from dataclasses import fields, replace
from typing import Any

from django import forms
from django.core.files.base import ContentFile
from django.forms.boundfield import BoundField

from core.shapes import Json
from core.tables.delimited import SEPARATORS
from core.tables.encoding import AUTO, ENCODINGS
from projects.imports.read_options import ReadOptions
from projects.items.item_columns import KEY, ROLES, ItemOptions, has_prefix
from raters.imports.uploads import one_of
from raters.models import LabelImport

ENCODING_CHOICES = [(AUTO, "Detect"), *((name, name) for name in ENCODINGS)]
# The most characters of a pasted text, and what it is called.
MOST_PASTED, PASTED = 200_000, "pasted text"
# With more columns, their names decide what they hold.
MOST_CHOSEN = 200
SEPARATOR_CHOICES = [(AUTO, "Detect"), *((name, name) for name in SEPARATORS)]


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class ImportFilesField(forms.FileField):
    """One file, or several to be combined into one."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        sent = data if isinstance(data, list | tuple) else [data]
        files = [super(ImportFilesField, self).clean(file, initial) for file in sent or [None]]
        return one_of(files)


class UploadForm(forms.Form):
    """Upload of any file. The encoding can be chosen here, since a file that cannot be decoded has no preview.

    what: labels, items, or questions; "" to detect it from the file.
    """

    file = ImportFilesField(
        label="File or files",
        max_length=None,
        required=False,
        help_text="Several files must belong together, such as the labels of each rater. "
        "Import questions, items, and labels one after the other.",
    )
    encoding = forms.ChoiceField(choices=ENCODING_CHOICES, initial=AUTO)
    what = forms.ChoiceField(choices=LabelImport.Kind.choices, required=False)
    text = forms.CharField(
        label="Or paste a table or a list of texts",
        required=False,
        strip=False,
        max_length=MOST_PASTED,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        text = given.get("text", "").strip("\r\n")
        if text.strip() and given.get("file"):
            self.add_error("text", "Choose a file or paste text, not both.")
        elif text.strip():
            given["file"] = ContentFile(text.encode(), name=PASTED)
        elif "file" in given and not given["file"]:
            self.add_error("file", "Choose a file, or paste text.")
        return given


class ReadForm(forms.Form):
    """How to read a draft's file of items or questions."""

    encoding = forms.ChoiceField(choices=ENCODING_CHOICES)
    separator = forms.ChoiceField(choices=SEPARATOR_CHOICES)
    replace = forms.BooleanField(label="Overwrite existing values", required=False)

    def clean(self) -> dict[str, object]:
        given = super().clean() or {}
        before = ReadOptions.from_json(
            {
                field.name: self.initial[field.name]
                for field in fields(ReadOptions)
                if field.name in self.initial
            }
        )
        return given if self.errors else {"options": replace(before, **given)}


class ItemForm(ReadForm):
    """How to read a draft's file of items: also what each column holds, unless its name says so.

    preview: that of the draft.
    """

    first_row = forms.ChoiceField(
        label="First row", choices=[("names", "Names of columns"), ("item", "An item")], required=False
    )

    def __init__(self, data: Any, *, initial: Json, preview: Json) -> None:
        self._first_row = "names" if preview.get("has_header", True) else "item"
        super().__init__(data, initial=initial | {"first_row": self._first_row})
        self._before = ItemOptions.from_json(initial)
        written = preview.get("written_columns", [])
        self._roles = {
            f"role-{place}": name for place, name in enumerate(written[:MOST_CHOSEN]) if not has_prefix(name)
        }
        self._columns = preview.get("columns", [])
        kinds = [kind or KEY for _, kind in self._columns]
        for field, name in self._roles.items():
            self.fields[field] = forms.ChoiceField(
                choices=[*ROLES.items()],
                required=False,
                initial=kinds[int(field.removeprefix("role-"))],
                widget=forms.Select(attrs={"aria-label": f"Column {name} holds", "form": "settings"}),
            )

    @property
    def heads(self) -> list[tuple[str, str, BoundField | None]]:
        """Name and kind of each column of the preview, and the field for what it holds."""
        return [
            (name, kind, self[f"role-{place}"] if f"role-{place}" in self.fields else None)
            for place, (name, kind) in enumerate(self._columns)
        ]

    def clean(self) -> dict[str, object]:
        given = forms.Form.clean(self) or {}
        if self.errors:
            return given
        # What nobody chose stays a guess, which another file may not share.
        roles = {
            name: given[field]
            for field, name in self._roles.items()
            if given[field] and (name in self._before.columns or given[field] != self.fields[field].initial)
        }
        header = self._before.header_line
        if (given["first_row"] or self._first_row) != self._first_row:
            # The columns get other names.
            header, roles = "1" if given["first_row"] == "names" else "0", {}
        names = ("encoding", "separator", "replace")
        options = replace(
            self._before, **{name: given[name] for name in names}, columns=roles, header_line=header
        )
        return {"options": options}
