"""Forms on the page of a round."""

from datetime import date
from typing import Any

from django import forms
from django.conf import settings
from django.core.validators import MaxValueValidator

from core.keys import MAX_KEY
from core.web.form_fields import NameField, SingleLineField
from raters.rounds.attempts import AttemptItems
from raters.rounds.pausing import MAX_NOTE
from raters.rounds.reminding import MAX_REMIND_DAYS

LAST_DAY = date(2999, 12, 31)


class RoundChangeForm(forms.Form):
    key = NameField(label="Name", max_length=MAX_KEY)
    due_on = forms.DateField(
        label="Deadline",
        required=False,
        input_formats=["%Y-%m-%d"],
        # Dates near the end of the calendar overflow in some time zones.
        validators=[MaxValueValidator(LAST_DAY)],
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="Raters see it on the project page and while they label. The round stays open after it.",
    )
    remind_days = forms.IntegerField(
        label="Send a reminder (days before)",
        required=False,
        min_value=0,
        max_value=MAX_REMIND_DAYS,
        help_text="One email to each rater who still has items to label. Leave empty for no reminder.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.HAS_MAIL:
            reminder = self.fields["remind_days"]
            reminder.disabled = True
            reminder.help_text = "This server cannot send email, so raters can’t be reminded."


class PauseForm(forms.Form):
    note = SingleLineField(
        label="Message to the raters",
        required=False,
        max_length=MAX_NOTE,
        help_text="For example, why the round is paused and when it will continue.",
    )


class PassForm(forms.Form):
    is_passed = forms.TypedChoiceField(
        choices=[("yes", "Yes"), ("no", "No")], coerce=lambda value: value == "yes"
    )
    note = SingleLineField(required=False, max_length=MAX_NOTE)


class AttemptForm(forms.Form):
    items = forms.TypedChoiceField(
        choices=[(each.value, each.value) for each in AttemptItems], coerce=AttemptItems
    )
