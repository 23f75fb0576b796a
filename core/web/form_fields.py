"""Form fields for plain text."""

from typing import Any

from django import forms

from core.keys import NO_TURNS, TURNS
from core.web.strict import CONTROL


class SingleLineField(forms.CharField):
    """A key or a name: without control characters, which no URL or line of a page can contain."""

    def clean(self, value: Any) -> str:
        text = str(super().clean(value) or "")
        if CONTROL.search(text):
            raise forms.ValidationError(
                "This can’t contain control characters, such as line breaks.", "control"
            )
        return text


class NameField(SingleLineField):
    """A key or a name that is given to something, also without characters that change the direction of text."""

    def clean(self, value: Any) -> str:
        text = super().clean(value)
        if TURNS.search(text):
            raise forms.ValidationError(NO_TURNS, "direction")
        return text


class MultilineField(forms.CharField):
    """Text of several lines, with line breaks as LF instead of the CRLF of forms."""

    widget = forms.Textarea

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strip=False, **kwargs)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value) or "").replace("\r\n", "\n").replace("\r", "\n")
