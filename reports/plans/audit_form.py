"""The form for an audit plan in a query string, shared by page, API, and command."""

from django import forms

from reports.plans.answer import CONFIDENCES
from reports.plans.audit import AUDIT_AIMS, SAMPLINGS, AuditAnswer, AuditPlan, audit_answer
from reports.plans.form import share_field

AUDIT_DEFAULTS = {
    "aim": "decide",
    "share": "0.05",
    "margin": "0.02",
    "confidence": "0.95",
    "sampling": "single",
    "acceptable": "0.02",
    "rejectable": "0.08",
    "producer": "0.05",
    "consumer": "0.1",
}
MAX_SIZE = 1_000_000_000


class AuditPlanForm(forms.Form):
    """Missing parameters have the values in AUDIT_DEFAULTS."""

    aim = forms.ChoiceField(label="Goal", choices=list(AUDIT_AIMS.items()))
    size = forms.IntegerField(
        label="Labels in all",
        min_value=1,
        max_value=MAX_SIZE,
        required=False,
        help_text="How many labels the audit is about. Leave empty if they are many more than the sample.",
    )
    share = share_field(
        "Expected error rate", help_text="For an estimate: 0.05 for 5%. If unsure, enter 0.5."
    )
    margin = share_field(
        "Margin of error", help_text="Half-width of the confidence interval: 0.02 for ± 2 points."
    )
    confidence = forms.TypedChoiceField(
        label="Confidence level",
        choices=[(str(each), f"{100 * each:.0f}%") for each in CONFIDENCES],
        coerce=float,
    )
    sampling = forms.ChoiceField(label="Sampling", choices=list(SAMPLINGS.items()))
    acceptable = share_field(
        "Acceptable error rate", help_text="At this rate or below, labels are good (AQL)."
    )
    rejectable = share_field(
        "Rejectable error rate", help_text="At this rate or above, labels are bad (LTPD)."
    )
    producer = share_field("Producer’s risk", help_text="Probability of rejecting good labels, at most.")
    consumer = share_field("Consumer’s risk", help_text="Probability of accepting bad labels, at most.")

    def __init__(self, asked: dict[str, str]) -> None:
        super().__init__(AUDIT_DEFAULTS | asked)

    def answer(self) -> AuditAnswer | None:
        """Return the answer; None, with form errors, for an invalid plan."""
        if not self.is_valid():
            return None
        try:
            return audit_answer(AuditPlan(**self.cleaned_data))
        except ValueError as refused:
            sentence = str(refused)
            self.add_error(None, f"{sentence[:1].upper()}{sentence[1:]}.")
            return None
