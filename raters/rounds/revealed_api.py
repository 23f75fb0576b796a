"""API of revealed rounds: a rater's labels next to the others', and their agreement."""

from typing import TypedDict

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import PAGE_PARAMETERS, View, choice_parameter, paginated
from projects.access import project_to
from projects.events import record
from projects.models import Event
from projects.roles import Permission
from raters.rounds.revealed import (
    RevealedItem,
    items_of,
    items_that_differ,
    revealed_items,
    revealed_rounds,
    revealed_to,
)
from raters.rounds.revealed_agreement import own_agreement
from raters.rounds.revealed_serializers import (
    RevealedAgreementSerializer,
    RevealedItemSerializer,
    RevealedRoundSerializer,
    serialized_agreement,
)


class RevealedList(View):
    for_labeling = frozenset({"get"})

    @extend_schema(responses=RevealedRoundSerializer(many=True), operation_id="revealed_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the revealed rounds in which you have labeled."""
        project = project_to(request.user, slug, Permission.LABEL)
        return Response(RevealedRoundSerializer(revealed_rounds(project, request.user), many=True).data)


class RevealedAgreement(View):
    for_labeling = frozenset({"get"})

    @extend_schema(responses=RevealedAgreementSerializer(many=True), operation_id="revealed_agreement")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Get your agreement with each of the other raters, by question."""
        found = revealed_to(request.user, slug, pk)
        record(Event.Kind.LABELS_SEEN, by=request.user, project=found.round.project, about=found.round.key)
        return Response([serialized_agreement(of_question) for of_question in own_agreement(found)])


class RevealedItems(View):
    for_labeling = frozenset({"get"})
    parameters = {"get": ["page", "page_size", "show"]}

    @extend_schema(
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter(
                "show",
                str,
                enum=["all", "different"],
                description="`different`: only items on which you disagree.",
            ),
        ],
        responses=paginated("RevealedItem", RevealedItemSerializer),
        operation_id="revealed_items",
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List the items that you labeled in the round, with your labels and those of the others."""
        found = revealed_to(request.user, slug, pk)
        record(Event.Kind.LABELS_SEEN, by=request.user, project=found.round.project, about=found.round.key)
        is_all = choice_parameter(request, "show", ["all", "different"], default="all") == "all"
        ids = items_of(found) if is_all else items_that_differ(found)
        page = self.paged(ids, lambda pk: {"pk": pk})
        shown = revealed_items(found, [row["pk"] for row in page.data["results"]])
        page.data["results"] = [_revealed_item(item) for item in shown]
        return page


class SerializedOtherLabel(TypedDict):
    """Another rater's answer, in words."""

    rater: str
    answer: str
    is_same: bool


class SerializedAnswerComparison(TypedDict):
    """The rater's answer to a question (None if there is none) and the other raters' answers."""

    question: str
    own: str | None
    others: list[SerializedOtherLabel]


class SerializedRevealedItem(TypedDict):
    """Output of `RevealedItemSerializer`."""

    item: str
    assignment: int | None
    labels: list[SerializedAnswerComparison]


def _revealed_item(revealed_item: RevealedItem) -> SerializedRevealedItem:
    return {
        "item": revealed_item.item.key,
        "assignment": revealed_item.assignment,
        "labels": [
            {
                "question": each.question.key,
                "own": each.own or None,
                "others": [
                    {"rater": name, "answer": words, "is_same": is_same}
                    for name, words, is_same in each.others
                ],
            }
            for each in revealed_item.comparisons
        ],
    }
