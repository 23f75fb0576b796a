"""Shared by the forms of every app."""

from django import forms
from django.http import HttpRequest, QueryDict
from django.views.decorators.http import require_http_methods

require_form = require_http_methods(["GET", "HEAD", "POST"])


def posted(request: HttpRequest) -> QueryDict | None:
    """The submitted data, even if empty; None for a form that is only shown."""
    return request.POST if request.method == "POST" else None


class SearchForm(forms.Form):
    """Search is literal: no character has a special meaning."""

    q = forms.CharField(label="Search", required=False, max_length=200, strip=False)

    @property
    def words(self) -> str:
        return str(self.cleaned_data["q"]) if self.is_valid() else ""
