"""API for labels: sending them in bulk, and fetching changes."""

from typing import Any, cast

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.keys import MAX_KEY
from core.shapes import Json
from core.tables.cells import has_edge_space
from core.web.api import (
    FLAG,
    MAX_PAGE_SIZE,
    PAGE_SIZE,
    View,
    choice_parameter,
    flag_parameter,
    whole_parameter,
    whole_schema,
)
from core.web.strict import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictLineField,
)
from projects.access import project_to
from projects.imports.import_lock import lock_timeout_refusals
from projects.models import MAX_VALUE, Item, Project, Question, Round
from projects.roles import Permission
from raters.imports.label_options import IMPORTED_KINDS
from raters.labeling.answer_serializers import AnswerValueInput, ReasonedValueSerializer
from raters.models import Rater
from raters.sending.label_feed import ChangedLabel, HistoryPoint, RequestedLabels, changed_labels
from raters.sending.submitted_labels import KIND_OF, MOST_LABELS, ValidatedLabel, save_labels

ON_CONFLICT = ("refuse", "replace")
MAX_PASS = 32_767


class LabelKeyField(StrictLineField):
    """What something is called, exactly."""

    default_error_messages = {"edge_space": "This can’t begin or end with a space."}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=MAX_KEY, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if has_edge_space(text):
            self.fail("edge_space")
        return text


class NewLabel(AnswerValueInput):
    """Exactly one of category, categories, number, text, and cannot_tell."""

    item = LabelKeyField()
    rater = LabelKeyField()
    question = LabelKeyField()
    rater_kind = StrictChoiceField(
        choices=IMPORTED_KINDS,
        required=False,
        help_text="Kind of rater, if the rater is new. Default: human.",
    )
    category = LabelKeyField(required=False, allow_null=True)
    categories = serializers.ListField(
        child=LabelKeyField(), required=False, allow_null=True, max_length=1_000
    )
    seconds = StrictFloatField(min_value=0, max_value=MAX_VALUE, required=False)
    confidence = StrictFloatField(
        min_value=0,
        max_value=1,
        required=False,
        allow_null=True,
        help_text="Probability that the label is right, as stated by the rater or model.",
    )
    from_suggestion = StrictBooleanField(
        required=False,
        help_text="Whether the rater was shown this answer and accepted it. Reports leave such labels out by default.",
    )
    labeled_at = StrictCharField(max_length=50, required=False, help_text="ISO 8601. Default: now.")
    pass_number = StrictIntegerField(min_value=1, max_value=MAX_PASS, required=False)
    round = LabelKeyField(required=False)
    source_id = LabelKeyField(
        required=False,
        help_text="The label’s ID in your program. For the same rater and question, it always identifies "
        "the same label.",
    )

    def validate(self, attrs: Any) -> Any:
        given = [name for name in KIND_OF if attrs.get(name) is not None]
        if len(given) + bool(attrs.get("cannot_tell")) != 1:
            raise serializers.ValidationError(
                "Send exactly one of category, categories, number, text, and cannot_tell.", "one_value"
            )
        return attrs


class SavedLabelCountsSerializer(serializers.Serializer[Any]):
    n_created = serializers.IntegerField()
    n_changed = serializers.IntegerField()
    n_unchanged = serializers.IntegerField()


class LabelSerializer(ReasonedValueSerializer):
    id = serializers.IntegerField()
    is_withdrawn = serializers.BooleanField(
        help_text="Whether the label was withdrawn. A withdrawn label has no value."
    )
    item = serializers.CharField(allow_null=True, help_text="null if the item was deleted.")
    item_id = serializers.IntegerField()
    question = serializers.CharField()
    rater = serializers.CharField(allow_null=True)
    rater_kind = serializers.ChoiceField(choices=Rater.Kind.choices, allow_null=True)
    round = serializers.CharField(allow_null=True)
    pass_number = serializers.IntegerField()
    seconds = serializers.FloatField(allow_null=True)
    confidence = serializers.FloatField(allow_null=True)
    from_suggestion = serializers.BooleanField(help_text="The rater was shown this answer and accepted it.")
    labeled_at = serializers.DateTimeField(allow_null=True)
    source_id = serializers.CharField()
    revision = serializers.IntegerField()
    changed_at = serializers.DateTimeField()


class LabelsSerializer(serializers.Serializer[Any]):
    results = LabelSerializer(many=True)
    has_more = serializers.BooleanField(help_text="Whether there are more results already.")
    next = serializers.CharField(
        help_text="Send it as `changed_since` to get what follows, now or later. Keep it even if there are no results."
    )


class LabelList(View):
    parameters = {
        "get": ["changed_since", "question", "rater", "round", "item", "page_size"],
        "post": ["on_conflict", "declared_only"],
    }

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "changed_since",
                str,
                description="The `next` value of an earlier response. Default: from the beginning.",
            ),
            OpenApiParameter("question", str, description="Question key. Default: all questions."),
            OpenApiParameter("rater", str, description="Rater key. Default: all raters."),
            OpenApiParameter("round", str, description="Round key. Default: all rounds."),
            OpenApiParameter("item", str, description="Item key. Default: all items."),
            OpenApiParameter(
                "page_size",
                whole_schema(1, MAX_PAGE_SIZE),
                description=f"Maximum number of results. Default: {PAGE_SIZE}.",
            ),
        ],
        responses=LabelsSerializer,
        operation_id="labels_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List labels in the order of their last change, or only those changed since an earlier response.

        Each label is listed once, as it is now, and again after each change. With `changed_since`, withdrawn
        labels are listed too, with `is_withdrawn`.
        """
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        size = whole_parameter(request, "page_size", default=PAGE_SIZE, low=1, high=MAX_PAGE_SIZE)
        asked = request.query_params.get("changed_since")
        since = None if asked is None else HistoryPoint.of_text(asked)
        found = changed_labels(project, _wanted(request, project), since, most=size + 1)
        results = found[:size]
        return Response(
            {
                "results": [_serialized(label) for label in results],
                "has_more": len(found) > size,
                "next": str(results[-1].since if results else since or HistoryPoint()),
            }
        )

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "on_conflict",
                str,
                enum=ON_CONFLICT,
                description="What to do if the rater already has a different label for the item and question, with no "
                "source_id or another one. Default: refuse.",
            ),
            OpenApiParameter(
                "declared_only",
                str,
                enum=FLAG,
                description="Whether to refuse items, raters, questions, categories, and rounds that the project does "
                "not have yet. Default: false, which creates them.",
            ),
        ],
        request=NewLabel(many=True),
        responses={200: SavedLabelCountsSerializer, 201: SavedLabelCountsSerializer},
        operation_id="labels_save",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Save up to 5,000 labels: all of them, or none. For more, import a file."""
        project = project_to(request.user, slug, Permission.IMPORT)
        replace = choice_parameter(request, "on_conflict", ON_CONFLICT, default="refuse") == "replace"
        declared_only = flag_parameter(request, "declared_only") or False
        labels = cast(list[ValidatedLabel], self.checked_rows(NewLabel, most=MOST_LABELS))
        with lock_timeout_refusals():
            done = save_labels(project, labels, replace=replace, declared_only=declared_only, by=request.user)
        counts = {"n_created": done.n_created, "n_changed": done.n_changed, "n_unchanged": done.n_unchanged}
        return Response(counts, status=201 if done.n_created else 200)


_NAMES = list(LabelSerializer().get_fields())


def _wanted(request: Request, project: Project) -> RequestedLabels:
    def named(name: str, rows: QuerySet[Any]) -> Any:
        """Return the row with this key. Raises Http404 if the project does not have it."""
        key = request.query_params.get(name)
        return None if key is None else get_object_or_404(rows, project=project, key=key)

    return RequestedLabels(
        question=named("question", Question.objects.all()),
        rater=named("rater", Rater.objects.all()),
        round=named("round", Round.objects.all()),
        item=named("item", Item.objects.all()),
    )


def _serialized(label: ChangedLabel) -> Json:
    return {name: getattr(label, name) for name in _NAMES}
