"""Serializers for adjudication: strict input, plain output."""

from typing import Any

from rest_framework import serializers

from core.keys import MAX_KEY
from core.web.strict import StrictBooleanField, StrictCharField, StrictIntegerField
from projects.items.serializers import ItemContentField
from raters.adjudication.conditional_questions import ConditionState
from raters.labeling.answer_serializers import AnswerValueInput, ReasonedValueSerializer

MAX_REVISION = 2**31 - 1


class DisputeSerializer(serializers.Serializer[Any]):
    item_id = serializers.IntegerField()
    item = serializers.CharField()
    question_id = serializers.IntegerField()
    question = serializers.CharField()
    n_labels = serializers.IntegerField(
        help_text="The number of raters, people and models alike, who gave a label. References do not count."
    )
    n_most = serializers.IntegerField(help_text="The number of raters who gave the most frequent label.")
    n_values = serializers.IntegerField(help_text="The number of different labels.")
    entropy = serializers.FloatField(
        help_text="Entropy of the labels, in bits. The list is sorted by it, highest first; for numbers and ordered "
        "categories, it counts in proportion to the distance between the labels."
    )


class OpinionSerializer(ReasonedValueSerializer):
    rater = serializers.CharField(
        help_text="A person, model, or reference. A random letter if the project hides names."
    )
    is_reference = serializers.BooleanField()
    pass_number = serializers.IntegerField()
    is_guideline_unclear = serializers.BooleanField()
    round = serializers.CharField()


class DecisionSerializer(ReasonedValueSerializer):
    for_guidelines = serializers.BooleanField()
    decided_by = serializers.CharField(allow_null=True)
    decided_at = serializers.DateTimeField()


class CaseSerializer(serializers.Serializer[Any]):
    item_id = serializers.IntegerField()
    item = serializers.CharField()
    question_id = serializers.IntegerField()
    question = serializers.CharField()
    asked = serializers.ChoiceField(
        [str(each) for each in ConditionState],
        help_text="Whether the question is asked, given the final labels of earlier questions. `waiting`: "
        "one of them has no final label yet. `not_asked`: labels and decisions on this question "
        "do not count.",
    )
    condition = serializers.CharField(help_text="When the question is asked, in words; empty if always.")
    content = ItemContentField()
    labels = OpinionSerializer(many=True)
    decision = DecisionSerializer(allow_null=True)
    revision = serializers.IntegerField(
        help_text="Revision of the current decision; 0 if there is none. Send it with your decision."
    )
    reasons = serializers.ListField(child=serializers.CharField())


class DecisionInput(AnswerValueInput):
    """Exactly one of category, categories, number, and cannot_tell."""

    revision = StrictIntegerField(
        min_value=0, max_value=MAX_REVISION, required=False, help_text="Required. The revision you saw."
    )
    reason = StrictCharField(
        max_length=MAX_KEY,
        required=False,
        allow_blank=True,
        help_text="One of the project's decision reasons.",
    )
    for_guidelines = StrictBooleanField(required=False)


class DecisionChangeSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField(
        allow_null=True, help_text="Null for raters' labels where their names are hidden from you."
    )
    by = serializers.CharField()
    way_in = serializers.CharField()
    change = serializers.CharField()
    question = serializers.CharField()
    rater = serializers.CharField()
    rater_kind = serializers.CharField()
    pass_number = serializers.IntegerField()
    revision = serializers.IntegerField()
    old = serializers.CharField(help_text="As text; empty if there was no label.")
    new = serializers.CharField()
    old_reason = serializers.CharField()
    reason = serializers.CharField()
    old_note = serializers.CharField()
    note = serializers.CharField()
    guidelines_version = serializers.IntegerField(allow_null=True)
    old_confidence = serializers.FloatField(allow_null=True)
    confidence = serializers.FloatField(allow_null=True)
    from_suggestion = serializers.BooleanField(
        help_text="Whether the rater accepted the label from a suggestion."
    )
