"""API for assignments that lack an answer to a required question, and for asking their raters again."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.keys import MAX_KEY
from core.refusals import RefusedWithCode
from core.web.api import PAGE_PARAMETERS, View, paginated
from core.web.strict import StrictCharField, StrictSerializer
from projects.access import project_to
from projects.models import Question, Round
from projects.roles import Permission
from raters.access import rounds_to_be_blind_in
from raters.labeling.asking import ask_again
from raters.labeling.missing_answers import incomplete_assignments
from raters.models import Assignment, Rater


class IncompleteAssignmentSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    item = serializers.CharField(source="item.key")
    item_id = serializers.IntegerField()
    rater = serializers.CharField(source="rater.key")
    round = serializers.CharField(source="round.key")
    pass_number = serializers.IntegerField()
    is_asked_again = serializers.SerializerMethodField()

    def get_is_asked_again(self, assignment: Assignment) -> bool:
        return assignment.is_asked_again and self.context["question"].pk in assignment.asked_again


class AskAgainInput(StrictSerializer):
    question = StrictCharField(max_length=MAX_KEY)
    round = StrictCharField(max_length=MAX_KEY, required=False, help_text="Default: all open rounds.")


class AskAgainResultSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    n_asked = serializers.IntegerField(help_text="The number of assignments that are pending again.")


class IncompleteAssignments(View):
    parameters = {"get": ["question", "rater", "round", "page", "page_size"]}

    @extend_schema(
        parameters=[
            OpenApiParameter("question", str, required=True, description="Question key."),
            OpenApiParameter("rater", str, description="Rater key. Default: all raters."),
            OpenApiParameter("round", str, description="Round key. Default: all rounds."),
            *PAGE_PARAMETERS,
        ],
        responses=paginated("IncompleteAssignment", IncompleteAssignmentSerializer),
        operation_id="missing_answers_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the labeled assignments that have no answer to a required question."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        sent = request.query_params
        if "question" not in sent:
            raise RefusedWithCode("invalid_parameter", "question must be the key of a question.")
        question = get_object_or_404(Question, project=project, key=sent["question"])
        hidden = rounds_to_be_blind_in(request.user, project)
        rows = incomplete_assignments(project, question, hidden=hidden)
        if "rater" in sent:
            rows = rows.filter(rater=get_object_or_404(Rater, project=project, key=sent["rater"]))
        if "round" in sent:
            rows = rows.filter(round=get_object_or_404(Round, project=project, key=sent["round"]))
        found = rows.select_related("item", "rater", "round").order_by("item", "rater", "pass_number")
        context = {"question": question}
        return self.paged(found, lambda each: IncompleteAssignmentSerializer(each, context=context).data)

    @extend_schema(
        request=AskAgainInput, responses=AskAgainResultSerializer, operation_id="missing_answers_ask"
    )
    def post(self, request: Request, slug: str) -> Response:
        """Ask raters one question again. Their assignments become pending; all other answers are kept."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        asked = self.checked(AskAgainInput)
        question = get_object_or_404(Question, project=project, key=asked["question"])
        round_ = get_object_or_404(Round, project=project, key=asked["round"]) if "round" in asked else None
        n = ask_again(project, question, by=request.user, round_=round_)
        return Response({"question": question.key, "n_asked": n})
