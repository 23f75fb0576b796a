"""The filter of the label history, shared by the page, its file, and the API."""

from typing import Any

from django import forms

from projects.codebook.former import ever_in
from projects.models import Project
from raters.log.forms import DATE_INPUT, DAYS
from raters.log.label_changes import WAYS, ChangeFilter
from raters.models import LabelRevision

MAX_POSITION = 2**63 - 1


class ChangeForm(forms.Form):
    person = forms.CharField(label="Person or rater", required=False, max_length=200)
    item = forms.CharField(label="Item", required=False, max_length=200)
    question = forms.ChoiceField(label="Question", required=False)
    text = forms.CharField(label="Words in a text", required=False, max_length=200, strip=False)
    change = forms.ChoiceField(
        label="Change", required=False, choices=[("", "All"), *LabelRevision.Change.choices]
    )
    way = forms.ChoiceField(
        label="From",
        required=False,
        choices=[("", "Anywhere"), *((key, title) for key, (title, _) in WAYS.items())],
    )
    since = forms.DateField(
        label="First day", required=False, input_formats=["%Y-%m-%d"], validators=DAYS, widget=DATE_INPUT
    )
    until = forms.DateField(
        label="Last day", required=False, input_formats=["%Y-%m-%d"], validators=DAYS, widget=DATE_INPUT
    )
    # Set by links from elsewhere, such as the comparison of two reports.
    after = forms.IntegerField(required=False, min_value=0, max_value=MAX_POSITION, widget=forms.HiddenInput)
    up_to = forms.IntegerField(required=False, min_value=0, max_value=MAX_POSITION, widget=forms.HiddenInput)

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._questions = {key: pk for pk, key in ever_in(project).items()}
        self.fields["question"].choices = [("", "All"), *((key, key) for key in self._questions)]  # type: ignore[attr-defined]

    @property
    def filter(self) -> ChangeFilter:
        given = self.cleaned_data
        return ChangeFilter(**given | {"question": self._questions.get(given["question"])})
