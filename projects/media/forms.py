"""The form that media files are uploaded by."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from core.keys import MAX_KEY
from core.web.form_fields import SingleLineField


class MultipleFileInput(forms.FileInput):
    allow_multiple_selected = True


class MediaFilesField(forms.FileField):
    """One file or several."""

    widget = MultipleFileInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        files = data or [None]
        return [super(MediaFilesField, self).clean(file, initial) for file in files]


class MediaForm(forms.Form):
    # An empty file is refused with its name, among the others.
    file = MediaFilesField(
        label="Files", allow_empty_file=True, help_text="One or more files, or a ZIP archive."
    )
    folder = SingleLineField(
        label="Folder",
        required=False,
        max_length=MAX_KEY,
        help_text="For example, “photos” if items use photos/1.jpg. Archives keep their own folders.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    replace = forms.BooleanField(label="Replace files that have the same name", required=False)
