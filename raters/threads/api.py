"""API for raters' questions about items."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import PAGE_PARAMETERS, View, choice_parameter, paginated
from core.web.strict import StrictBooleanField, StrictCharField, StrictSerializer
from projects.access import project_to
from projects.models import Round
from projects.roles import Permission
from raters.access import rater_or_newcomer, rater_to_label, rounds_to_be_blind_in
from raters.models import Thread
from raters.models.threads import MAX_MESSAGE
from raters.threads.actions import ask_question, into_guidelines, mark_read, own_threads, reply, threads_of
from raters.threads.inquiries import KINDS, STATES, Inquiry, InquiryFilter, answer_unclear, unclear_marks
from raters.threads.inquiries import Inquiries as InquiryRows
from raters.threads.pages import assignment_of

KIND_NAMES = [kind for kind in KINDS if kind]


class MessageInput(StrictSerializer):
    text = StrictCharField(max_length=MAX_MESSAGE)


class ReplyInput(MessageInput):
    into_guidelines = StrictBooleanField(
        required=False,
        help_text="Whether to also add the answer to the guidelines, or to their draft. Default: false.",
    )


class MessageSerializer(serializers.Serializer[Any]):
    by = serializers.CharField()
    is_answer = serializers.BooleanField()
    text = serializers.CharField()
    at = serializers.DateTimeField()


class ThreadSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    item = serializers.CharField()
    rater = serializers.CharField()
    is_open = serializers.BooleanField(help_text="Whether the rater is waiting for an answer.")
    has_news = serializers.BooleanField(help_text="Whether the rater has not read the last answer.")
    in_guidelines_at = serializers.DateTimeField(allow_null=True)
    messages = MessageSerializer(many=True)


class UnclearItemSerializer(serializers.Serializer[Any]):
    assignment = serializers.IntegerField()
    round = serializers.CharField()
    notes = serializers.ListField(child=serializers.CharField(), help_text="Notes on its labels.")


class InquirySerializer(serializers.Serializer[Any]):
    item = serializers.CharField()
    rater = serializers.CharField()
    is_open = serializers.BooleanField(help_text="Whether nobody has answered yet.")
    unclear = UnclearItemSerializer(
        many=True, help_text="Assignments that the rater marked as not covered by the guidelines."
    )
    thread = ThreadSerializer(allow_null=True)


class InquiryList(View):
    parameters = {"get": ["page", "page_size", "state", "kind", "round"]}

    @extend_schema(
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("state", str, enum=list(STATES), description="Default: `open`."),
            OpenApiParameter("kind", str, enum=KIND_NAMES, description="Default: both."),
            OpenApiParameter("round", str, description="Round key. Default: all rounds."),
        ],
        responses=paginated("Inquiry", InquirySerializer),
        operation_id="inquiries_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the questions that raters asked and the items that they marked as not covered by the guidelines,
        open ones first.
        """
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        key = request.query_params.get("round")
        round_ = None if key is None else get_object_or_404(Round, project=project, key=key)
        wanted = InquiryFilter(
            kind=choice_parameter(request, "kind", KIND_NAMES, default="")
            if "kind" in request.query_params
            else "",
            state=choice_parameter(request, "state", list(STATES), default="open"),
            round=None if round_ is None else round_.pk,
            hidden=tuple(rounds_to_be_blind_in(request.user, project)),
        )
        return self.paged(cast("Sequence[Inquiry]", InquiryRows(project, wanted)), _serialized_inquiry)


class UnclearReply(View):
    @extend_schema(request=ReplyInput, responses={201: ThreadSerializer}, operation_id="unclear_reply")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Reply to a rater who marked an item as not covered by the guidelines."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        hidden = rounds_to_be_blind_in(request.user, project)
        mark = get_object_or_404(unclear_marks(project, hidden=hidden), pk=pk)
        asked = self.checked(ReplyInput)
        thread = answer_unclear(mark, asked["text"], by=request.user)
        if asked.get("into_guidelines"):
            into_guidelines(thread, by=request.user)
        return Response(_serialized(threads_of(project).get(pk=thread.pk)), status=201)


class Threads(View):
    parameters = {"get": ["page", "page_size", "state"]}

    @extend_schema(
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("state", str, enum=["all", "open"], description="Default: `all`."),
        ],
        responses=paginated("Thread", ThreadSerializer),
        operation_id="threads_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the questions of raters about items, open ones first."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        rows = threads_of(project, hidden=rounds_to_be_blind_in(request.user, project))
        if choice_parameter(request, "state", ["all", "open"], default="all") == "open":
            rows = rows.filter(is_open=True)
        return self.paged(rows, _serialized)


class ThreadReply(View):
    @extend_schema(request=ReplyInput, responses={201: ThreadSerializer}, operation_id="thread_reply")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Answer a rater's question."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        rows = threads_of(project, hidden=rounds_to_be_blind_in(request.user, project))
        thread = get_object_or_404(rows, pk=pk)
        asked = self.checked(ReplyInput)
        reply(thread, asked["text"], by=request.user)
        if asked.get("into_guidelines"):
            into_guidelines(thread, by=request.user)
        return Response(_serialized(rows.get(pk=pk)), status=201)


class OwnThreads(View):
    for_labeling = frozenset({"get"})

    @extend_schema(responses=ThreadSerializer(many=True), operation_id="own_threads")
    def get(self, request: Request, slug: str) -> Response:
        """List your questions about items, with the answers; those with an unread answer first."""
        rater = rater_or_newcomer(request.user, slug)
        return Response([_serialized(thread) for thread in own_threads(rater)])


class OwnThread(View):
    for_labeling = frozenset({"post", "delete"})

    @extend_schema(request=MessageInput, responses={201: ThreadSerializer}, operation_id="own_thread_ask")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Ask the project leads about the item of one of your assignments. Other raters never see your
        question.
        """
        rater = rater_to_label(request.user, slug)
        assignment = assignment_of(rater, pk)
        thread = ask_question(rater, assignment.item, self.checked(MessageInput)["text"], by=request.user)
        return Response(_serialized(own_threads(rater).get(pk=thread.pk)), status=201)

    @extend_schema(responses={204: None}, operation_id="own_thread_read")
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Mark the answer about this item as read."""
        rater = rater_to_label(request.user, slug)
        mark_read(get_object_or_404(Thread, rater=rater, item=assignment_of(rater, pk).item))
        return Response(status=204)


def _serialized_inquiry(inquiry: Inquiry) -> Mapping[str, Any]:
    return {
        "item": inquiry.item.key,
        "rater": inquiry.rater.key,
        "is_open": inquiry.is_open,
        "unclear": [
            {
                "assignment": each.pk,
                "round": each.round.key if each.round else "",
                "notes": inquiry.notes[each.pk],
            }
            for each in inquiry.marks
        ],
        "thread": None if inquiry.thread is None else _serialized(inquiry.thread),
    }


def _serialized(thread: Thread) -> Mapping[str, Any]:
    return {
        "id": thread.pk,
        "item": thread.item.key,
        "rater": thread.rater.key,
        "is_open": thread.is_open,
        "has_news": thread.has_news,
        "in_guidelines_at": thread.in_guidelines_at,
        "messages": [
            {
                "by": str(message.author),
                "is_answer": message.is_answer,
                "text": message.text,
                "at": message.at,
            }
            for message in thread.messages.all()
        ],
    }
