"""The forms of an import: the upload, and how its file is read."""

from typing import Any

from django import forms

from core.tables.delimited import SEPARATORS
from core.tables.encoding import AUTO, ENCODINGS
from projects.imports.options import ReadOptions
from projects.imports.protocol import ReadingOptions
from raters.imports.options import LabelOptions
from raters.imports.uploads import one_of

ENCODING_CHOICES = [(AUTO, "Detect"), *((name, name) for name in ENCODINGS)]
SEPARATOR_CHOICES = [(AUTO, "Detect"), *((name, name) for name in SEPARATORS)]


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One file or several, which are then taken as one."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        sent = data if isinstance(data, list | tuple) else [data]
        files = [super(FilesField, self).clean(file, initial) for file in sent or [None]]
        return one_of(files)


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
    file = FilesField(label="File or files", max_length=None)

    @property
    def options(self) -> LabelOptions:
        return LabelOptions(encoding=self.cleaned_data["encoding"])


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
