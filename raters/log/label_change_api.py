"""API for the history of labels."""

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import View, choice_parameter, whole_parameter, whole_schema
from projects.access import project_to
from projects.models import Project
from projects.roles import Permission
from raters.adjudication.api import AnyType
from raters.adjudication.serializers import DecisionChangeSerializer
from raters.log.label_change_export import FORMATS, label_changes_file, row_of
from raters.log.label_change_form import MAX_POSITION, ChangeForm
from raters.log.label_changes import WAYS, ChangeFilter, Cursor, change_page
from raters.models import LabelRevision

FILTERS = ["person", "item", "question", "text", "change", "way", "since", "until", "after", "up_to"]
PAGE_SIZE, MAX_PAGE_SIZE = 100, 1000
FILTER_PARAMETERS = [
    OpenApiParameter(
        "person",
        str,
        description="Only changes by users, or to labels of raters, whose name contains this text.",
    ),
    OpenApiParameter("item", str, description="Item key. Default: all items."),
    OpenApiParameter("question", str, description="Question key. Default: all questions."),
    OpenApiParameter(
        "text", str, description="Only changes from or to a free-text answer that contains this text."
    ),
    OpenApiParameter(
        "change",
        str,
        enum=LabelRevision.Change.values,
        description="Created (I), changed (U), or withdrawn (D).",
    ),
    OpenApiParameter("way", str, enum=list(WAYS), description="Only changes made this way."),
    OpenApiParameter("since", OpenApiTypes.DATE, description="First day, in the server’s time zone."),
    OpenApiParameter("until", OpenApiTypes.DATE, description="Last day, in the server’s time zone."),
    OpenApiParameter(
        "after",
        whole_schema(0, MAX_POSITION),
        description="Only changes after this position in the project’s history.",
    ),
    OpenApiParameter(
        "up_to",
        whole_schema(0, MAX_POSITION),
        description="Only changes up to this position in the project’s history.",
    ),
]


class LabelChangeSerializer(DecisionChangeSerializer):
    item = serializers.CharField()


class LabelChangesSerializer(serializers.Serializer[Any]):
    results = LabelChangeSerializer(many=True)
    next = serializers.CharField(
        allow_null=True, help_text="Send it as `before` to get older changes; null if there are none."
    )


class LabelChanges(View):
    parameters = {"get": ["before", "page_size", *FILTERS]}

    @extend_schema(
        parameters=[
            OpenApiParameter("before", str, description="The `next` value of an earlier response."),
            OpenApiParameter(
                "page_size",
                whole_schema(1, MAX_PAGE_SIZE),
                description=f"Maximum number of results. Default: {PAGE_SIZE}.",
            ),
            *FILTER_PARAMETERS,
        ],
        responses=LabelChangesSerializer,
        operation_id="label_changes_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List every change to the labels of the project, newest first. For leads and auditors."""
        project = project_to(request.user, slug, Permission.SEE_LOG)
        size = whole_parameter(request, "page_size", default=PAGE_SIZE, low=1, high=MAX_PAGE_SIZE)
        asked = request.query_params.get("before")
        wanted = _requested_filter(request, project)
        before = None if asked is None else Cursor.of_text(asked)
        found = change_page(project, wanted, before, size=size)
        return Response(
            {
                "results": [row_of(row) for row in found.rows],
                "next": str(found.older) if found.older else None,
            }
        )


class LabelChangesFile(View):
    parameters = {"get": ["as", *FILTERS]}
    content_negotiation_class = AnyType

    @extend_schema(
        parameters=[
            OpenApiParameter("as", str, enum=list(FORMATS), description="Default: csv."),
            *FILTER_PARAMETERS,
        ],
        responses={(200, "text/csv"): OpenApiTypes.STR, (200, "application/x-ndjson"): OpenApiTypes.STR},
        operation_id="label_changes_file",
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Export the changes to labels as a stream, oldest first. The export is logged.

        In CSV, text that a spreadsheet could read as a formula starts with an apostrophe.
        """
        project = project_to(request.user, slug, Permission.SEE_LOG)
        kind = choice_parameter(request, "as", list(FORMATS), default="csv")
        wanted = _requested_filter(request, project)
        return label_changes_file(project, wanted, kind, by=request.user)


def _requested_filter(request: Request, project: Project) -> ChangeFilter:
    """Return the requested filter. Raises RefusedWithCode."""
    for name in FILTERS:
        if request.query_params.get(name) == "":
            raise RefusedWithCode("invalid_parameter", f"{name} is empty. Enter a value or leave it out.")
    form = ChangeForm(project, request.query_params)
    if not form.is_valid():
        name, errors = next(iter(form.errors.items()))
        raise RefusedWithCode("invalid_parameter", f"{name}: {errors[0]}")
    return form.filter
