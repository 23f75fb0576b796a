"""API for one item with all its questions: all labels, and all decisions saved at once."""

from typing import Any, cast

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.keys import MAX_KEY
from core.refusals import RefusedWithCode
from core.shapes import Json
from core.web.api import View
from core.web.strict import StrictCharField, StrictSerializer
from projects.access import project_to
from projects.models import Item
from projects.roles import Permission
from raters.access import log_label_access, refuse_blind
from raters.adjudication.api import ValidatedDecision, new_decision_from, serialized_case
from raters.adjudication.item_disputes import ItemDisputes, SubmittedDecision, item_disputes, save_all
from raters.adjudication.serializers import CaseSerializer, DecisionInput


class ItemCaseSerializer(serializers.Serializer[Any]):
    item_id = serializers.IntegerField()
    item = serializers.CharField()
    labels_digest = serializers.CharField(
        help_text="Digest of all raters’ labels. Send it with your decisions."
    )
    questions = CaseSerializer(many=True)


class ItemDecisionInput(DecisionInput):
    question = StrictCharField(max_length=MAX_KEY, help_text="Question key.")


class DecisionsInput(StrictSerializer):
    labels_digest = StrictCharField(max_length=64, help_text="The digest of the labels you saw.")
    decisions = ItemDecisionInput(many=True)


class ItemCase(View):
    @extend_schema(responses=ItemCaseSerializer, operation_id="adjudication_item")
    def get(self, request: Request, slug: str, item: int) -> Response:
        """Get all labeled questions of an item, with their current decisions."""
        found = self._asked(request, slug, item)
        log_label_access(request.user, found.project, found.key)
        return Response(_serialized(item_disputes(found)))

    @extend_schema(
        request=DecisionsInput, responses=ItemCaseSerializer, operation_id="adjudication_item_decide"
    )
    def put(self, request: Request, slug: str, item: int) -> Response:
        """Save decisions on several questions of an item. All are saved, or none.

        If your decisions on earlier questions mean that a question isn’t asked, the decision on it is ignored.
        """
        found = self._asked(request, slug, item)
        given = self.checked(DecisionsInput)
        save_all(
            found,
            _submitted_decisions(found, given["decisions"]),
            digest=given["labels_digest"],
            by=request.user,
        )
        log_label_access(request.user, found.project, found.key)
        return Response(_serialized(item_disputes(found)))

    def _asked(self, request: Request, slug: str, item: int) -> Item:
        project = project_to(request.user, slug, Permission.ADJUDICATE)
        found = get_object_or_404(Item.objects.select_related("project"), project=project, pk=item)
        refuse_blind(request.user, found)
        return found


def _submitted_decisions(item: Item, given: list[Json]) -> list[SubmittedDecision]:
    questions = {each.key: each for each in item.project.questions.compared().prefetch_related("categories")}
    sent: dict[str, SubmittedDecision] = {}
    for each in given:
        key = each["question"]
        if key not in questions:
            raise RefusedWithCode("unknown_question", "There is no question with this key.")
        if key in sent:
            raise RefusedWithCode("question_twice", "Send one decision for each question.")
        if "revision" not in each:
            raise RefusedWithCode("revision_required", "Send the revision you saw.", status_code=428)
        sent[key] = SubmittedDecision(
            questions[key], new_decision_from(cast("ValidatedDecision", each)), each["revision"]
        )
    return list(sent.values())


def _serialized(whole: ItemDisputes) -> Json:
    names = whole.names or None
    return {
        "item_id": whole.item.pk,
        "item": whole.item.key,
        "labels_digest": whole.digest,
        "questions": [
            serialized_case(whole.item, each.question, names, each.state) for each in whole.questions
        ],
    }
