"""API for bulk decisions: preview, decide with the digest of the preview, and undo."""

from datetime import datetime
from typing import Any, TypedDict

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.keys import MAX_KEY
from core.refusals import RefusedWithCode
from core.shapes import Json
from core.web.api import View
from core.web.strict import (
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictSerializer,
)
from projects.access import project_to
from projects.models import ItemList, Project, Question, Round
from projects.roles import Permission
from raters.access import log_label_access, rounds_to_be_blind_in
from raters.adjudication import bulk
from raters.adjudication.disputes import DisputeFilter, rows
from raters.adjudication.proposing import (
    BulkPreview,
    BulkRule,
    names_in,
    names_of_categories,
    preview_of,
    words_of,
)
from raters.figures.pending_figures import ACCEPTED, StoredView

RULES = ["majority", "rater"]
LEAST_SHARE, MOST_SHARE = 0.5, 0.99
MAX_ID = 2**63 - 1


class BulkDecisionInput(StrictSerializer):
    rule = StrictChoiceField(
        RULES,
        help_text="majority: the label that more than `share` of the raters gave. rater: all labels of one rater.",
    )
    share = StrictFloatField(required=False, help_text="For majority, from 0.5 to 0.99. Default: 0.5.")
    rater = StrictCharField(
        max_length=MAX_KEY,
        required=False,
        help_text="For rater: a name as the preview shows it, such as “Rater A”.",
    )
    question = StrictCharField(
        max_length=MAX_KEY, required=False, help_text="Question key. Default: all questions."
    )
    round = StrictCharField(max_length=MAX_KEY, required=False, help_text="Round key. Default: all rounds.")
    list = StrictIntegerField(
        min_value=1, max_value=MAX_ID, required=False, help_text="ID of a list of items. Default: all items."
    )
    digest = StrictCharField(
        max_length=64,
        required=False,
        help_text="The digest of the preview you saw. Without it, nothing is saved and you get a preview.",
    )


class ProposalSerializer(serializers.Serializer[Any]):
    item_id = serializers.IntegerField()
    item = serializers.CharField()
    question = serializers.CharField()
    decision = serializers.CharField(help_text="As text.")
    before = serializers.CharField(allow_null=True, help_text="The final label now, as text.")


class ExcludedItemSerializer(serializers.Serializer[Any]):
    item_id = serializers.IntegerField()
    item = serializers.CharField()
    question = serializers.CharField()
    why = serializers.CharField()


class RaterEffectSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField(help_text="A letter if the project hides names.")
    n = serializers.IntegerField(help_text="Labels for the disputes to be resolved.")
    n_before = serializers.IntegerField(help_text="Of these, labels that agree with the current final label.")
    n_after = serializers.IntegerField(
        help_text="Of these, labels that would agree with the final label afterward."
    )


class BulkDecisionSerializer(serializers.Serializer[Any]):
    bulk = serializers.CharField(
        allow_null=True, help_text="ID for undoing these decisions; null for a preview."
    )
    digest = serializers.CharField()
    n = serializers.IntegerField(help_text="Disputes that were resolved, or would be.")
    n_left = serializers.IntegerField()
    n_waiting = serializers.IntegerField(
        help_text="Disputes on items that do not have all of their planned labels yet."
    )
    n_more = serializers.IntegerField(help_text="Disputes beyond the maximum for one request.")
    as_of = serializers.DateTimeField(
        allow_null=True,
        help_text="When the disputes of a large project were listed, and the others counted; null if just now. "
        "Whether a dispute is open, and its labels, are always read now.",
    )
    is_current = serializers.BooleanField(
        help_text="False if the project has changed since; a newer list is being computed."
    )
    proposals = ProposalSerializer(many=True)
    left = ExcludedItemSerializer(many=True)
    raters = RaterEffectSerializer(many=True)


class BulkUndoSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField()
    n_left = serializers.IntegerField(help_text="Decisions that were changed since and stay as they are.")


class SerializedBulkDecision(TypedDict):
    """Output of `BulkDecisionSerializer`."""

    bulk: str | None
    digest: str
    n: int
    n_left: int
    n_waiting: int
    n_more: int
    as_of: datetime | None
    is_current: bool
    proposals: list[Json]
    left: list[Json]
    raters: list[Json]


class BulkDecisions(StoredView):
    @extend_schema(
        request=BulkDecisionInput,
        responses={200: BulkDecisionSerializer, 202: ACCEPTED},
        operation_id="adjudication_bulk",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Resolve many disputes with one rule, or preview the result. The decisions are saved and undone
        together.
        """
        project = project_to(request.user, slug, Permission.ADJUDICATE)
        given = self.checked(BulkDecisionInput)
        wanted = _wanted(request, project, given)
        rule = _rule(project, given)
        log_label_access(request.user, project, "disputes")
        if "digest" not in given:
            return Response(_serialized(project, preview_of(project, wanted, rule, by=request.user), None))
        done = bulk.decide_many(project, wanted, rule, digest=given["digest"], by=request.user, source="api")
        return Response(_serialized(project, done.found, done.bulk))


class BulkDecision(View):
    @extend_schema(request=None, responses=BulkUndoSerializer, operation_id="adjudication_bulk_undo")
    def delete(self, request: Request, slug: str, bulk_id: str) -> Response:
        """Withdraw all decisions of a bulk request. Decisions changed since then are kept."""
        project = project_to(request.user, slug, Permission.ADJUDICATE)
        if not any(each.bulk == bulk_id for each in bulk.bulks_of(project)):
            raise Http404("No such bulk decision.")
        undone = bulk.undo_many(project, bulk_id, by=request.user, source="api")
        return Response({"n": undone.n, "n_left": undone.n_left})


def _wanted(request: Request, project: Project, given: Json) -> DisputeFilter:
    found: dict[str, int] = {}
    for name, model in (("question", Question), ("round", Round)):
        if name in given:
            found[name] = get_object_or_404(model, project=project, key=given[name]).pk
    if "list" in given:
        found["list"] = get_object_or_404(ItemList, project=project, pk=given["list"]).pk
    hidden = tuple(rounds_to_be_blind_in(request.user, project))
    return DisputeFilter(found.get("question"), found.get("round"), found.get("list"), hidden)


def _rule(project: Project, given: Json) -> BulkRule:
    if given["rule"] == "rater":
        ids = {name: pk for pk, name in names_in(project).items()}
        if given.get("rater") not in ids:
            raise RefusedWithCode("unknown_rater", "No rater with labels has this name.")
        return BulkRule(rater=ids[given["rater"]])
    share = given.get("share", LEAST_SHARE)
    if not LEAST_SHARE <= share <= MOST_SHARE:
        raise RefusedWithCode("invalid_share", f"share must be from {LEAST_SHARE} to {MOST_SHARE}.")
    return BulkRule(share=share)


def _serialized(project: Project, found: BulkPreview, done: str | None) -> SerializedBulkDecision:
    categories = names_of_categories(project)
    decided = rows([each.dispute for each in found.proposals])
    left = rows([each.dispute for each in found.left])
    return {
        "bulk": done,
        "digest": found.digest,
        "n": len(found.proposals),
        "n_left": len(found.left),
        "n_waiting": found.n_waiting,
        "n_more": found.n_more,
        "as_of": found.counted.as_of,
        "is_current": found.counted.is_current,
        "proposals": [
            {
                "item_id": row.item.pk,
                "item": row.item.key,
                "question": row.question.key,
                "decision": words_of(each.value, categories),
                "before": None if each.before.value is None else words_of(each.before.value, categories),
            }
            for each, row in zip(found.proposals, decided, strict=True)
        ],
        "left": [
            {"item_id": row.item.pk, "item": row.item.key, "question": row.question.key, "why": each.why}
            for each, row in zip(found.left, left, strict=True)
        ],
        "raters": [
            {"rater": each.name, "n": each.n, "n_before": each.n_before, "n_after": each.n_after}
            for each in found.raters
        ],
    }
