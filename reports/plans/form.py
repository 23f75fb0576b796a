"""The form for a study plan in a query string, shared by page, API, and command."""

from typing import Any, Self

from django import forms

from reports.plans.answer import (
    AIMS,
    COHEN,
    CONFIDENCES,
    ICC_AGREEMENT,
    ICCS,
    OF_SETS,
    POWER,
    STATISTICS,
    WEIGHTS,
    WIDTH,
    PlanAnswer,
    StudyPlan,
    answer,
    takes_weights,
)

MAX_SEED = 2**31 - 1
# Limits of a plan computed during a web request; the command allows more.
WEB_REPLICATES = 500
WEB_LABELS = 1_000_000
# Fields that the page collapses.
FOLDED = ("confusion_a", "confusion_b", "seed")
# The coefficients, or the goal, that a field is for, if not for all.
FORMULAS = frozenset({COHEN, *ICCS})
WITH_CATEGORIES = frozenset(STATISTICS) - frozenset(ICCS)
WITH_CURVE = WITH_CATEGORIES - {OF_SETS}
FOR_STATISTICS = {
    "weights": frozenset(name for name in STATISTICS if takes_weights(name)),
    "raters": frozenset(STATISTICS) - {COHEN},
    "shares": WITH_CATEGORIES,
    "sets": frozenset({OF_SETS}),
    "rater_share": frozenset({ICC_AGREEMENT}),
    "shares_b": frozenset({COHEN}),
    "sides": frozenset({COHEN}),
    "sensitivity": WITH_CURVE,
    "specificity": WITH_CURVE,
    "confusion_a": WITH_CURVE,
    "confusion_b": WITH_CURVE,
    "seed": frozenset(STATISTICS) - FORMULAS,
}
FOR_AIM = {"half_width": WIDTH, "null": POWER, "power": POWER, "sides": POWER}
DEFAULTS = {
    "statistic": "cohen_kappa",
    "weights": "unweighted",
    "raters": "2",
    "shares": "0.5, 0.5",
    "rater_share": "0.05",
    "value": "0.7",
    "aim": "width",
    "half_width": "0.1",
    "null": "0.4",
    "power": "0.8",
    "sides": "2",
    "confidence": "0.95",
}


class SharesField(forms.CharField):
    """Numbers separated by commas."""

    def clean(self, value: Any) -> tuple[float, ...]:
        text = super().clean(value)
        try:
            return tuple(float(part) for part in text.split(",") if part.strip())
        except ValueError:
            raise forms.ValidationError("Enter numbers separated by commas, for example 0.3, 0.7.") from None


class SetsField(forms.CharField):
    """Sets separated by commas, with plus signs between categories; a hyphen is the empty set."""

    def clean(self, value: Any) -> tuple[tuple[str, ...], ...]:
        text = super().clean(value)
        sets = [[name.strip() for name in part.split("+")] for part in text.split(",") if part.strip()]
        if not all(all(names) for names in sets):
            raise forms.ValidationError("Enter sets separated by commas, for example a, b, a+b.")
        return tuple(() if names == ["-"] else tuple(names) for names in sets)


class MatrixField(forms.CharField):
    """Rows separated by semicolons, with commas between numbers."""

    def clean(self, value: Any) -> tuple[tuple[float, ...], ...]:
        text = super().clean(value)
        try:
            return tuple(
                tuple(float(part) for part in row.split(",")) for row in text.split(";") if row.strip()
            )
        except ValueError:
            raise forms.ValidationError(
                "Enter rows separated by semicolons, for example 0.9, 0.1; 0.2, 0.8."
            ) from None


def share_field(label: str, **more: Any) -> forms.FloatField:
    return forms.FloatField(label=label, min_value=0, max_value=1, **more)


class PlanForm(forms.Form):
    """Missing parameters have the values in DEFAULTS."""

    statistic = forms.ChoiceField(label="Coefficient", choices=list(STATISTICS.items()))
    weights = forms.ChoiceField(
        choices=[(weights, weights.capitalize()) for weights in WEIGHTS],
        help_text="Partial credit for near misses, by the rank of the categories.",
    )
    raters = forms.IntegerField(label="Raters", min_value=2, max_value=100)
    shares = SharesField(
        label="Category shares",
        max_length=400,
        help_text="How often each category is used: one share per category, summing to 1, for example 0.3, 0.7.",
    )
    sets = SetsField(
        label="Sets of categories",
        max_length=1000,
        required=False,
        help_text="α for sets only: the sets that raters choose, one for each share above, with a plus sign between "
        "categories and a hyphen for none, for example joy, anger, joy+anger.",
    )
    rater_share = share_field(
        "Share of variance between raters",
        help_text="ICC(A,1) only: how much of the variance is because some raters rate higher than others.",
    )
    shares_b = SharesField(
        label="Category shares of rater B, if different",
        max_length=400,
        required=False,
        help_text="Cohen’s κ only.",
    )
    value = forms.FloatField(
        label="Expected value",
        min_value=-1,
        max_value=1,
        help_text="The value you expect for the coefficient.",
    )
    aim = forms.ChoiceField(label="Goal", choices=list(AIMS.items()))
    half_width = share_field("Half-width", help_text="Of the CI, on either side of the value.")
    null = forms.FloatField(
        label="Lower value", min_value=-1, max_value=1, help_text="The CI should lie above this value."
    )
    power = share_field("Power", help_text="The share of studies in which the CI lies above the lower value.")
    sides = forms.TypedChoiceField(
        label="Test of Cohen’s κ", choices=[("2", "Two-sided"), ("1", "One-sided")], coerce=int
    )
    confidence = forms.TypedChoiceField(
        label="Confidence level",
        choices=[(str(each), f"{100 * each:.0f}%") for each in CONFIDENCES],
        coerce=float,
    )
    sensitivity = share_field("Sensitivity", required=False)
    specificity = share_field("Specificity", required=False)
    confusion_a = MatrixField(
        label="Error rates of rater A",
        max_length=12_000,
        required=False,
        help_text="For the curve: probability of each label given the true category, one row per true category, "
        "separated "
        "by semicolons, for example 0.8, 0.1, 0.1; 0.2, 0.7, 0.1; 0, 0.1, 0.9. Or one number: the accuracy in every "
        "category, with all errors equally likely.",
    )
    confusion_b = MatrixField(
        label="Error rates of rater B, if different",
        max_length=12_000,
        required=False,
        help_text="Same format.",
    )
    seed = forms.IntegerField(label="Seed", required=False, min_value=0, max_value=MAX_SEED)

    def __init__(self, asked: dict[str, str]) -> None:
        super().__init__(DEFAULTS | asked)

    @classmethod
    def of_page(cls, asked: dict[str, str]) -> Self:
        """Return the form as a page sends it: with fields that the coefficient or the goal do not use, and hides."""
        statistic, aim = (asked.get(name, DEFAULTS[name]) for name in ("statistic", "aim"))
        unused = {
            name for name, of in FOR_STATISTICS.items() if statistic in STATISTICS and statistic not in of
        }
        unused |= {name for name, of in FOR_AIM.items() if aim in AIMS and aim != of}
        return cls({name: value for name, value in asked.items() if name not in unused})

    @property
    def used(self) -> dict[str, str]:
        """The coefficients that each field is for, as an attribute of HTML."""
        return {name: " ".join(sorted(of)) for name, of in FOR_STATISTICS.items()}

    @property
    def has_more(self) -> bool:
        """Whether any of the collapsed fields has a value or an error."""
        return any(self.data.get(name) or name in self.errors for name in FOLDED)

    @property
    def plan(self) -> StudyPlan:
        """The plan; requires a valid form."""
        asked = dict(self.cleaned_data)
        return StudyPlan(
            n_raters=asked.pop("raters"),
            n_sides=asked.pop("sides"),
            seed=asked.pop("seed") or 0,
            n_replicates=WEB_REPLICATES,
            max_labels=WEB_LABELS,
            **asked,
        )

    def answer(self) -> PlanAnswer | None:
        """Return the answer; None, with form errors, for an invalid plan."""
        if not self.is_valid():
            return None
        try:
            return answer(self.plan)
        except ValueError as refused:
            sentence = str(refused)
            self.add_error(None, f"{sentence[:1].upper()}{sentence[1:]}.")
            return None
