"""API for the raters' scorecard."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import View, choice_parameter
from projects.access import permissions_in, project_to
from projects.roles import Permission
from raters.models import Rater
from raters.plain_figures import PlainFigureSerializer, serialized_figure
from raters.scorecard.cards import SHARES, ScorecardFigures
from raters.scorecard.pages import cards_to


class ComparedLabelsSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField(help_text="Labels that could be compared.")
    count = serializers.IntegerField()
    share = PlainFigureSerializer(allow_null=True, help_text="With its 95% CI (Wilson); null if n is 0.")


class ScorecardSerializer(serializers.Serializer[Any]):
    project = serializers.CharField()
    rater = serializers.CharField()
    kind = serializers.ChoiceField(choices=Rater.Kind.choices)
    round = serializers.CharField(
        allow_null=True, help_text="Null for all rounds together, empty for labels of no round."
    )
    n_labels = serializers.IntegerField()
    median_seconds = serializers.FloatField(allow_null=True, help_text="Median time per item.")
    consensus = ComparedLabelsSerializer(
        help_text="Same answer as more than half of the other people in the same round; for numbers, within the "
        "tolerance of their median. On questions that fewer than two people labeled, models count, too."
    )
    reference = ComparedLabelsSerializer(help_text="Same answer as the reference.")
    overturned = ComparedLabelsSerializer(
        help_text="Labels with a different decision, of those with a later decision."
    )
    repeats = ComparedLabelsSerializer(help_text="Blind repeats with the same answer as the first time.")


class Scorecard(View):
    parameters = {"get": ["projects"]}

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "projects",
                str,
                enum=["this", "all"],
                description="`all`: all projects that you lead, with all rounds combined. Default: `this`.",
            )
        ],
        responses=ScorecardSerializer(many=True),
        operation_id="scorecard",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Get each rater’s agreement with the others, the reference, decisions, and their own repeats."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        leads = Permission.EDIT_PROJECT in permissions_in(request.user, project)
        of_all = choice_parameter(request, "projects", ["this", "all"], default="this") == "all" and leads
        return Response([_serialized(row) for row in cards_to(request.user, project, of_all=of_all)])


def _serialized(row: ScorecardFigures) -> Mapping[str, Any]:
    card = row.card
    return {
        "project": card.project.slug,
        "rater": card.rater.key,
        "kind": card.rater.kind,
        "round": None if card.is_total else card.round,
        "n_labels": card.n_labels,
        "median_seconds": card.seconds,
    } | {name: _compared(row, name) for name in SHARES}


def _compared(row: ScorecardFigures, name: str) -> Mapping[str, Any]:
    matches, figure = getattr(row.card, name), row.shares[name]
    return {
        "n": matches.n,
        "count": matches.n_same,
        "share": None if figure is None else serialized_figure(figure),
    }
