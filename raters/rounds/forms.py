"""Forms for planning a round and changing its settings."""

import re
from typing import Any

from django import forms
from django.contrib.auth import get_user_model

from core.keys import MAX_KEY
from core.web.refusals import refusals_in_form
from projects.models import ItemList, Membership, Project, Question, Round
from projects.roles import PERMISSIONS, Permission
from raters.confidence_scale import STEPS
from raters.rounds.assigning.assignment_design import AssignmentDesign, DesignRefused, Overlap
from raters.rounds.chosen_items import FREE, ItemChoice, ItemSource, LowConfidenceOf
from raters.rounds.round_keys import refuse_taken_key
from raters.rounds.round_plan import ReferenceItems, RoundPlan, draw_seed

DESIGNS = {
    AssignmentDesign.EVERYONE: "Every item by every rater",
    AssignmentDesign.SOME: "Every item by some raters",
    AssignmentDesign.SHARE_TWICE: "Some items by two raters, the others by one",
    AssignmentDesign.SAME: "Every item by the raters who labeled it before",
}
SOURCES = {
    ItemSource.FREE: "Items in no round yet",
    ItemSource.LIST: "A saved list",
    ItemSource.ROUND: "The items of a round",
    ItemSource.DISPUTED: "Items in dispute",
    ItemSource.ATTRIBUTE: "Items with an attribute",
    ItemSource.WORDS: "Items that contain certain words",
    ItemSource.IDS: "Items given by ID",
    ItemSource.CONFIDENCE: "Items labeled with low confidence",
}
BY = {
    LowConfidenceOf.ANY: "One rater of the item",
    LowConfidenceOf.ALL: "All raters of the item who gave one",
}
MAX_IDS_TEXT = 2_000_000
MAX_SEED = 2**31 - 1
MAX_IDLE_MINUTES = 60 * 24 * 30


REFERENCE_USES = {
    Round.ReferenceUse.CHECK: "Check: the reference is never shown",
    Round.ReferenceUse.TRAINING: "Training: raters see the reference and can no longer change their answer",
}
NUMBER_OR_SHARE = re.compile(r"(\d{1,7})(?:([.,]\d{1,3})?\s*%)?", re.ASCII)


class ReferenceItemsField(forms.CharField):
    """A number of items, or a share with a percent sign."""

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
        label="Design", choices=list(DESIGNS.items()), widget=forms.RadioSelect, initial=AssignmentDesign.SOME
    )
    raters_per_item = forms.IntegerField(label="Raters per item", min_value=1, max_value=1000, initial=2)
    share = forms.FloatField(label="Items labeled by two raters (%)", min_value=0, max_value=100, initial=20)
    is_on_demand = forms.BooleanField(
        label="Assign on demand",
        required=False,
        help_text="Items are not assigned in advance: raters get the next available item as they work. "
        "Requires the design “Every item by some raters”.",
    )
    source = forms.ChoiceField(
        label="Items",
        choices=list(SOURCES.items()),
        required=False,
        widget=forms.RadioSelect,
        initial=ItemSource.FREE,
    )
    item_list = forms.ModelChoiceField(
        label="List", queryset=ItemList.objects.none(), required=False, empty_label="Choose a list"
    )
    of_round = forms.ModelChoiceField(
        label="Round",
        queryset=Round.objects.none(),
        required=False,
        empty_label="Any round",
        help_text="For the items of a round, and to limit items in dispute to those of a round.",
    )
    attribute = forms.CharField(
        label="Attribute and value",
        required=False,
        max_length=2 * MAX_KEY,
        help_text="For example, “site = Leeds”.",
    )
    words = forms.CharField(label="Words", required=False, max_length=MAX_KEY)
    field = forms.CharField(
        label="In field",
        required=False,
        max_length=MAX_KEY,
        help_text="Name of a content field. Leave empty to search the ID and the whole content.",
    )
    of_question = forms.ModelChoiceField(
        label="Question", queryset=Question.objects.none(), required=False, empty_label="Choose a question"
    )
    at_most = forms.ChoiceField(
        label="Confidence of at most",
        choices=[(step.value, str(step)) for step in STEPS],
        required=False,
        initial=STEPS[1].value,
    )
    by = forms.ChoiceField(
        label="Whose confidence",
        choices=list(BY.items()),
        required=False,
        initial=LowConfidenceOf.ANY,
        help_text="Labels without a confidence are left out.",
    )
    ids = forms.CharField(
        label="IDs of items",
        required=False,
        max_length=MAX_IDS_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One per line.",
    )
    again = forms.BooleanField(
        label="Label again",
        required=False,
        help_text="Raters can get items that they have labeled before. Their earlier labels stay, and "
        "reports compare the rounds; final labels of an item use this round’s labels once all of them are in. "
        "Otherwise, nobody gets an item twice.",
    )
    stratify_by = forms.CharField(
        label="Stratify by attribute",
        required=False,
        max_length=MAX_KEY,
        help_text="If you enter a number of items: draw them so that each value of this attribute has the same "
        "share as among all chosen items.",
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
        help_text="Sampled at random from the chosen items. Leave empty for all.",
        # Style sheets can see only by a placeholder that a field is empty.
        widget=forms.NumberInput(attrs={"placeholder": " "}),
    )
    reference_items = ReferenceItemsField(
        label="Reference items",
        required=False,
        max_length=20,
        help_text="Items with a reference answer, given to every rater to check accuracy: a number, or a "
        "percentage such as 10%. "
        "Leave empty to treat them like other items.",
        widget=forms.TextInput(attrs={"placeholder": " "}),
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
        min_value=0,
        max_value=MAX_SEED,
        initial=draw_seed,
        help_text="Drawn at random. The same seed gives the same plan.",
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project
        self.fields["raters"].queryset = who_may_label(project)  # type: ignore[attr-defined]
        self.fields["item_list"].queryset = ItemList.objects.filter(project=project)  # type: ignore[attr-defined]
        self.fields["of_round"].queryset = Round.objects.filter(project=project)  # type: ignore[attr-defined]
        self.fields["of_question"].queryset = Question.objects.filter(project=project)  # type: ignore[attr-defined]

    @property
    def has_special_settings(self) -> bool:
        """Whether a setting that few people need was changed, or is wrong."""
        names = {"n_calibration", "repeats", "kappa", "prevalence"}
        return self.is_bound and not names.isdisjoint([*self.changed_data, *self.errors])

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if "key" in found:
            others = list(self.project.rounds.values_list("key", flat=True))
            with refusals_in_form(self):
                for name in _names(found):
                    refuse_taken_key(name, others)
        if not self.errors:
            try:
                self.plans = _plans(found, self._choice(found))
            except DesignRefused as refused:
                self.add_error(None, str(refused))
        return found

    def _choice(self, given: dict[str, Any]) -> ItemChoice:
        """Return the chosen items. Raises DesignRefused."""
        source = ItemSource(given["source"] or ItemSource.FREE)
        wanted = {
            ItemSource.LIST: "item_list",
            ItemSource.ROUND: "of_round",
            ItemSource.ATTRIBUTE: "attribute",
            ItemSource.WORDS: "words",
            ItemSource.IDS: "ids",
            ItemSource.CONFIDENCE: "of_question",
        }.get(source)
        if wanted and not given[wanted]:
            self.add_error(wanted, f"Needed for “{SOURCES[source]}”.")
            return FREE
        more = {"again": given["again"], "stratify_by": given["stratify_by"]}
        match source:
            case ItemSource.LIST:
                found = given["item_list"]
                return ItemChoice(source=source, about=found.name, pk=found.pk, **more)
            case ItemSource.ROUND | ItemSource.DISPUTED if given["of_round"]:
                found = given["of_round"]
                return ItemChoice(source=source, about=found.key, pk=found.pk, **more)
            case ItemSource.ATTRIBUTE:
                name, equals, value = (part.strip() for part in given["attribute"].partition("="))
                if not (name and equals and value):
                    self.add_error("attribute", "Enter an attribute and a value, such as “site = Leeds”.")
                    return FREE
                return ItemChoice(
                    source=source, about=f"{name} = {value}", attribute=name, value=value, **more
                )
            case ItemSource.CONFIDENCE:
                at_most, by = (
                    float(given["at_most"] or STEPS[1].value),
                    LowConfidenceOf(given["by"] or LowConfidenceOf.ANY),
                )
                return ItemChoice.of_low_confidence(given["of_question"], at_most, by, **more)
            case ItemSource.WORDS:
                return ItemChoice(source=source, about=given["words"], field=given["field"], **more)
            case ItemSource.IDS:
                ids = tuple(line.strip() for line in given["ids"].splitlines())
                return ItemChoice(source=source, about=str(len(ids)), ids=ids, **more)
            case _:
                return ItemChoice(source=source, **more)

    @property
    def named_plans(self) -> list[tuple[str, RoundPlan]]:
        """The plans of a valid form, each with the name of its round."""
        return list(zip(_names(self.cleaned_data), self.plans, strict=True))


class RoundSettingsForm(forms.Form):
    """Settings that can be changed until the round is closed."""

    idle_minutes = forms.IntegerField(
        label="Release inactive assignments after (minutes)", min_value=1, max_value=MAX_IDLE_MINUTES
    )
    reference_use = forms.ChoiceField(
        label="After a reference item is saved",
        choices=list(REFERENCE_USES.items()),
        widget=forms.RadioSelect,
    )
    pass_mark = forms.FloatField(
        label="Pass mark (%)",
        required=False,
        min_value=1,
        max_value=100,
        help_text="The share of reference answers that raters must match on their items, computed once a rater has "
        "labeled all of these items. “Cannot tell” does not match. Leave empty for none.",
    )
    gates = forms.ModelMultipleChoiceField(
        label="Opens to a rater who has passed one of these rounds",
        queryset=Round.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, data: Any, *, round_: Round) -> None:
        initial = {
            "idle_minutes": round_.idle_minutes,
            "reference_use": round_.reference_use,
            "pass_mark": None if round_.pass_mark is None else round(round_.pass_mark * 100, 6),
            "gates": [each.gate_id for each in round_.gates.all()],
        }
        super().__init__(data, initial=initial)
        others = Round.objects.filter(project=round_.project_id, pass_mark__isnull=False).exclude(
            pk=round_.pk
        )
        self.fields["gates"].queryset = others.order_by("position", "pk")  # type: ignore[attr-defined]

    def clean_pass_mark(self) -> float | None:
        percent = self.cleaned_data["pass_mark"]
        return None if percent is None else percent / 100


def who_may_label(project: Project) -> Any:
    roles = [role for role, permissions in PERMISSIONS.items() if Permission.LABEL in permissions]
    members = Membership.objects.filter(project=project, role__in=roles).values("user")
    return get_user_model().objects.filter(pk__in=members).order_by("username")


def _names(given: dict[str, Any]) -> list[str]:
    """Return the names of the rounds, in the order of their plans."""
    key = given["key"]
    return [f"{key}: calibration", key] if given.get("n_calibration") else [key]


def _plans(given: dict[str, Any], chosen: ItemChoice) -> list[RoundPlan]:
    overlap = Overlap(AssignmentDesign(given["design"]), given["raters_per_item"], given["share"] / 100)
    main = RoundPlan(
        overlap=overlap,
        seed=given["seed"],
        repeat_share=given["repeats"] / 100,
        is_on_demand=given["is_on_demand"],
        n_items=given["n_items"],
        reference_items=given["reference_items"],
        chosen=chosen,
    )
    if not given["n_calibration"]:
        return [main]
    everyone = Overlap(AssignmentDesign.EVERYONE)
    # If the main round is to have reference items, keep them for it.
    reference_items = None if given["reference_items"] is None else ReferenceItems(number=0)
    return [
        RoundPlan(
            overlap=everyone,
            seed=given["seed"],
            n_items=given["n_calibration"],
            reference_items=reference_items,
            chosen=chosen,
        ),
        main,
    ]
