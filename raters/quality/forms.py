"""Forms for quality rules, closing alerts, and pauses."""

from typing import Any

from django import forms

from core.web.form_fields import SingleLineField
from raters.models import QualityRule
from raters.models.quality import MAX_NOTE
from raters.quality.rules import MAX_N, RuleSettings

Kind = QualityRule.Kind
# Labels of the acceptable share.
ACCEPTABLE = {
    Kind.REFERENCE: "Acceptable share of missed reference answers (%)",
    Kind.REPEATS: "Acceptable share of repeats answered differently (%)",
    Kind.SPEED: "Acceptable share of items answered too fast (%)",
}


class QualityRuleForm(forms.Form):
    """A quality rule, with only the fields of its kind."""

    seconds = forms.FloatField(label="Too fast: less than (seconds per item)", min_value=0.1, max_value=3600)
    n = forms.IntegerField(label="Answers in a block", min_value=2, max_value=MAX_N)
    acceptable = forms.FloatField(
        min_value=0,
        max_value=90,
        help_text="A rater with this share needs no alert. False alarms are computed for it.",
    )
    at_most = forms.FloatField(
        label="False alarms in a block, at most (%)",
        min_value=0.0001,
        max_value=50,
        help_text="The alert limit is the smallest number that keeps false alarms within this rate.",
    )
    limit = forms.IntegerField(label="Same answer this many times in a row", min_value=2, max_value=MAX_N)
    pauses = forms.BooleanField(
        label="Pause the rater until a project lead has reviewed the alert",
        required=False,
        help_text="The rater gets no more items. Labels already made are saved.",
    )
    message = SingleLineField(
        label="Message to the rater",
        required=False,
        max_length=MAX_NOTE,
        help_text="Shown before the rater continues. Leave empty to show nothing.",
    )
    is_active = forms.BooleanField(label="Turn on this rule", required=False)

    def __init__(self, data: Any, *, kind: str, settings: RuleSettings) -> None:
        initial = {
            "seconds": settings.seconds,
            "n": settings.n,
            "acceptable": round(settings.acceptable * 100, 6),
            "at_most": round(settings.at_most * 100, 6),
            "limit": settings.limit,
            "pauses": settings.pauses,
            "message": settings.message,
            "is_active": settings.is_active,
        }
        super().__init__(data, initial=initial)
        if kind == Kind.SAME_ANSWER:
            left_out = ["seconds", "n", "acceptable", "at_most"]
        else:
            left_out = ["limit"] if kind == Kind.SPEED else ["limit", "seconds"]
            self.fields["acceptable"].label = ACCEPTABLE[Kind(kind)]
        for name in left_out:
            del self.fields[name]

    @property
    def settings(self) -> RuleSettings:
        given = dict(self.cleaned_data)
        for name in {"acceptable", "at_most"} & set(given):
            given[name] /= 100
        return RuleSettings(**given)


class NoteForm(forms.Form):
    note = SingleLineField(label="Note", required=False, max_length=MAX_NOTE)
    resumes = forms.BooleanField(required=False)
