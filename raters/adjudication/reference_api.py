"""API for copying decisions to reference answers. Single reference answers are labels of a reference."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import View
from projects.access import project_to
from projects.roles import Permission
from raters.adjudication.final_files import refuse_while_labeling
from raters.adjudication.reference_answers import copy_decisions_to_references, from_decisions


class ReferenceFromDecisionsSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField(help_text="Decisions where there is no reference answer yet.")
    n_items = serializers.IntegerField(help_text="Number of items with such decisions.")
    n_present = serializers.IntegerField(
        help_text="Decisions where there is a reference answer, which is kept."
    )


class ReferencesFromDecisions(View):
    @extend_schema(
        responses=ReferenceFromDecisionsSerializer, operation_id="references_from_decisions_preview"
    )
    def get(self, request: Request, slug: str) -> Response:
        """Get the number of decisions that could become reference answers."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        refuse_while_labeling(request.user, project, None)
        return Response(asdict(from_decisions(project)))

    @extend_schema(
        request=None,
        responses={201: ReferenceFromDecisionsSerializer},
        operation_id="references_from_decisions",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Turn adjudicators’ decisions into reference answers, where there are none yet."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        refuse_while_labeling(request.user, project, None)
        return Response(
            asdict(copy_decisions_to_references(project, by=request.user, source="API")), status=201
        )
