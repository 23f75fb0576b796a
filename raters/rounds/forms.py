"""What a lead fills in to plan a round."""

import re
from typing import Any

from django import forms
from django.contrib.auth import get_user_model

from core.keys import MAX_KEY
from projects.models import Membership, Project, Round
from projects.roles import RIGHTS, Right
from raters.rounds.assigning.wanted import Design, DesignRefused, Overlap
from raters.rounds.plans import ReferenceItems, RoundPlan

DESIGNS = {
    Design.EVERYONE: "Every item by every rater",
    Design.SOME: "Every item by some raters",
    Design.SHARE_TWICE: "Some items by two raters, the others by one",
}
MAX_SEED = 2**31 - 1
MAX_IDLE_MINUTES = 60 * 24 * 30


REFERENCE_USES = {
    Round.ReferenceUse.CHECK: "Check: the reference is never shown",
    Round.ReferenceUse.TRAINING: "Training: raters see the reference and can no longer change their answer",
}
NUMBER_OR_SHARE = re.compile(r"(\d{1,7})(?:([.,]\d{1,3})?\s*%)?", re.ASCII)


class ReferenceItemsField(forms.CharField):
    """A number of items, or a share of them with a percent sign."""

    def clean(self, value: Any) -> ReferenceItems | None:
        text = super().clean(value)
        if not text:
            return None
        found = NUMBER_OR_SHARE.fullmatch(text)
        if not found:
            raise forms.ValidationError("Enter a number such as 20, or a percentage such as 10%.")
        try:
            if "%" in text:
                return ReferenceItems(share=float(text.removesuffix("%").strip().replace(",", ".")) / 100)
            return ReferenceItems(number=int(text))
        except DesignRefused as refused:
            raise forms.ValidationError(str(refused)) from refused


class RatersField(forms.ModelMultipleChoiceField):
    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, user: Any) -> str:
        return str(user)


class RoundForm(forms.Form):
    key = forms.CharField(label="Name", max_length=MAX_KEY, help_text="For example, “pilot” or “main 1”.")
    raters = RatersField(queryset=None, help_text="Members who can label.")
    design = forms.ChoiceField(
        label="Design", choices=list(DESIGNS.items()), widget=forms.RadioSelect, initial=Design.SOME
    )
    raters_per_item = forms.IntegerField(label="Raters per item", min_value=1, max_value=1000, initial=2)
    share = forms.FloatField(label="Items labeled by two raters (%)", min_value=0, max_value=100, initial=20)
    is_on_demand = forms.BooleanField(
        label="Assign on demand",
        required=False,
        help_text="Items are not assigned in advance: raters get the next available item as they work. "
        "Requires the design “Every item by some raters”.",
    )
    n_calibration = forms.IntegerField(
        label="Calibration items",
        required=False,
        min_value=1,
        max_value=10**6,
        help_text="Number of items that every rater labels first, in a separate round. Leave empty for none.",
    )
    n_items = forms.IntegerField(
        label="Number of items",
        required=False,
        min_value=1,
        max_value=10**7,
        help_text="Sampled at random from unassigned items. Leave empty for all.",
    )
    reference_items = ReferenceItemsField(
        label="Reference items",
        required=False,
        max_length=20,
        help_text="Items with a reference answer, given to every rater to check accuracy: a number, or a "
        "percentage such as 10%. "
        "Leave empty to treat them like other items.",
    )
    reference_use = forms.ChoiceField(
        label="After a reference item is saved",
        choices=list(REFERENCE_USES.items()),
        widget=forms.RadioSelect,
        initial=Round.ReferenceUse.CHECK,
    )
    repeats = forms.FloatField(
        label="Blind repeats (%)",
        min_value=0,
        max_value=50,
        initial=0,
        help_text="Share of each rater’s items to show a second time, much later and without notice.",
    )
    idle_minutes = forms.IntegerField(
        label="Release inactive assignments after (minutes)",
        min_value=1,
        max_value=MAX_IDLE_MINUTES,
        initial=60,
    )
    seed = forms.IntegerField(
        min_value=0, max_value=MAX_SEED, initial=1, help_text="The same seed gives the same plan."
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["raters"].queryset = who_may_label(project)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if not self.errors:
            try:
                self.plans = _plans(found)
            except DesignRefused as refused:
                self.add_error(None, str(refused))
        return found

    @property
    def named_plans(self) -> list[tuple[str, RoundPlan]]:
        """Of a valid form: the rounds to plan, each with its name."""
        key = self.cleaned_data["key"]
        names = [key] if len(self.plans) == 1 else [f"{key}: calibration", key]
        return list(zip(names, self.plans, strict=True))


class RoundSettingsForm(forms.Form):
    """What may be changed of a round while it is not closed."""

    idle_minutes = forms.IntegerField(
        label="Release inactive assignments after (minutes)", min_value=1, max_value=MAX_IDLE_MINUTES
    )
    reference_use = forms.ChoiceField(
        label="After a reference item is saved",
        choices=list(REFERENCE_USES.items()),
        widget=forms.RadioSelect,
    )


def who_may_label(project: Project) -> Any:
    roles = [role for role, rights in RIGHTS.items() if Right.LABEL in rights]
    members = Membership.objects.filter(project=project, role__in=roles).values("user")
    return get_user_model().objects.filter(pk__in=members).order_by("username")


def _plans(given: dict[str, Any]) -> list[RoundPlan]:
    overlap = Overlap(Design(given["design"]), given["raters_per_item"], given["share"] / 100)
    main = RoundPlan(
        overlap=overlap,
        seed=given["seed"],
        repeat_share=given["repeats"] / 100,
        is_on_demand=given["is_on_demand"],
        n_items=given["n_items"],
        reference_items=given["reference_items"],
    )
    if not given["n_calibration"]:
        return [main]
    everyone = Overlap(Design.EVERYONE)
    # What is known is kept for the main round, if it shall have some.
    reference_items = None if given["reference_items"] is None else ReferenceItems(number=0)
    return [
        RoundPlan(
            overlap=everyone,
            seed=given["seed"],
            n_items=given["n_calibration"],
            reference_items=reference_items,
        ),
        main,
    ]
