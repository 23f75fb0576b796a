"""The form with which raters filter their own labels."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from core.web.forms import SearchForm
from raters.labeling.own_work import OwnLabelSearch


class OwnLabelsForm(SearchForm):
    q = forms.CharField(label="Item or content", required=False, max_length=200, strip=False)
    question = forms.ChoiceField(required=False)
    answer = forms.CharField(required=False, max_length=200)
    round = forms.ChoiceField(required=False)

    def __init__(self, questions: Sequence[str], rounds: Sequence[str], data: QueryDict) -> None:
        super().__init__(data)
        for name, keys, nothing in (
            ("question", questions, "All questions"),
            ("round", rounds, "All rounds"),
        ):
            field: Any = self.fields[name]
            field.choices = [("", nothing), *((key, key) for key in keys)]

    @property
    def wanted(self) -> OwnLabelSearch | None:
        """The search; None if the form is invalid."""
        if not self.is_valid():
            return None
        given = self.cleaned_data
        return OwnLabelSearch(given["q"], given["question"], given["answer"], given["round"])
