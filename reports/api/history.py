"""The history of a project over the API: its head, and whether it is as it was written."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import Refusal
from core.web.api import View
from core.web.strict import Line, Strict
from projects.access import project_to
from projects.roles import Right
from reports.store import history


class HeadShown(serializers.Serializer[Any]):
    head = serializers.CharField(
        source="*", help_text="Position and digest of the last entry: keep it elsewhere."
    )
    position = serializers.IntegerField(help_text="Of the last entry of the chain; 0 without any.")
    digest = serializers.CharField(help_text="Of the last entry, in hexadecimal; empty without any.")


class Known(Strict):
    head = Line(max_length=120, required=False, help_text="A head that you kept, as `position:digest`.")


class FaultShown(serializers.Serializer[Any]):
    position = serializers.IntegerField(
        allow_null=True, help_text="Of the entry; null if the row is in none."
    )
    sentence = serializers.CharField()


class VerificationShown(serializers.Serializer[Any]):
    head = serializers.CharField()
    n_entries = serializers.IntegerField()
    n_revisions = serializers.IntegerField()
    n_events = serializers.IntegerField()
    faults = FaultShown(
        many=True, help_text="The first rows that are not as they were written; empty if all are."
    )


class ProjectHistory(View):
    @extend_schema(responses=HeadShown)
    def get(self, request: Request, slug: str) -> Response:
        """The head of a project's history."""
        project = project_to(request.user, slug, Right.SEE_LABELS)
        return Response(HeadShown(history.head_now(project)).data)


class HistoryVerify(View):
    @extend_schema(request=Known, responses=VerificationShown)
    def post(self, request: Request, slug: str) -> Response:
        """Verify the history of a project, and that its labels are those that the history led to."""
        project = project_to(request.user, slug, Right.SEE_LABELS)
        try:
            found = history.verify_at_once(project, expected=self.checked(Known).get("head", ""))
        except ValueError as error:
            raise Refusal("bad_head", str(error), status_code=400) from error
        except history.TooLarge as refused:
            raise Refusal("too_large", str(refused), status_code=413) from refused
        return Response(VerificationShown(found).data)
