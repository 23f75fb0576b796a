"""How many human labels an estimate needs if a model labeled all items: the form and its answer."""

from dataclasses import dataclass

from django import forms

from core.templatetags.shown import count, figure, in_percent
from reports.agreement.models.prediction_powered import labels_needed
from reports.plans.answer import CONFIDENCES

PREFIX = "human"
DEFAULTS = {"items": "10000", "sd": "0.5", "correlation": "0.7", "half_width": "0.03", "confidence": "0.95"}
MAX_ITEMS = 10_000_000
# Of numbers whose squares are computed with.
MOST = 1e100


@dataclass(frozen=True, slots=True)
class HumanLabels:
    """with_model, without: the number of items that people have to label; None if even all are too few."""

    with_model: int | None
    without: int | None
    sentence: str


class HumanLabelsForm(forms.Form):
    """Its query parameters begin with `human-`; missing ones have the values in DEFAULTS."""

    items = forms.IntegerField(
        label="Items",
        min_value=2,
        max_value=MAX_ITEMS,
        help_text="All items that the model labels. People label a simple random sample of them.",
    )
    sd = forms.FloatField(
        label="Standard deviation of people’s labels",
        min_value=1e-6,
        max_value=MOST,
        help_text="For a share p, √(p(1 − p)): 0.5 for 50%, 0.3 for 10%.",
    )
    correlation = forms.FloatField(
        label="Correlation of the model’s labels with people’s",
        min_value=0,
        max_value=1,
        help_text="For one category, φ of “chosen or not”. The link on the Models page of a report fills this in.",
    )
    half_width = forms.FloatField(
        label="Half-width",
        min_value=1e-9,
        max_value=MOST,
        help_text="Of the CI, on either side of the estimate.",
    )
    confidence = forms.TypedChoiceField(
        label="Confidence level",
        choices=[(str(each), in_percent(f"{100 * each:.0f}")) for each in CONFIDENCES],
        coerce=float,
    )

    def __init__(self, asked: dict[str, str]) -> None:
        named = {f"{PREFIX}-{name}": value for name, value in DEFAULTS.items()}
        super().__init__(named | asked, prefix=PREFIX)

    def answer(self) -> HumanLabels | None:
        """Return the answer; None, with form errors, for invalid values."""
        if not self.is_valid():
            return None
        given = self.cleaned_data
        with_model, without = (
            labels_needed(
                given["half_width"],
                sd=given["sd"],
                n_items=given["items"],
                r=r,
                confidence=given["confidence"],
            )
            for r in (given["correlation"], 0.0)
        )
        return HumanLabels(with_model, without, self._sentence(with_model, without))

    def _sentence(self, with_model: int | None, without: int | None) -> str:
        given = self.cleaned_data
        percent = in_percent(f"{100 * given['confidence']:.0f}")
        width = f"± {figure(given['half_width'], 3)}"
        if with_model is None or without is None:
            return f"A CI of {width} takes more than these {count(given['items'])} items, with the model or without."
        return (
            f"If people label {count(with_model)} of {count(given['items'])} items and the model all of them, the"
            f" {percent} CI is expected to be {width}. Without the model, people"
            f" would have to label {count(without)}."
        )
