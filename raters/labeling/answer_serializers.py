"""API serializers for answers of raters, references, and adjudicators."""

from typing import Any

from rest_framework import serializers

from core.keys import MAX_KEY
from core.web.strict import StrictBooleanField, StrictCharField, StrictFloatField, StrictSerializer
from projects.models import MAX_ANSWER_TEXT, MAX_TEXT, MAX_VALUE

MAX_ANSWERS = 1000


class AnswerValueInput(StrictSerializer):
    """Exactly one of category, categories, number and cannot_tell."""

    category = StrictCharField(max_length=MAX_KEY, required=False, allow_null=True)
    categories = serializers.ListField(
        child=StrictCharField(max_length=MAX_KEY), required=False, allow_null=True, max_length=MAX_ANSWERS
    )
    number = StrictFloatField(required=False, allow_null=True, min_value=-MAX_VALUE, max_value=MAX_VALUE)
    text = StrictCharField(
        required=False,
        allow_null=True,
        max_length=MAX_ANSWER_TEXT,
        help_text="The answer to a text question, stored exactly as it is sent.",
    )
    cannot_tell = StrictBooleanField(required=False)
    reason = StrictCharField(max_length=MAX_KEY, required=False, allow_blank=True)
    note = StrictCharField(max_length=MAX_TEXT, required=False, allow_blank=True)


class AnswerValueSerializer(serializers.Serializer[Any]):
    category = serializers.CharField(allow_null=True)
    categories = serializers.ListField(child=serializers.CharField(), allow_null=True)
    number = serializers.FloatField(allow_null=True)
    text = serializers.CharField(allow_null=True)
    cannot_tell = serializers.BooleanField()


class ReasonedValueSerializer(AnswerValueSerializer):
    reason = serializers.CharField()
    note = serializers.CharField()
