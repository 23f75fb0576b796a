"""Serializers for codebook and guidelines: strict input, plain output."""

import re
from typing import Any

from rest_framework import serializers

from core.keys import MAX_KEY, folded_key
from core.web.strict import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictLineField,
    StrictNameField,
    StrictSerializer,
)
from projects.codebook.codebook_rules import MAX_MISSING, CategoryFields
from projects.codebook.starters import NAMES
from projects.measures import QuestionCoefficient, QuestionWeights
from projects.models import MAX_ANSWER_TEXT, MAX_TEXT, MAX_UNIT, Category, Question

MAX_ID = 10**17
MAX_CATEGORIES = 1000
# Squared differences of values must stay finite.
MAX_VALUE = 1e100
VALUED = {Question.Level.INTERVAL, Question.Level.RATIO}
NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d{1,15})?", re.ASCII)


def confidence_choice() -> StrictChoiceField:
    return StrictChoiceField(
        choices=Question.Confidence.choices,
        required=False,
        help_text="Whether raters are asked how sure they are of each answer. Default: off.",
    )


class NumberRules(StrictSerializer):
    minimum = StrictFloatField(
        required=False,
        allow_null=True,
        min_value=-MAX_VALUE,
        max_value=MAX_VALUE,
        help_text="For a number question: the smallest number that raters can enter.",
    )
    maximum = StrictFloatField(required=False, allow_null=True, min_value=-MAX_VALUE, max_value=MAX_VALUE)
    is_whole = StrictBooleanField(
        required=False, help_text="For a number question: whether only whole numbers are allowed."
    )
    step = StrictFloatField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MAX_VALUE,
        help_text="Numbers are the minimum, or 0, plus a multiple of it.",
    )
    unit = StrictLineField(max_length=MAX_UNIT, required=False, allow_blank=True)
    tolerance = StrictFloatField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MAX_VALUE,
        help_text="Numbers that differ by no more than this are not disputed, and count as the same in "
        "final labels. Agreement statistics never use it.",
    )


class TextRules(StrictSerializer):
    max_length = StrictIntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MAX_ANSWER_TEXT,
        help_text="For a text question: how many characters an answer can have. Null for the default.",
    )


class ConditionFields(StrictSerializer):
    asked_if_question = StrictCharField(
        max_length=MAX_KEY,
        required=False,
        allow_blank=True,
        help_text="The key of an earlier single- or multiple-choice question. Raters are asked only if they chose one "
        "of `asked_if_categories` there. Empty: always asked.",
    )
    asked_if_categories = serializers.ListField(
        child=StrictCharField(max_length=MAX_KEY),
        required=False,
        max_length=MAX_CATEGORIES,
        help_text="Category keys of the earlier question.",
    )

    def validate_asked_if_categories(self, keys: list[str]) -> list[str]:
        return list(dict.fromkeys(keys))


class QuestionChange(NumberRules, TextRules, ConditionFields):
    prompt = StrictCharField(max_length=MAX_TEXT, required=False, allow_blank=True)
    missing_values = serializers.ListField(
        child=StrictFloatField(min_value=-MAX_VALUE, max_value=MAX_VALUE),
        required=False,
        max_length=MAX_MISSING,
        help_text="For a number question: values such as 99 that reports leave out. Labels do not change.",
    )
    kind = StrictChoiceField(choices=Question.Kind.choices, required=False)
    level = StrictChoiceField(choices=Question.Level.choices, required=False)
    is_required = StrictBooleanField(required=False)
    allows_abstention = StrictBooleanField(required=False)
    confidence = confidence_choice()
    coefficient = StrictChoiceField(
        choices=QuestionCoefficient.choices,
        required=False,
        allow_blank=True,
        help_text="Primary coefficient in reports. Empty: chosen from the question’s scale and raters.",
    )
    weights = StrictChoiceField(
        choices=QuestionWeights.choices,
        required=False,
        allow_blank=True,
        help_text="Weights of a single-choice question that suit its scale. Empty: chosen from the scale.",
    )
    criterion = StrictFloatField(
        required=False,
        allow_null=True,
        min_value=-1,
        max_value=1,
        help_text="The value that the confidence interval has to reach. Null: the default for the "
        "coefficient.",
    )


class CategoryChange(StrictSerializer):
    treated_as_missing = StrictBooleanField(
        required=False, help_text="Whether reports leave out labels with this category. Labels do not change."
    )
    name = StrictNameField(max_length=MAX_KEY, required=False, allow_blank=True)
    definition = StrictCharField(max_length=MAX_TEXT, required=False, allow_blank=True)
    examples = StrictCharField(max_length=MAX_TEXT, required=False, allow_blank=True)
    value = StrictFloatField(required=False, allow_null=True, min_value=-MAX_VALUE, max_value=MAX_VALUE)
    shortcut = StrictCharField(max_length=1, required=False, allow_blank=True)
    color = StrictChoiceField(choices=Category.Color.choices, required=False, allow_blank=True)


class OrderInput(StrictSerializer):
    """All IDs, in the new order."""

    ids = serializers.ListField(
        child=StrictIntegerField(min_value=1, max_value=MAX_ID), max_length=MAX_CATEGORIES, allow_empty=True
    )


class CategoryMergeInput(StrictSerializer):
    into = StrictIntegerField(
        min_value=1, max_value=MAX_ID, help_text="The ID of another category of the same question."
    )


class CodebookCopyInput(StrictSerializer):
    """Either the slug of one of your projects, or the key of a template."""

    project = StrictCharField(max_length=80, required=False)
    starter = StrictChoiceField(choices=NAMES, required=False)
    with_guidelines = StrictBooleanField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("project" in attrs) == ("starter" in attrs):
            raise serializers.ValidationError("Send a project or a starter, not both.", "one_source")
        if "starter" in attrs and "with_guidelines" in attrs:
            raise serializers.ValidationError(
                {
                    "with_guidelines": "Not allowed with a starter: its guidelines are added only if the "
                    "project has none."
                }
            )
        return attrs


class NewGuidelines(StrictSerializer):
    text = StrictCharField(max_length=100_000, allow_blank=True)
    seen = StrictIntegerField(
        min_value=0,
        max_value=32_767,
        required=False,
        help_text="The version your text is based on. The request fails with a conflict if a newer version exists.",
    )


class CategorySerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    name = serializers.CharField()
    definition = serializers.CharField()
    examples = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    shortcut = serializers.CharField()
    color = serializers.ChoiceField(choices=Category.Color.choices, allow_blank=True)
    treated_as_missing = serializers.BooleanField(
        help_text="Whether reports leave out labels with this category."
    )


class QuestionSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    prompt = serializers.CharField()
    kind = serializers.ChoiceField(choices=Question.Kind.choices)
    level = serializers.ChoiceField(choices=Question.Level.choices)
    is_required = serializers.BooleanField()
    allows_abstention = serializers.BooleanField()
    confidence = serializers.ChoiceField(
        choices=Question.Confidence.choices,
        help_text="Whether raters are asked how sure they are of each answer.",
    )
    missing_values = serializers.ListField(
        child=serializers.FloatField(), help_text="For a number question: values that reports leave out."
    )
    coefficient = serializers.ChoiceField(choices=QuestionCoefficient.choices, allow_blank=True)
    weights = serializers.ChoiceField(choices=QuestionWeights.choices, allow_blank=True)
    criterion = serializers.FloatField(allow_null=True)
    minimum = serializers.FloatField(allow_null=True)
    maximum = serializers.FloatField(allow_null=True)
    is_whole = serializers.BooleanField()
    step = serializers.FloatField(allow_null=True)
    unit = serializers.CharField()
    tolerance = serializers.FloatField(allow_null=True)
    max_length = serializers.IntegerField(
        allow_null=True, help_text="For a text question; null for the default."
    )
    asked_if_question = serializers.CharField(
        help_text="The key of an earlier question. Empty: this question is always asked."
    )
    asked_if_categories = serializers.ListField(
        child=serializers.CharField(),
        help_text="Raters who chose one of these categories of the earlier question are asked.",
    )
    categories = CategorySerializer(many=True, source="choices")


class MergeResultSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    n_labels = serializers.IntegerField(help_text="The number of labels changed.")
    merged_into = serializers.IntegerField()


class CodebookSerializer(serializers.Serializer[Any]):
    questions = QuestionSerializer(many=True)
    guidelines_version = serializers.IntegerField(help_text="0 if there are no guidelines yet.")
    is_closed = serializers.BooleanField()


class StarterSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    name = serializers.CharField()
    about = serializers.CharField()
    guidelines = serializers.CharField()
    questions = serializers.SerializerMethodField()

    def get_questions(self, starter: Any) -> list[str]:
        return [question["key"] for question in starter.questions]


class GuidelinesSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    made_by = serializers.CharField(source="made_by.username")
    made_at = serializers.DateTimeField()


class GuidelinesTextSerializer(GuidelinesSerializer):
    text = serializers.CharField()


class NewCategory(StrictSerializer):
    key = StrictNameField(max_length=MAX_KEY)
    treated_as_missing = StrictBooleanField(required=False)
    name = StrictNameField(max_length=MAX_KEY, required=False, allow_blank=True)
    definition = StrictCharField(max_length=MAX_TEXT, required=False, allow_blank=True)
    examples = StrictCharField(max_length=MAX_TEXT, required=False, allow_blank=True)
    value = StrictFloatField(required=False, allow_null=True, min_value=-MAX_VALUE, max_value=MAX_VALUE)
    shortcut = StrictCharField(max_length=1, required=False, allow_blank=True)
    color = StrictChoiceField(choices=Category.Color.choices, required=False, allow_blank=True)


class NewQuestion(NumberRules, TextRules, ConditionFields):
    key = StrictNameField(max_length=MAX_KEY)
    prompt = StrictCharField(max_length=MAX_TEXT, required=False, allow_blank=True)
    kind = StrictChoiceField(choices=Question.Kind.choices, required=False)
    level = StrictChoiceField(choices=Question.Level.choices, required=False)
    is_required = StrictBooleanField(required=False)
    allows_abstention = StrictBooleanField(required=False)
    confidence = confidence_choice()
    categories = serializers.ListField(child=NewCategory(), required=False, max_length=MAX_CATEGORIES)

    def validate_categories(self, categories: list[CategoryFields]) -> list[CategoryFields]:
        keys = [category["key"] for category in categories]
        first: dict[str, str] = {}
        for key in keys:
            if (other := first.get(folded_key(key))) is not None:
                alike = "." if key == other else f": it differs from {other!r} only by case or Unicode form."
                raise serializers.ValidationError(f"Duplicate category {key!r}{alike}", "duplicate_key")
            first[folded_key(key)] = key
        return categories

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        kind = Question.Kind(attrs.get("kind", Question.Kind.SINGLE))
        if attrs.get("categories") and not kind.has_categories:
            raise serializers.ValidationError({"categories": f"A {kind} question can’t have categories."})
        if attrs.get("level") in VALUED:
            attrs["categories"] = with_values(attrs.get("categories", []))
        return attrs


def with_values(categories: list[CategoryFields]) -> list[CategoryFields]:
    """Return categories of a scale with distances; if none has a value, numeric keys are the values."""
    values = [category.get("value") for category in categories]
    if not any(value is not None for value in values):
        values = [float(c["key"]) if NUMBER.fullmatch(c["key"]) else None for c in categories]
    known = [value for value in values if value is not None]
    if len(set(known)) < len(known):
        raise serializers.ValidationError(
            {"categories": "Two categories have the same value."}, "equal_values"
        )
    return [{**category, "value": value} for category, value in zip(categories, values, strict=True)]
