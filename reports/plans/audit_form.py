"""The form for an audit plan in a query string, shared by page, API, and command."""

from collections.abc import Mapping
from typing import Any

from django import forms

from reports.plans.answer import CONFIDENCES
from reports.plans.audit import AUDIT_AIMS, ESTIMATE, SAMPLINGS, AuditAnswer, AuditPlan, audit_answer
from reports.plans.audit_plan_tables import percent
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


def faults_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Return a sentence for each parameter that no plan can have, by its name.

    given: those that are valid by themselves; with a number to draw, `n`, an estimate takes no margin.
    """
    found = {}
    if given.get("aim") == ESTIMATE:
        if given.get("n"):
            return {}
        if not 0 < given.get("share", 0.5) < 1:
            found["share"] = "The expected error rate must be above 0% and below 100%. If unsure, enter 0.5."
        if not 0 < given.get("margin", 0.5) < 1:
            found["margin"] = (
                "The margin of error must be above 0% and below 100%, such as 0.02 for ± 2 points."
            )
        return found
    good, bad = given.get("acceptable"), given.get("rejectable")
    if good is not None and bad is not None and good >= bad:
        found["rejectable"] = (
            f"The rejectable error rate ({percent(bad)}) must be higher than the acceptable one ({percent(good)})."
        )
    for name in ("producer", "consumer"):
        if not 0 < given.get(name, 0.1) < 0.5:
            found[name] = f"The {name}’s risk must be above 0% and below 50%, such as 0.05 for 5%."
    return found


class AuditPlanForm(forms.Form):
    """Missing parameters have the values in AUDIT_DEFAULTS."""

    aim = forms.ChoiceField(label="Goal", choices=list(AUDIT_AIMS.items()))
    size = forms.IntegerField(
        label="Total labels",
        min_value=1,
        max_value=MAX_SIZE,
        required=False,
        help_text="How many labels the audit is about. Leave empty if there are far more than the sample.",
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

    def clean(self) -> dict[str, Any]:
        for name, sentence in faults_of(self.cleaned_data).items():
            self.add_error(name, sentence)
        return self.cleaned_data

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
