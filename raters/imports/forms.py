"""Forms for uploading a file and choosing how to read it."""

from typing import Any

from django import forms

from core.tables.delimited import SEPARATORS
from core.tables.encoding import AUTO, ENCODINGS
from projects.imports.read_options import ReadOptions
from raters.imports.uploads import one_of
from raters.models import LabelImport

ENCODING_CHOICES = [(AUTO, "Detect"), *((name, name) for name in ENCODINGS)]
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

    file = ImportFilesField(label="File or files", max_length=None)
    encoding = forms.ChoiceField(choices=ENCODING_CHOICES, initial=AUTO)
    what = forms.ChoiceField(choices=LabelImport.Kind.choices, required=False)


class ReadForm(forms.Form):
    """How to read a draft's file of items or questions."""

    encoding = forms.ChoiceField(choices=ENCODING_CHOICES)
    separator = forms.ChoiceField(choices=SEPARATOR_CHOICES)
    replace = forms.BooleanField(label="Overwrite existing values", required=False)

    def clean(self) -> dict[str, object]:
        given = super().clean() or {}
        return given if self.errors else {"options": ReadOptions(**given)}
