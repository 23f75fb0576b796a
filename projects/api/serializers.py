"""What projects, questions and items look like in the API: input strict, output plain."""

import re
from typing import Any

from drf_spectacular.utils import extend_schema_field, inline_serializer
from rest_framework import serializers

from projects.api.strict import Choice, Line, Number, Strict, Text, YesNo
from projects.models import MAX_KEY, MAX_TEXT, Category, Project, Question, slug_of_letters
from projects.reasons import MAX_REASON, MAX_REASONS, validate_reasons
from projects.thresholds import (
    HIGHEST,
    LOWEST,
    MAX_THRESHOLDS,
    Coefficient,
    ReadingScale,
    ThresholdsFor,
    validate_thresholds,
)
from projects.thresholds import MAX_NAME as MAX_THRESHOLD_NAME

MAX_CATEGORIES = 1000
# Squares of distances between values must stay finite.
MAX_VALUE = 1e100
VALUED = {Question.Level.INTERVAL, Question.Level.RATIO}
NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d{1,15})?", re.ASCII)


class NewProject(Strict):
    name = Line(max_length=MAX_KEY)
    slug = Text(max_length=80, required=False, validators=[slug_of_letters])
    guidelines = Text(max_length=100_000, required=False, allow_blank=True)


class Threshold(Strict):
    """A threshold for interpreting a coefficient: its lower bound and name."""

    name = Line(max_length=MAX_THRESHOLD_NAME)

    def get_fields(self) -> dict[str, Any]:
        # A field cannot be declared under a word of Python's own.
        return {"from": Number(min_value=LOWEST, max_value=HIGHEST), **super().get_fields()}


class ProjectChange(Strict):
    name = Line(max_length=MAX_KEY, required=False)
    guidelines = Text(max_length=100_000, required=False, allow_blank=True)
    state = Choice(choices=Project.State.choices, required=False)
    is_codebook_closed = YesNo(required=False)
    coefficient = Choice(choices=Coefficient.choices, required=False)
    reading_scale = Choice(choices=ReadingScale.choices, required=False)
    thresholds = serializers.ListField(child=Threshold(), required=False, max_length=MAX_THRESHOLDS)
    thresholds_for = Choice(choices=ThresholdsFor.choices, required=False)

    shows_names = YesNo(required=False)
    shows_own_figures = YesNo(required=False)
    adjudicators_see_names = YesNo(required=False)
    adjudication_reasons = serializers.ListField(
        child=Line(max_length=MAX_REASON), required=False, max_length=MAX_REASONS
    )

    def validate_adjudication_reasons(self, reasons: list[str]) -> list[str]:
        validate_reasons(reasons)
        return reasons

    def validate_thresholds(self, thresholds: list[dict[str, Any]]) -> list[dict[str, Any]]:
        # Of a part of a project, each threshold is whole all the same.
        found = [dict(entry) for entry in thresholds]
        validate_thresholds(found)
        return found


class NewCategory(Strict):
    key = Line(max_length=MAX_KEY)
    name = Line(max_length=MAX_KEY, required=False, allow_blank=True)
    definition = Text(max_length=MAX_TEXT, required=False, allow_blank=True)
    examples = Text(max_length=MAX_TEXT, required=False, allow_blank=True)
    value = Number(required=False, allow_null=True, min_value=-MAX_VALUE, max_value=MAX_VALUE)
    shortcut = Text(max_length=1, required=False, allow_blank=True)
    colour = Choice(choices=Category.Colour.choices, required=False, allow_blank=True)


class NewQuestion(Strict):
    key = Line(max_length=MAX_KEY)
    prompt = Text(max_length=MAX_TEXT, required=False, allow_blank=True)
    kind = Choice(choices=Question.Kind.choices, required=False)
    level = Choice(choices=Question.Level.choices, required=False)
    is_required = YesNo(required=False)
    allows_abstention = YesNo(required=False)
    categories = serializers.ListField(child=NewCategory(), required=False, max_length=MAX_CATEGORIES)

    def validate_categories(self, categories: list[dict[str, Any]]) -> list[dict[str, Any]]:
        keys = [category["key"] for category in categories]
        if doubled := sorted({key for key in keys if keys.count(key) > 1}):
            raise serializers.ValidationError(f"Duplicate category {doubled[0]!r}.", "duplicate_key")
        return categories

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("kind") == Question.Kind.NUMBER and attrs.get("categories"):
            raise serializers.ValidationError({"categories": "A number question can’t have categories."})
        if attrs.get("level") in VALUED:
            attrs["categories"] = with_values(attrs.get("categories", []))
        return attrs


def with_values(categories: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Categories of a scale with distances; where none has a value, keys that are numbers are the values."""
    values = [category.get("value") for category in categories]
    if not any(value is not None for value in values):
        values = [float(c["key"]) if NUMBER.fullmatch(c["key"]) else None for c in categories]
    known = [value for value in values if value is not None]
    if len(set(known)) < len(known):
        raise serializers.ValidationError(
            {"categories": "Two categories have the same value."}, "equal_values"
        )
    return [category | {"value": value} for category, value in zip(categories, values, strict=True)]


class ContentField(serializers.Serializer[Any]):
    name = serializers.CharField()
    kind = serializers.CharField()
    value = serializers.CharField()


# A class of its own: what is said of JSONField itself is said of all that show JSON.
@extend_schema_field(Threshold(many=True))
class Thresholds(serializers.JSONField):
    pass


@extend_schema_field(ContentField(many=True))
class Content(serializers.JSONField):
    pass


class ProjectShown(serializers.ModelSerializer[Project]):
    role = serializers.SerializerMethodField()
    url = serializers.SerializerMethodField()
    thresholds = Thresholds()
    adjudication_reasons = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Project
        fields = [
            "slug",
            "name",
            "guidelines",
            "state",
            "is_codebook_closed",
            "coefficient",
            "reading_scale",
            "thresholds",
            "thresholds_for",
            "shows_names",
            "shows_own_figures",
            "adjudicators_see_names",
            "adjudication_reasons",
            "created_at",
            "role",
            "url",
        ]

    def get_role(self, project: Project) -> str:
        return str(self.context["roles"].get(project.pk, ""))

    def get_url(self, project: Project) -> str:
        return project.get_absolute_url()


class CategoryShown(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    name = serializers.CharField()
    definition = serializers.CharField()
    examples = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    shortcut = serializers.CharField()
    colour = serializers.ChoiceField(choices=Category.Colour.choices, allow_blank=True)


class QuestionShown(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    prompt = serializers.CharField()
    kind = serializers.ChoiceField(choices=Question.Kind.choices)
    level = serializers.ChoiceField(choices=Question.Level.choices)
    is_required = serializers.BooleanField()
    allows_abstention = serializers.BooleanField()
    categories = CategoryShown(many=True, source="categories.all")


class ItemShown(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    content = Content()
    withdrawn_at = serializers.DateTimeField(
        allow_null=True, help_text="When the item was withdrawn from labeling; null if it was not."
    )


def page_shown(name: str, row: type[serializers.Serializer[Any]]) -> Any:
    """The description of one page of rows, for the OpenAPI document."""
    return inline_serializer(
        f"{name}Page",
        {
            "count": serializers.IntegerField(),
            "page": serializers.IntegerField(),
            "page_size": serializers.IntegerField(),
            "results": row(many=True),
        },
    )
