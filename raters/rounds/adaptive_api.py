"""API for the adaptive overlap of a round."""

from typing import Any, TypedDict, cast

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.keys import MAX_KEY
from core.refusals import RefusedWithCode
from core.shapes import Json
from core.web.api import View, choice_parameter
from core.web.strict import StrictCharField, StrictChoiceField, StrictIntegerField, StrictSerializer
from projects.access import project_to
from projects.models import Project, Round
from projects.roles import Permission
from raters.models import AdaptiveOverlap
from raters.rounds.adaptive import MAX_RATERS, AdaptiveRule, adaptive_progress, cost_of, start, stop
from raters.rounds.forms import who_may_label


class AdaptiveInput(StrictSerializer):
    until = StrictChoiceField(
        choices=AdaptiveOverlap.Until.choices,
        required=False,
        help_text="`majority` (default): until more than half of the raters give the same answer. `unanimous`: until "
        "all do.",
    )
    up_to = StrictIntegerField(
        required=False, min_value=2, max_value=MAX_RATERS, help_text="Raters per item, at most. Default: 3."
    )
    questions = serializers.ListField(
        child=StrictCharField(max_length=MAX_KEY),
        required=False,
        max_length=1000,
        help_text="Keys of the questions that count. Default: all.",
    )
    raters = serializers.ListField(
        child=StrictCharField(max_length=150),
        required=False,
        max_length=1000,
        help_text="Usernames of members who can be added. Default: the raters of the round.",
    )


class ValidatedAdaptive(TypedDict, total=False):
    """What `AdaptiveInput` reads."""

    until: str
    up_to: int
    questions: list[str]
    raters: list[str]


class AdaptiveSerializer(serializers.Serializer[Any]):
    is_active = serializers.BooleanField(help_text="Whether raters are added now.")
    until = serializers.ChoiceField(choices=AdaptiveOverlap.Until.choices)
    up_to = serializers.IntegerField()
    questions = serializers.ListField(child=serializers.CharField())
    raters = serializers.ListField(child=serializers.CharField())
    further_round = serializers.IntegerField(
        allow_null=True, help_text="ID of the round of the added raters; null if none have been added."
    )
    n_added = serializers.IntegerField(
        allow_null=True,
        help_text="Null, like `n_done`, while you label items of the round yourself in a round that is not closed.",
    )
    n_done = serializers.IntegerField(allow_null=True)
    n_items = serializers.IntegerField(help_text="Items of the round.")
    n_known = serializers.IntegerField(
        help_text="Items of the project that two or more raters answered in a round; at most a sample of "
        "5,000. Items that you label yourself in a round that is not closed are left out."
    )
    n_open = serializers.IntegerField(help_text="Of these, items that the rule would give to another rater.")
    n_most = serializers.IntegerField(help_text="Additional assignments if every item went to all raters.")


class RoundAdaptive(View):
    parameters = {"put": ["preview"]}

    @extend_schema(responses=AdaptiveSerializer, operation_id="round_adaptive")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Get the rule that adds raters to items on which the raters of the round disagree, and its cost."""
        project = project_to(request.user, slug, Permission.SEE_ORIGINS)
        round_ = get_object_or_404(project.rounds.select_related("project"), pk=pk)
        progress = adaptive_progress(round_, by=request.user)
        if progress is None:
            raise Http404("This round adds no raters.")
        return Response(_serialized(round_, progress.rule, by=request.user))

    @extend_schema(
        parameters=[OpenApiParameter("preview", str, enum=["yes", "no"], description="Default: `no`.")],
        request=AdaptiveInput,
        responses=AdaptiveSerializer,
        operation_id="round_adaptive_set",
    )
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Set the rule that adds raters where raters disagree. With `preview=yes`, only compute the expected
        cost.
        """
        project, round_ = _round(request, slug, pk)
        rule = _rule(project, cast("ValidatedAdaptive", self.checked(AdaptiveInput)))
        if choice_parameter(request, "preview", ["yes", "no"], default="no") == "no":
            start(round_, rule, by=request.user)
        return Response(_serialized(round_, rule, by=request.user))

    @extend_schema(responses={204: None}, operation_id="round_adaptive_stop")
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Stop adding raters. Those already added stay."""
        _, round_ = _round(request, slug, pk)
        stop(round_, by=request.user)
        return Response(status=204)


def _rule(project: Project, validated: ValidatedAdaptive) -> AdaptiveRule:
    """Return the requested rule. Raises RefusedWithCode."""
    wanted = validated.get("questions", [])
    questions = list(project.questions.compared().filter(key__in=wanted))
    if missing := sorted(set(wanted) - {question.key for question in questions}):
        raise RefusedWithCode(
            "no_such_question",
            f"{missing[0][:100]!r} is not a question of this project that can be in dispute.",
        )
    names = set(validated.get("raters", []))
    users = list(who_may_label(project).filter(username__in=names))
    if unknown := sorted(names - {user.username for user in users}):
        raise RefusedWithCode(
            "no_such_rater", f"{unknown[0][:100]!r} is not a member of this project who can label."
        )
    usual = AdaptiveRule()
    return AdaptiveRule(
        until=validated.get("until", usual.until),
        up_to=validated.get("up_to", usual.up_to),
        questions=questions,
        users=users,
    )


def _serialized(round_: Round, rule: AdaptiveRule, *, by: Any) -> Json:
    progress, cost = adaptive_progress(round_, by=by), cost_of(round_, rule, by=by)
    return {
        "is_active": progress is not None and progress.adaptive.is_active,
        "until": rule.until,
        "up_to": rule.up_to,
        "questions": [question.key for question in rule.questions],
        "raters": [user.username for user in rule.users],
        "further_round": None if progress is None else progress.adaptive.further_id,
        "n_added": 0 if progress is None else progress.n_added,
        "n_done": 0 if progress is None else progress.n_done,
        "n_items": cost.n_items,
        "n_known": cost.n_known,
        "n_open": cost.n_open,
        "n_most": cost.n_most(rule.up_to),
    }


def _round(request: Request, slug: str, pk: int) -> tuple[Project, Round]:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    return project, get_object_or_404(project.rounds.select_related("project"), pk=pk)
