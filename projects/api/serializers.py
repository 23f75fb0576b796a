"""Projects, questions and items in the API: strict input, plain output."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.keys import MAX_KEY
from core.web.strict import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictLineField,
    StrictNameField,
    StrictSerializer,
)
from projects.adjudication_reasons import MAX_REASON, MAX_REASONS, validate_reasons
from projects.field_names import MAX_FIELDS, validate_names
from projects.models import Project, slug_of_letters
from projects.thresholds import (
    HIGHEST,
    LOWEST,
    MAX_THRESHOLDS,
    CoefficientChoice,
    ReadingScaleChoice,
    ThresholdsFor,
    validate_thresholds,
)
from projects.thresholds import MAX_NAME as MAX_THRESHOLD_NAME


class NewProject(StrictSerializer):
    name = StrictNameField(max_length=MAX_KEY)
    slug = StrictCharField(max_length=80, required=False, validators=[slug_of_letters])
    guidelines = StrictCharField(max_length=100_000, required=False, allow_blank=True)


class Threshold(StrictSerializer):
    """A threshold for interpreting a coefficient: its lower bound and name."""

    name = StrictNameField(max_length=MAX_THRESHOLD_NAME)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        # A field can't be declared under a Python keyword.
        return {"from": StrictFloatField(min_value=LOWEST, max_value=HIGHEST), **super().get_fields()}


class ProjectChange(StrictSerializer):
    name = StrictNameField(max_length=MAX_KEY, required=False)
    guidelines = StrictCharField(max_length=100_000, required=False, allow_blank=True)
    state = StrictChoiceField(choices=Project.State.choices, required=False)
    is_codebook_closed = StrictBooleanField(required=False)
    coefficient = StrictChoiceField(choices=CoefficientChoice.choices, required=False)
    reading_scale = StrictChoiceField(choices=ReadingScaleChoice.choices, required=False)
    thresholds = serializers.ListField(child=Threshold(), required=False, max_length=MAX_THRESHOLDS)
    thresholds_for = StrictChoiceField(choices=ThresholdsFor.choices, required=False)

    shows_names = StrictBooleanField(required=False)
    shows_own_figures = StrictBooleanField(required=False)
    adjudicators_see_names = StrictBooleanField(required=False)
    adjudication_reasons = serializers.ListField(
        child=StrictLineField(max_length=MAX_REASON), required=False, max_length=MAX_REASONS
    )

    one_key_saving = StrictChoiceField(choices=Project.OneKeySaving.choices, required=False)
    main_field = StrictLineField(max_length=MAX_KEY, required=False, allow_blank=True)
    fields_hidden = serializers.ListField(
        child=StrictLineField(max_length=MAX_KEY), required=False, max_length=MAX_FIELDS
    )
    fields_side_by_side = serializers.ListField(
        child=StrictLineField(max_length=MAX_KEY), required=False, max_length=MAX_FIELDS
    )

    def validate_fields_hidden(self, names: list[str]) -> list[str]:
        validate_names(names)
        return names

    def validate_fields_side_by_side(self, names: list[str]) -> list[str]:
        validate_names(names)
        return names

    def validate_adjudication_reasons(self, reasons: list[str]) -> list[str]:
        validate_reasons(reasons)
        return reasons

    def validate_thresholds(self, thresholds: list[dict[str, object]]) -> list[dict[str, object]]:
        # Of a part of a project, each threshold is whole all the same.
        found = [dict(entry) for entry in thresholds]
        validate_thresholds(found)
        return found


# A separate class, because annotations of JSONField itself would apply to all fields that show JSON.
@extend_schema_field(Threshold(many=True))
class ThresholdsJSONField(serializers.JSONField):
    pass


class ProjectSerializer(serializers.ModelSerializer[Project]):
    role = serializers.SerializerMethodField()
    url = serializers.SerializerMethodField()
    thresholds = ThresholdsJSONField()
    adjudication_reasons = serializers.ListField(child=serializers.CharField())
    fields_hidden = serializers.ListField(child=serializers.CharField())
    fields_side_by_side = serializers.ListField(child=serializers.CharField())

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
            "one_key_saving",
            "main_field",
            "fields_hidden",
            "fields_side_by_side",
            "created_at",
            "role",
            "url",
        ]

    def get_role(self, project: Project) -> str:
        return str(self.context["roles"].get(project.pk, ""))

    def get_url(self, project: Project) -> str:
        return project.get_absolute_url()
