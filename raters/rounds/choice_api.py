"""API for choosing the items of a round."""

from typing import Any, NotRequired, TypedDict

from rest_framework import serializers

from core.keys import MAX_KEY
from core.refusals import RefusedWithCode
from core.web.strict import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictLineField,
    StrictSerializer,
)
from projects.models import ItemList, Project, Question, Round
from raters.rounds.chosen_items import FREE, ItemChoice, ItemSource, LowConfidenceOf

MAX_IDS = 100_000
KINDS = [(source.value, source.value) for source in ItemSource]
NEEDED = {
    ItemSource.LIST: "list",
    ItemSource.ROUND: "round",
    ItemSource.ATTRIBUTE: "attribute",
    ItemSource.WORDS: "words",
    ItemSource.IDS: "ids",
    ItemSource.CONFIDENCE: "question",
}


class ItemsInput(StrictSerializer):
    kind = StrictChoiceField(
        choices=KINDS,
        help_text="`free`: items in no round yet. `list`: a saved list. `round`: the items of a round. `disputed`: "
        "items in dispute, in `round` if it is given. `attribute`: items with a `value` of an `attribute`. "
        "`words`: items whose key or content contains the words. `ids`: these items. `confidence`: items that "
        "raters or models labeled with a confidence of `at_most` on a `question`.",
    )
    list = StrictIntegerField(required=False, min_value=1, help_text="ID of a list.")
    round = StrictLineField(required=False, max_length=MAX_KEY)
    attribute = StrictLineField(required=False, max_length=MAX_KEY)
    value = StrictLineField(required=False, max_length=MAX_KEY)
    words = StrictCharField(required=False, max_length=MAX_KEY)
    field = StrictLineField(
        required=False,
        max_length=MAX_KEY,
        help_text="Name of the content field in which the words are searched. Default: the key and the whole content.",
    )
    question = StrictLineField(
        required=False, max_length=MAX_KEY, help_text="Key of the question for `confidence`."
    )
    at_most = StrictFloatField(
        required=False, min_value=0, max_value=1, help_text="The highest confidence that counts as low."
    )
    by = StrictChoiceField(
        choices=[
            (LowConfidenceOf.ANY.value, LowConfidenceOf.ANY.value),
            (LowConfidenceOf.ALL.value, LowConfidenceOf.ALL.value),
        ],
        required=False,
        help_text="`any`: one label of the item is enough. `all`: every label of the item that has a confidence. "
        "Default: any.",
    )
    ids = serializers.ListField(
        child=StrictLineField(max_length=MAX_KEY), required=False, min_length=1, max_length=MAX_IDS
    )
    again = StrictBooleanField(
        required=False,
        help_text="Whether raters can get items that they have labeled before. Default: false.",
    )
    stratify_by = StrictLineField(
        required=False,
        max_length=MAX_KEY,
        help_text="Attribute to stratify by: its values have the same shares among the `n_items` drawn as "
        "among all chosen items.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        source = ItemSource(attrs["kind"])
        wanted = [NEEDED[source]] if source in NEEDED else []
        if source is ItemSource.ATTRIBUTE:
            wanted.append("value")
        if source is ItemSource.CONFIDENCE:
            wanted.append("at_most")
        missing = [name for name in wanted if name not in attrs]
        if missing:
            raise serializers.ValidationError(
                dict.fromkeys(missing, f"Needed for the kind “{source.value}”.")
            )
        return attrs


class ValidatedItemChoice(TypedDict):
    """Validated input of `ItemsInput`."""

    kind: str
    list: NotRequired[int]
    round: NotRequired[str]
    attribute: NotRequired[str]
    value: NotRequired[str]
    words: NotRequired[str]
    field: NotRequired[str]
    question: NotRequired[str]
    at_most: NotRequired[float]
    by: NotRequired[str]
    ids: NotRequired[list[str]]
    again: NotRequired[bool]
    stratify_by: NotRequired[str]


def choice_of(project: Project, validated: ValidatedItemChoice | None) -> ItemChoice:
    """Return the chosen items. Raises RefusedWithCode for a missing list, round, or question; DesignRefused."""
    if validated is None:
        return FREE
    source = ItemSource(validated["kind"])
    again, stratify_by = validated.get("again", False), validated.get("stratify_by", "")
    about, pk = "", 0
    if source is ItemSource.CONFIDENCE:
        question = Question.objects.filter(project=project, key=validated["question"]).first()
        if question is None:
            raise RefusedWithCode("no_such_question", f"There is no question {validated['question']!r}.")
        return ItemChoice.of_low_confidence(
            question,
            validated["at_most"],
            LowConfidenceOf(validated.get("by", LowConfidenceOf.ANY)),
            again=again,
            stratify_by=stratify_by,
        )
    if source is ItemSource.LIST:
        found = ItemList.objects.filter(project=project, pk=validated["list"]).first()
        if found is None:
            raise RefusedWithCode("no_such_list", f"There is no list {validated['list']}.")
        about, pk = found.name, found.pk
    elif source in {ItemSource.ROUND, ItemSource.DISPUTED} and "round" in validated:
        round_ = Round.objects.filter(project=project, key=validated["round"]).first()
        if round_ is None:
            raise RefusedWithCode("no_such_round", f"There is no round {validated['round']!r}.")
        about, pk = round_.key, round_.pk
    elif source is ItemSource.ATTRIBUTE:
        about = f"{validated['attribute']} = {validated['value']}"
    elif source is ItemSource.WORDS:
        about = validated["words"]
    ids = tuple(validated.get("ids", ())) if source is ItemSource.IDS else ()
    return ItemChoice(
        source=source,
        about=str(len(ids)) if ids else about,
        pk=pk,
        attribute=validated.get("attribute", ""),
        value=validated.get("value", ""),
        ids=ids,
        again=again,
        stratify_by=stratify_by,
        field=validated.get("field", "") if source is ItemSource.WORDS else "",
    )


class ItemChoiceSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=KINDS)
    about = serializers.CharField(
        help_text="The name of the list or round, `attribute = value`, the words, or which confidence."
    )
    again = serializers.BooleanField()
    stratify_by = serializers.CharField()
    field = serializers.CharField(
        required=False, help_text="The content field that was searched; absent for the whole item."
    )
