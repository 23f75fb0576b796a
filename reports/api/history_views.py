"""The head of a project's history and its verification, over the API."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import View
from core.web.strict import StrictLineField, StrictSerializer
from projects.access import project_to
from projects.roles import Permission
from reports.store import history_verification


class HistoryHeadSerializer(serializers.Serializer[Any]):
    head = serializers.CharField(
        source="*",
        help_text="Position and digest of the last entry, as `position:digest`. Keep it outside this server.",
    )
    position = serializers.IntegerField(
        help_text="Position of the last entry in the chain; 0 if there is none."
    )
    digest = serializers.CharField(
        help_text="Digest of the last entry, in hexadecimal; empty if there is none."
    )


class HistoryHeadInput(StrictSerializer):
    head = StrictLineField(
        max_length=120, required=False, help_text="An earlier head that you saved, as `position:digest`."
    )


class FaultSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField(
        allow_null=True, help_text="Position of the entry; null if the row belongs to none."
    )
    sentence = serializers.CharField()


class VerificationSerializer(serializers.Serializer[Any]):
    head = serializers.CharField()
    n_entries = serializers.IntegerField()
    n_revisions = serializers.IntegerField()
    n_events = serializers.IntegerField()
    faults = FaultSerializer(
        many=True,
        help_text="The first rows that were altered, inserted, or deleted; empty if there are none.",
    )


class ProjectHistory(View):
    @extend_schema(responses=HistoryHeadSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Get the position and digest of the last entry in the project history."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        return Response(HistoryHeadSerializer(history_verification.head_now(project)).data)


class HistoryVerify(View):
    @extend_schema(request=HistoryHeadInput, responses=VerificationSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Verify the project history, and that the current labels match it."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        found = history_verification.verify_at_once(
            project, expected=self.checked(HistoryHeadInput).get("head", "")
        )
        return Response(VerificationSerializer(found).data)
