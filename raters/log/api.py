"""API for the log of a project."""

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import PAGE_PARAMETERS, View, choice_parameter, paginated
from projects.access import project_to
from projects.models import Event
from projects.roles import Permission
from raters.adjudication.api import AnyType
from raters.log.event_list import LogFilter, events_matching
from raters.log.export import FORMATS, log_file, row_of
from raters.log.forms import LogForm

FILTERS = ["kind", "person", "since", "until"]
FILTER_PARAMETERS = [
    OpenApiParameter("kind", str, enum=Event.Kind.values, description="Only events of this kind."),
    OpenApiParameter("person", str, description="Only events whose username or target contains this text."),
    OpenApiParameter("since", OpenApiTypes.DATE, description="First day, in the server’s time zone."),
    OpenApiParameter("until", OpenApiTypes.DATE, description="Last day, in the server’s time zone."),
]


class LogEventSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    kind = serializers.ChoiceField(choices=Event.Kind.choices)
    by = serializers.CharField()
    user_id = serializers.IntegerField(
        allow_null=True, help_text="The username; null for the system or if nobody was signed in."
    )
    about = serializers.CharField(help_text="The target.")
    detail = serializers.DictField(
        help_text="Details of the event. `changed` contains the old and new value of each changed field."
    )


class Events(View):
    parameters = {"get": ["page", "page_size", *FILTERS]}

    @extend_schema(
        parameters=[*PAGE_PARAMETERS, *FILTER_PARAMETERS],
        responses=paginated("LogEvent", LogEventSerializer),
        operation_id="events_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the project’s activity, newest first. For leads and auditors."""
        project = project_to(request.user, slug, Permission.SEE_LOG)
        events = events_matching(project, requested_filter(request), by=request.user)
        return self.paged(events, row_of)


class EventFile(View):
    parameters = {"get": ["as", *FILTERS]}
    content_negotiation_class = AnyType

    @extend_schema(
        parameters=[
            OpenApiParameter("as", str, enum=list(FORMATS), description="Default: csv."),
            *FILTER_PARAMETERS,
        ],
        responses={(200, "text/csv"): OpenApiTypes.STR, (200, "application/x-ndjson"): OpenApiTypes.STR},
        operation_id="events_file",
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Export the activity log as a stream, oldest event first. The export is itself logged.

        In CSV, text that a spreadsheet could read as a formula starts with an apostrophe.
        """
        project = project_to(request.user, slug, Permission.SEE_LOG)
        kind = choice_parameter(request, "as", list(FORMATS), default="csv")
        return log_file(project, requested_filter(request), kind, by=request.user)


def requested_filter(request: Request) -> LogFilter:
    for name in ("kind", "since", "until"):
        if request.query_params.get(name) == "":
            raise RefusedWithCode("invalid_parameter", f"{name} is empty. Enter a value or leave it out.")
    form = LogForm(request.query_params)
    if not form.is_valid():
        name, errors = next(iter(form.errors.items()))
        raise RefusedWithCode("invalid_parameter", f"{name}: {errors[0]}")
    return form.filter
