"""The log filter, shared by the page and the API."""

from datetime import date
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from projects.models import Event
from raters.log.event_list import LogFilter

# Date-times near the limits of the calendar are out of range in some time zones.
DAYS = [MinValueValidator(date(1970, 1, 1)), MaxValueValidator(date(2999, 12, 31))]
DATE_INPUT = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class LogForm(forms.Form):
    kind = forms.ChoiceField(label="Event", required=False)
    person = forms.CharField(label="Person or target", required=False, max_length=200)
    since = forms.DateField(
        label="From", required=False, input_formats=["%Y-%m-%d"], validators=DAYS, widget=DATE_INPUT
    )
    until = forms.DateField(
        label="To", required=False, input_formats=["%Y-%m-%d"], validators=DAYS, widget=DATE_INPUT
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = sorted(Event.Kind.choices, key=lambda choice: choice[1])
        self.fields["kind"].choices = [("", "All"), *kinds]  # type: ignore[attr-defined]

    @property
    def filter(self) -> LogFilter:
        return LogFilter(**self.cleaned_data)
