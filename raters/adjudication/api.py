"""API for adjudication: disputes, all labels of an item, decisions, and final labels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NotRequired, TypedDict, cast

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import PAGE_PARAMETERS, View, choice_parameter, paginated, whole_parameter, whole_schema
from projects.access import project_to
from projects.models import Item, Project, Question, Round
from projects.roles import Permission
from raters.access import log_label_access, refuse_blind, rounds_to_be_blind_in
from raters.adjudication import deciding
from raters.adjudication.cases import Opinion, opinions_of
from raters.adjudication.conditional_questions import ConditionState, condition_of
from raters.adjudication.disputes import DisputeFilter, DisputeRow
from raters.adjudication.exporting import FORMATS
from raters.adjudication.final_fields import requested_fields
from raters.adjudication.final_files import file_of
from raters.adjudication.rule_conditions import refuse_not_asked, state_of
from raters.adjudication.serializers import (
    MAX_REVISION,
    CaseSerializer,
    DecisionChangeSerializer,
    DecisionInput,
    DisputeSerializer,
)
from raters.adjudication.stored_disputes import open_disputes
from raters.figures.pending_figures import ACCEPTED, StoredView
from raters.items import label_history as history
from raters.items.item_letters import letters_for_item
from raters.labeling.answers import Answer, SerializedReasonedValue, ValidatedAnswerValue
from raters.models import Label, LabelRevision

FILTER_PARAMETERS = [
    OpenApiParameter("question", str, description="Question key. Default: all questions."),
    OpenApiParameter("round", str, description="Round key. Default: all rounds."),
]


OF_LARGE_PROJECTS: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "n_open": serializers.IntegerField(
        help_text="Open disputes that match the filter. A large project lists only the most disputed; `count` is their "
        "number."
    ),
    "as_of": serializers.DateTimeField(
        allow_null=True, help_text="When the disputes of a large project were counted; null if just now."
    ),
    "is_current": serializers.BooleanField(
        help_text="Whether they were counted after the latest change to the project."
    ),
}


class Disputes(StoredView):
    parameters = {"get": ["page", "page_size", "question", "round"]}

    @extend_schema(
        parameters=[*PAGE_PARAMETERS, *FILTER_PARAMETERS],
        responses={200: paginated("Dispute", DisputeSerializer, **OF_LARGE_PROJECTS), 202: ACCEPTED},
        operation_id="adjudication_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List open disputes, most disputed first. Labels of people and models count alike."""
        project = project_to(request.user, slug, Permission.SEE_DISPUTES)
        hidden = tuple(rounds_to_be_blind_in(request.user, project))
        question, round_ = requested_question(request, project), requested_round(request, project)
        wanted = DisputeFilter(
            question.pk if question else None, round_.pk if round_ else None, hidden=hidden
        )
        size = whole_parameter(request, "page_size", default=100, low=1, high=1000)
        found = open_disputes(project, wanted, first=size, by=request.user)
        log_label_access(request.user, project, "disputes")
        page = self.paged(cast("Sequence[DisputeRow]", found), serialized_dispute)
        counted = found.counted
        page.data |= {
            "n_open": found.total.n_open,
            "as_of": counted.as_of,
            "is_current": counted.is_current,
        }
        return page


class CaseDetail(View):
    parameters = {"delete": ["revision"]}

    @extend_schema(responses=CaseSerializer, operation_id="adjudication_case")
    def get(self, request: Request, slug: str, item: int, question: int) -> Response:
        """Get all labels for an item and question, and the decision if there is one."""
        found, asked = self._asked(request, slug, item, question)
        log_label_access(request.user, found.project, found.key, question=asked.key)
        return Response(serialized_case(found, asked))

    @extend_schema(request=DecisionInput, responses=CaseSerializer, operation_id="adjudication_decide")
    def put(self, request: Request, slug: str, item: int, question: int) -> Response:
        """Save or revise a decision, stored as a label by the consensus rater. Raters’ labels do not change.

        Fails with `not_asked` if the final label of an earlier question means that this question isn’t asked.
        """
        found, asked = self._asked(request, slug, item, question)
        refuse_not_asked(found, asked)
        given = self.checked(DecisionInput)
        if "revision" not in given:
            raise RefusedWithCode("revision_required", "Send the revision you saw.", status_code=428)
        deciding.decide(
            found,
            asked,
            new_decision_from(cast(ValidatedDecision, given)),
            seen=given["revision"],
            by=request.user,
        )
        # The response shows raters' labels, so it counts as a look at them.
        log_label_access(request.user, found.project, found.key, question=asked.key)
        return Response(serialized_case(found, asked))

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "revision", whole_schema(0, MAX_REVISION), required=True, description="The revision you saw."
            )
        ],
        responses={204: None},
        operation_id="adjudication_withdraw",
    )
    def delete(self, request: Request, slug: str, item: int, question: int) -> Response:
        """Withdraw a decision. The history keeps it."""
        found, asked = self._asked(request, slug, item, question)
        if "revision" not in request.query_params:
            raise RefusedWithCode("revision_required", "Send the revision you saw.", status_code=428)
        seen = whole_parameter(request, "revision", default=0, low=0, high=MAX_REVISION)
        deciding.withdraw(found, asked, seen=seen, by=request.user, source="api")
        return Response(status=204)

    def _asked(self, request: Request, slug: str, item: int, question: int) -> tuple[Item, Question]:
        permission = Permission.SEE_DISPUTES if request.method == "GET" else Permission.ADJUDICATE
        project = project_to(request.user, slug, permission)
        asked = get_object_or_404(project.questions.compared().prefetch_related("categories"), pk=question)
        found = get_object_or_404(Item.objects.select_related("project"), project=project, pk=item)
        refuse_blind(request.user, found)
        return found, asked


class AnyType(BaseContentNegotiation):
    """Ignore the Accept header: the file has its own type, and errors are JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class FinalLabels(View):
    parameters = {"get": ["as", "round", "fields"]}
    content_negotiation_class = AnyType

    @extend_schema(
        parameters=[
            OpenApiParameter("as", str, enum=list(FORMATS), description="Default: csv."),
            FILTER_PARAMETERS[1],
            OpenApiParameter(
                "fields",
                str,
                description="Comma-separated fields of the item to add to each label: content, attributes, "
                "content.NAME, or attributes.NAME. Default: none.",
            ),
        ],
        responses={(200, "text/csv"): OpenApiTypes.STR, (200, "application/x-ndjson"): OpenApiTypes.STR},
        operation_id="final_labels",
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Export the final label of every labeled item and question, with its origin, as a stream.

        `n_raters` counts people and models alike. The origin `majority` means that more raters gave this label than any
        other; under the rule `plurality`, they can be fewer than half: see `share_agree`.

        In CSV, text that starts with =, +, -, @, a tab, a line break, a full-width form of these, or an apostrophe has
        an apostrophe in front. To restore the original, remove the first apostrophe from text that starts with one.
        """
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        kind = choice_parameter(request, "as", list(FORMATS), default="csv")
        round_ = requested_round(request, project)
        asked = request.query_params.get("fields")
        fields = [] if asked is None else requested_fields(project, asked)
        return file_of(request.user, project, round_, kind, fields)


class ItemHistory(View):
    parameters = {"get": ["page", "page_size"]}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=paginated("DecisionChange", DecisionChangeSerializer),
        operation_id="item_history",
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List every change to an item’s labels, newest first; by rater where raters’ names are hidden from you."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        item = get_object_or_404(Item.objects.select_related("project"), project=project, pk=pk)
        refuse_blind(request.user, item)
        log_label_access(request.user, project, item.key, history=True)
        hidden = letters_for_item(request.user, item)
        page = self.paged(history.revisions_of(item, hidden), lambda revision: revision)
        found: list[LabelRevision] = page.data["results"]
        page.data["results"] = DecisionChangeSerializer(history.changes(found, hidden), many=True).data
        return page


def requested_question(request: Request, project: Project) -> Question | None:
    key = request.query_params.get("question")
    return None if key is None else get_object_or_404(Question, project=project, key=key)


def requested_round(request: Request, project: Project) -> Round | None:
    key = request.query_params.get("round")
    return None if key is None else get_object_or_404(Round, project=project, key=key)


class ValidatedDecision(ValidatedAnswerValue):
    """Validated input of `DecisionInput`."""

    revision: NotRequired[int]
    for_guidelines: NotRequired[bool]


def new_decision_from(validated: ValidatedDecision) -> deciding.NewDecision:
    return deciding.NewDecision(
        answer=replace(Answer.of_given(validated), reason="", note=""),
        reason=validated.get("reason", ""),
        note=validated.get("note", ""),
        is_for_guidelines=validated.get("for_guidelines", False),
        source="api",
    )


class SerializedDispute(TypedDict):
    """Output of `DisputeSerializer`."""

    item_id: int
    item: str
    question_id: int
    question: str
    n_labels: int
    n_most: int
    n_values: int
    entropy: float


class SerializedOpinion(SerializedReasonedValue):
    """Output of `OpinionSerializer`."""

    rater: str
    is_reference: bool
    pass_number: int
    is_guideline_unclear: bool
    round: str


class SerializedCase(TypedDict):
    """Output of `CaseSerializer`. content: the item's fields, as stored."""

    item_id: int
    item: str
    question_id: int
    question: str
    asked: str
    condition: str
    content: list[Any]
    labels: list[SerializedOpinion]
    decision: deciding.SerializedDecision | None
    revision: int
    reasons: list[str]


def serialized_dispute(row: DisputeRow) -> SerializedDispute:
    dispute = row.dispute
    return {
        "item_id": dispute.item,
        "item": row.item.key,
        "question_id": dispute.question,
        "question": row.question.key,
        "n_labels": dispute.n_labels,
        "n_most": dispute.n_most,
        "n_values": dispute.n_values,
        "entropy": dispute.entropy,
    }


def serialized_case(
    item: Item,
    question: Question,
    names: Mapping[int, str] | None = None,
    state: ConditionState | None = None,
) -> SerializedCase:
    current = deciding.current_decision(item, question)
    return {
        "item_id": item.pk,
        "item": item.key,
        "question_id": question.pk,
        "question": question.key,
        "asked": str(state_of(item, question) if state is None else state),
        "condition": condition_of(question),
        "content": item.content,
        "labels": [
            _serialized_opinion(label, opinion, question)
            for label, opinion in opinions_of(item, question, names)
        ],
        "decision": current.shown,
        "revision": current.revision,
        "reasons": item.project.adjudication_reasons,
    }


def _serialized_opinion(label: Label, opinion: Opinion, question: Question) -> SerializedOpinion:
    return {
        **deciding.serialized_reasoned_value(label, question),
        "rater": opinion.name,
        "is_reference": opinion.is_reference,
        "pass_number": opinion.pass_number,
        "is_guideline_unclear": opinion.is_guideline_unclear,
        "round": opinion.round,
    }
