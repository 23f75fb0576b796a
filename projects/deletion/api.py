"""Deletes and restores projects over the API."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.keys import MAX_KEY
from core.web.api import View
from core.web.strict import StrictCharField, StrictSerializer
from projects.access import project_to_delete
from projects.deletion import actions as deletion


class DeletionInput(StrictSerializer):
    name = StrictCharField(max_length=MAX_KEY, help_text="The project name, to confirm.")


class DeletionSerializer(serializers.Serializer[Any]):
    due_at = serializers.DateTimeField(
        source="deletion_due_at",
        allow_null=True,
        help_text="When the project will be permanently deleted; null if it is not deleted.",
    )


class Deletion(View):
    @extend_schema(responses=DeletionSerializer, operation_id="project_deletion")
    def get(self, request: Request, slug: str) -> Response:
        """Check whether the project is deleted, and how long it can be restored."""
        return Response(DeletionSerializer(project_to_delete(request.user, slug)).data)

    @extend_schema(request=DeletionInput, responses=DeletionSerializer, operation_id="project_delete")
    def post(self, request: Request, slug: str) -> Response:
        """Delete the project. It is hidden immediately and permanently deleted later, unless you restore it."""
        project = project_to_delete(request.user, slug)
        deletion.request_deletion(project, by=request.user, **self.checked(DeletionInput))
        return Response(DeletionSerializer(project).data)

    @extend_schema(responses={200: DeletionSerializer}, operation_id="project_restore")
    def delete(self, request: Request, slug: str) -> Response:
        """Restore the project."""
        project = project_to_delete(request.user, slug)
        deletion.restore(project, by=request.user)
        return Response(DeletionSerializer(project).data)
