"""What a lead fills in to plan a round."""

from typing import Any

from django import forms
from django.contrib.auth import get_user_model

from projects.models import MAX_KEY, Membership, Project
from projects.roles import RIGHTS, Right
from raters.assigning.wanted import Design, DesignRefused, Overlap
from raters.rounds.plans import Plan

DESIGNS = {
    Design.EVERYONE: "Every item by every rater",
    Design.SOME: "Every item by some raters",
    Design.SHARE_TWICE: "Some items by two raters, the others by one",
}
MAX_SEED = 2**31 - 1


class RatersField(forms.ModelMultipleChoiceField):
    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, user: Any) -> str:
        return str(user)


class RoundForm(forms.Form):
    key = forms.CharField(label="Name", max_length=MAX_KEY, help_text="Such as “pilot” or “main 1”.")
    raters = RatersField(queryset=None, help_text="Members who may label.")
    design = forms.ChoiceField(
        label="Who labels what", choices=list(DESIGNS.items()), widget=forms.RadioSelect, initial=Design.SOME
    )
    raters_per_item = forms.IntegerField(label="Raters per item", min_value=1, max_value=1000, initial=2)
    share = forms.FloatField(label="Items by two raters, %", min_value=0, max_value=100, initial=20)
    is_on_demand = forms.BooleanField(
        label="Hand out on demand",
        required=False,
        help_text="Nobody is named: whoever asks gets the next free place. For every item by some raters.",
    )
    n_calibration = forms.IntegerField(
        label="Calibration items",
        required=False,
        min_value=1,
        max_value=10**6,
        help_text="So many items go to every rater first, in a round of their own. Empty: none.",
    )
    n_items = forms.IntegerField(
        label="Items",
        required=False,
        min_value=1,
        max_value=10**7,
        help_text="So many, drawn at random from the items that are in no round. Empty: all of them.",
    )
    repeats = forms.FloatField(
        label="Blind repeats, %",
        min_value=0,
        max_value=50,
        initial=0,
        help_text="Of each rater’s items: they come a second time, much later and unannounced.",
    )
    idle_minutes = forms.IntegerField(
        label="Minutes until an idle place is given back", min_value=1, max_value=60 * 24 * 30, initial=60
    )
    seed = forms.IntegerField(
        min_value=0, max_value=MAX_SEED, initial=1, help_text="The same seed draws the same again."
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
    def named_plans(self) -> list[tuple[str, Plan]]:
        """Of a valid form: the rounds to plan, each with its name."""
        key = self.cleaned_data["key"]
        names = [key] if len(self.plans) == 1 else [f"{key}: calibration", key]
        return list(zip(names, self.plans, strict=True))


def who_may_label(project: Project) -> Any:
    roles = [role for role, rights in RIGHTS.items() if Right.LABEL in rights]
    members = Membership.objects.filter(project=project, role__in=roles).values("user")
    return get_user_model().objects.filter(pk__in=members).order_by("username")


def _plans(given: dict[str, Any]) -> list[Plan]:
    overlap = Overlap(Design(given["design"]), given["raters_per_item"], given["share"] / 100)
    main = Plan(
        overlap=overlap,
        seed=given["seed"],
        repeat_share=given["repeats"] / 100,
        is_on_demand=given["is_on_demand"],
        n_items=given["n_items"],
    )
    if not given["n_calibration"]:
        return [main]
    everyone = Overlap(Design.EVERYONE)
    return [Plan(overlap=everyone, seed=given["seed"], n_items=given["n_calibration"]), main]
