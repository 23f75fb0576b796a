"""API for the rules for final labels: list, change, and re-estimate."""

from typing import Any, cast

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.runs.ledger import Run
from core.shapes import Json
from core.web.api import View
from core.web.strict import StrictBooleanField, StrictChoiceField, StrictFloatField, StrictSerializer
from projects.access import project_to
from projects.final_rules import FinalRule
from projects.models import Question
from projects.roles import Permission
from raters.adjudication.ruling import NewRule, QuestionRule, change_rule, estimate, row_of, rows_of


class FinalEstimateSerializer(serializers.Serializer[Any]):
    """Reliability of raters, estimated from the labels up to a position of the project's history."""

    id = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Run.State.choices)
    failure = serializers.CharField(help_text="Why the estimate failed; empty otherwise.")
    n_labels = serializers.IntegerField()
    position = serializers.IntegerField(
        source="head_position", allow_null=True, help_text="Position in the history of the project."
    )
    digest = serializers.CharField(source="head_digest", help_text="Digest of the entry at that position.")
    asked_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class FinalLabelRuleSerializer(serializers.Serializer[Any]):
    question_id = serializers.IntegerField(source="question.pk")
    question = serializers.CharField(source="question.key")
    rule = serializers.ChoiceField(choices=FinalRule.choices, source="question.final_rule")
    threshold = serializers.FloatField(
        source="question.final_threshold",
        allow_null=True,
        help_text="Items with a lower certainty have no final label. Null for no threshold.",
    )
    takes_references = serializers.BooleanField(
        source="question.final_takes_references",
        help_text="Whether reference answers take precedence over the rule.",
    )
    offered = serializers.ListField(
        child=serializers.CharField(), help_text="The rules that fit the question."
    )
    estimate = FinalEstimateSerializer(
        source="used", allow_null=True, help_text="The estimate that final labels use, if the rule needs one."
    )
    latest = FinalEstimateSerializer(allow_null=True, help_text="The most recently requested estimate.")
    is_outdated = serializers.BooleanField(help_text="Whether labels have changed since `estimate`.")


class FinalLabelRuleInput(StrictSerializer):
    """Omitted fields do not change; a new rule starts without a threshold."""

    rule = StrictChoiceField(choices=FinalRule.choices, required=False)
    threshold = StrictFloatField(
        required=False,
        allow_null=True,
        min_value=0.0001,
        max_value=1,
        help_text="Items with a lower certainty stay open. Null for no threshold.",
    )
    takes_references = StrictBooleanField(required=False)


class FinalRules(View):
    @extend_schema(responses=FinalLabelRuleSerializer(many=True), operation_id="final_rules_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the rule for final labels of each question, with the estimate it uses.

        Rules apply to the labels of people and models alike.
        """
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        return Response(FinalLabelRuleSerializer(rows_of(project), many=True).data)


class FinalRuleDetail(View):
    @extend_schema(
        request=FinalLabelRuleInput, responses=FinalLabelRuleSerializer, operation_id="final_rule_change"
    )
    def patch(self, request: Request, slug: str, question: int) -> Response:
        """Change the rule for the final labels of a question. Decisions take precedence over every rule.

        If the rule needs the reliability of raters, it is estimated in the background; until it is known, only
        decisions and reference answers are final.
        """
        asked = question_to_rule(request.user, slug, question)
        given = self.checked(FinalLabelRuleInput, partial=True)
        change_rule(asked, _new(asked, given), by=request.user)
        return Response(_serialized(asked))


class FinalRuleEstimate(View):
    @extend_schema(
        request=None, responses={202: FinalLabelRuleSerializer}, operation_id="final_rule_estimate"
    )
    def post(self, request: Request, slug: str, question: int) -> Response:
        """Estimate the reliability of raters again, from the current labels."""
        asked = question_to_rule(request.user, slug, question)
        estimate(asked, by=request.user)
        return Response(_serialized(asked), status=202)


def question_to_rule(user: Any, slug: str, pk: int) -> Question:
    project = project_to(user, slug, Permission.EDIT_PROJECT)
    return get_object_or_404(project.questions.compared().select_related("project"), pk=pk)


def _new(question: Question, given: Json) -> NewRule:
    rule = FinalRule(given.get("rule", question.final_rule))
    threshold = question.final_threshold if rule == question.final_rule else None
    return NewRule(
        rule,
        given.get("threshold", threshold),
        given.get("takes_references", question.final_takes_references),
    )


def _serialized(question: Question) -> Json:
    question.refresh_from_db()
    row: QuestionRule = row_of(question)
    return cast("Json", dict(FinalLabelRuleSerializer(row).data))
