"""API for quality control: rules with false-alarm rates, alerts, pauses, and passed rounds."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import PAGE_PARAMETERS, View, choice_parameter, paginated
from core.web.strict import (
    StrictBooleanField,
    StrictFloatField,
    StrictIntegerField,
    StrictLineField,
    StrictSerializer,
)
from projects.access import project_to
from projects.models import Project, Round
from projects.roles import Permission
from raters.access import rater_to_label, refuse_hidden_assignments
from raters.models import QualityAlert, QualityRule, Rater
from raters.models.quality import MAX_NOTE
from raters.quality.alerts import alerts_of, close_alert
from raters.quality.passing import PassMarkResult, decide, results_of
from raters.quality.pausing import pause_rater, resume_oneself, resume_rater
from raters.quality.rules import LONG_RUN, MAX_N, RuleSettings, change_rule, false_alarms, words_of

Kind = QualityRule.Kind


class QualityRuleInput(StrictSerializer):
    is_active = StrictBooleanField(required=False, help_text="Default: true.")
    n = StrictIntegerField(
        required=False,
        min_value=2,
        max_value=MAX_N,
        help_text="Answers in a block. Not used by `same_answer`.",
    )
    acceptable = StrictFloatField(
        required=False,
        min_value=0,
        max_value=0.9,
        help_text="The share that is acceptable and needs no alert.",
    )
    at_most = StrictFloatField(
        required=False,
        min_value=0.000001,
        max_value=0.5,
        help_text="Maximum rate of false alarms per block. The rule uses the smallest limit that stays "
        "within it.",
    )
    limit = StrictIntegerField(
        required=False,
        min_value=2,
        max_value=MAX_N,
        help_text="For `same_answer`: how many of the same answers in a row.",
    )
    seconds = StrictFloatField(
        required=False,
        min_value=0.1,
        max_value=3600,
        help_text="For `speed`: answers in less than this are too fast.",
    )
    pauses = StrictBooleanField(required=False, help_text="Whether the rater is paused until a lead resumes.")
    message = StrictLineField(
        required=False, allow_blank=True, max_length=MAX_NOTE, help_text="Message shown to the rater."
    )


class QualityRuleSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=Kind.choices)
    is_active = serializers.BooleanField()
    words = serializers.CharField(help_text="When it alerts.")
    n = serializers.IntegerField()
    limit = serializers.IntegerField(
        help_text="More than this many of `n` cause an alert. For `same_answer`: this many in a row."
    )
    acceptable = serializers.FloatField(allow_null=True)
    at_most = serializers.FloatField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    pauses = serializers.BooleanField()
    message = serializers.CharField()
    false_alarms_per_block = serializers.FloatField(
        allow_null=True,
        help_text="Probability that a rater with the acceptable share causes an alert within `n` answers. "
        "For `same_answer`: a rater who answers as people have so far; null if nobody has "
        "labeled.",
    )
    false_alarms_in_long_run = serializers.FloatField(
        allow_null=True, help_text=f"The same probability within {LONG_RUN} answers."
    )


class AlertSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=Kind.choices)
    rater = serializers.CharField(source="rater.key")
    rule = serializers.CharField(help_text="The rule as it was then, in words.")
    about = serializers.CharField(help_text="For `same_answer`: the question and the answer.")
    n = serializers.IntegerField()
    n_bad = serializers.IntegerField()
    probability = serializers.FloatField(
        allow_null=True, help_text="Probability of this many or more for a rater with the acceptable share."
    )
    has_paused = serializers.BooleanField()
    at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    note = serializers.CharField()


class AlertCloseInput(StrictSerializer):
    note = StrictLineField(required=False, allow_blank=True, max_length=MAX_NOTE)
    resumes = StrictBooleanField(required=False, help_text="Whether the rater gets items again.")


class RaterPauseInput(StrictSerializer):
    note = StrictLineField(
        required=False, allow_blank=True, max_length=MAX_NOTE, help_text="Message shown to the rater."
    )


class RaterPauseSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField(source="key")
    paused_at = serializers.DateTimeField(allow_null=True)
    note = serializers.CharField(source="pause_note")
    may_resume = serializers.BooleanField(help_text="Whether the rater can resume after reading the note.")


class PassInput(StrictSerializer):
    is_passed = StrictBooleanField()
    note = StrictLineField(
        required=False, allow_blank=True, max_length=MAX_NOTE, help_text="Message shown to the rater."
    )


class PassSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField()
    rater_id = serializers.IntegerField()
    n_left = serializers.IntegerField(help_text="Items that the rater has left in the round.")
    n = serializers.IntegerField(help_text="Reference answers for the items that the rater has labeled.")
    n_right = serializers.IntegerField(help_text="Of these, the number that the rater gave.")
    is_passed = serializers.BooleanField(
        allow_null=True, help_text="Null until the rater has labeled all items."
    )
    is_decided = serializers.BooleanField(help_text="Whether a lead decided, whatever the result.")
    note = serializers.CharField()


class QualityRuleList(View):
    @extend_schema(responses=QualityRuleSerializer(many=True), operation_id="quality_rules")
    def get(self, request: Request, slug: str) -> Response:
        """List the quality rules of a project, with how likely each is to alert by chance."""
        project = project_to(request.user, slug, Permission.SEE_ORIGINS)
        return Response([_serialized_rule(rule) for rule in project.quality_rules.order_by("kind")])


class QualityRuleDetail(View):
    @extend_schema(
        request=QualityRuleInput, responses=QualityRuleSerializer, operation_id="quality_rule_change"
    )
    def put(self, request: Request, slug: str, kind: str) -> Response:
        """Update a quality rule: `reference`, `repeats`, `speed`, or `same_answer`. Omitted fields do not
        change.

        The rule applies to labels saved from now on.
        """
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        if kind not in Kind.values:
            raise Http404("No such rule.")
        known = project.quality_rules.filter(kind=kind).first()
        settings = RuleSettings() if known is None else replace(RuleSettings.of(known), is_active=True)
        asked = self.checked(QualityRuleInput)
        return Response(
            _serialized_rule(change_rule(project, kind, replace(settings, **asked), by=request.user))
        )


class Alerts(View):
    parameters = {"get": ["page", "page_size", "state"]}

    @extend_schema(
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("state", str, enum=["all", "open"], description="Default: `all`."),
        ],
        responses=paginated("QualityAlert", AlertSerializer),
        operation_id="quality_alerts",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List quality alerts, open ones first."""
        project = project_to(request.user, slug, Permission.SEE_ORIGINS)
        rows = alerts_of(project)
        if choice_parameter(request, "state", ["all", "open"], default="all") == "open":
            rows = rows.filter(closed_at=None)
        return self.paged(rows, lambda alert: AlertSerializer(alert).data)


class AlertClose(View):
    @extend_schema(request=AlertCloseInput, responses=AlertSerializer, operation_id="quality_alert_close")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Close a quality alert. A closed alert can’t be changed."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        alerts: Any = project.quality_alerts.select_related("rater")
        alert: QualityAlert = get_object_or_404(alerts, pk=pk)
        close_alert(alert, by=request.user, **self.checked(AlertCloseInput))
        return Response(AlertSerializer(alerts.get(pk=pk)).data)


class RaterPause(View):
    @extend_schema(request=RaterPauseInput, responses=RaterPauseSerializer, operation_id="rater_pause")
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Pause a rater. They get no more items, but answers they have already given are still saved."""
        rater = _rater(request, slug, pk)
        pause_rater(rater, by=request.user, note=self.checked(RaterPauseInput).get("note", ""))
        return _paused(rater)

    @extend_schema(responses={200: RaterPauseSerializer}, operation_id="rater_resume")
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Resume a paused rater."""
        rater = _rater(request, slug, pk)
        resume_rater(rater, by=request.user)
        return _paused(rater)


class OwnPause(View):
    for_labeling = frozenset({"get", "delete"})

    @extend_schema(responses=RaterPauseSerializer, operation_id="own_pause")
    def get(self, request: Request, slug: str) -> Response:
        """Get whether your labeling is paused, and why."""
        return _paused(rater_to_label(request.user, slug))

    @extend_schema(responses={200: RaterPauseSerializer}, operation_id="own_pause_end")
    def delete(self, request: Request, slug: str) -> Response:
        """Resume your labeling, if `may_resume` is true; otherwise, a project lead has to resume it."""
        rater = rater_to_label(request.user, slug)
        resume_oneself(rater, by=request.user)
        return _paused(rater)


class RoundPasses(View):
    @extend_schema(responses=PassSerializer(many=True), operation_id="round_passes")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List who has passed a round with a pass mark, and how many reference answers each rater gave."""
        round_ = get_object_or_404(project_to(request.user, slug, Permission.SEE_ORIGINS).rounds, pk=pk)
        if round_.pass_mark is None:
            return Response([])
        refuse_hidden_assignments(request.user, round_)
        return Response([_serialized_pass(result) for result in results_of(round_)])


class RoundPass(View):
    @extend_schema(request=PassInput, responses=PassSerializer, operation_id="round_pass_decide")
    def put(self, request: Request, slug: str, pk: int, rater: int) -> Response:
        """Pass or fail a rater, whatever their result."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        round_: Round = get_object_or_404(project.rounds.select_related("project"), pk=pk)
        raters = Rater.objects.filter(project=project, assignments__round=round_).distinct()
        who = get_object_or_404(raters, pk=rater)
        decide(round_, who, by=request.user, **self.checked(PassInput))
        return Response(_serialized_pass(results_of(round_, raters=[who.pk])[0]))


def _serialized_rule(rule: QualityRule) -> Mapping[str, Any]:
    alarms = false_alarms(rule)
    columns = ("kind", "is_active", "n", "limit", "acceptable", "at_most", "seconds", "pauses", "message")
    return {name: getattr(rule, name) for name in columns} | {
        "words": words_of(rule),
        "false_alarms_per_block": alarms.per_block,
        "false_alarms_in_long_run": alarms.in_long_run,
    }


def _serialized_pass(result: PassMarkResult) -> Mapping[str, Any]:
    known = result.qualification
    return {
        "rater": result.key,
        "rater_id": result.rater,
        "n_left": result.n_left,
        "n": result.n,
        "n_right": result.n_right,
        "is_passed": None if known is None else known.is_passed,
        "is_decided": known is not None and known.decided_by_id is not None,
        "note": "" if known is None else known.note,
    }


def _rater(request: Request, slug: str, pk: int) -> Rater:
    project: Project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    return get_object_or_404(Rater, project=project, pk=pk, kind=Rater.Kind.HUMAN)


def _paused(rater: Rater) -> Response:
    rater.refresh_from_db()
    return Response(RaterPauseSerializer(rater).data)
