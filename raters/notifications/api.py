"""API for a user's own notifications."""

from collections.abc import Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import PAGE_PARAMETERS, View, choice_parameter, paginated
from raters.models import Notification
from raters.notifications.inbox import notifications_of
from raters.notifications.notification_kinds import ABOUT, path_of, sentence_of
from raters.notifications.notifying import mark_read


class NotificationSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=Notification.Kind.choices)
    topic = serializers.CharField(help_text="The topic as it is listed on the account page.")
    project = serializers.CharField(help_text="The project slug.")
    round = serializers.CharField(allow_null=True)
    subject_id = serializers.IntegerField(
        allow_null=True, help_text="ID of the report, or of the rater’s question."
    )
    sentence = serializers.CharField()
    page = serializers.CharField(help_text="The path of the page that it links to.")
    created_at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True)


class ReadCountSerializer(serializers.Serializer[Any]):
    n_read = serializers.IntegerField(help_text="Number of notifications that were unread before.")


class NotificationList(View):
    for_labeling = frozenset({"get"})
    parameters = {"get": ["page", "page_size", "state"]}

    @extend_schema(
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("state", str, enum=["all", "unread"], description="Default: `all`."),
        ],
        responses=paginated("Notification", NotificationSerializer),
        operation_id="notifications_list",
    )
    def get(self, request: Request) -> Response:
        """List your notifications of all projects, newest first."""
        rows = notifications_of(request.user)
        if choice_parameter(request, "state", ["all", "unread"], default="all") == "unread":
            rows = rows.filter(read_at=None)
        return self.paged(rows, _serialized)


class NotificationRead(View):
    @extend_schema(request=None, responses=NotificationSerializer, operation_id="notification_read")
    def post(self, request: Request, pk: int) -> Response:
        """Mark a notification as read."""
        rows = notifications_of(request.user)
        get_object_or_404(rows, pk=pk)
        mark_read(rows.filter(pk=pk))
        return Response(_serialized(rows.get(pk=pk)))


class NotificationsRead(View):
    @extend_schema(request=None, responses=ReadCountSerializer, operation_id="notifications_read")
    def post(self, request: Request) -> Response:
        """Mark all your notifications as read."""
        return Response({"n_read": mark_read(notifications_of(request.user))})


def _serialized(row: Notification) -> Mapping[str, Any]:
    shown = {
        "id": row.pk,
        "kind": row.kind,
        "topic": ABOUT[row.kind].topic,
        "project": row.project.slug,
        "round": row.round.key if row.round else None,
        "subject_id": row.subject_id,
        "sentence": sentence_of(row),
        "page": path_of(row),
        "created_at": row.created_at,
        "read_at": row.read_at,
    }
    return dict(NotificationSerializer(shown).data)
