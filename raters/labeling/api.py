"""API for a rater's own work: next assignment, saving all answers of an item at once, undo."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NotRequired, TypedDict, cast
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import View
from projects.access import project_to
from projects.roles import Permission
from raters.access import rater_or_newcomer, rater_to_label
from raters.actions import rater_of
from raters.labeling.answers import Answer, SerializedAnswer, SerializedAnswerValue, ValidatedAnswerValue
from raters.labeling.assignment_context import AssignmentContext, assignment_context
from raters.labeling.next_assignment import take_next_assignment
from raters.labeling.own_rounds import OwnRound, own_rounds, rounds_with_work
from raters.labeling.progress import progress_of
from raters.labeling.saving import save_answers
from raters.labeling.saving_records import SaveResult, SubmittedAnswers
from raters.labeling.serializers import (
    AnswersInput,
    AssignmentSerializer,
    ExcludedAssignmentsInput,
    NextAssignmentSerializer,
    ProgressSerializer,
    RevisionsInput,
    SavedAnswersSerializer,
    SkippedAssignmentSerializer,
)
from raters.labeling.skipping import skip
from raters.labeling.undoing import undo
from raters.models import Rater

KEY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.UUID,
    OpenApiParameter.HEADER,
    required=True,
    description="A UUID that you generate for this request. If you repeat the request with the same key and body, it "
    "is not executed again and returns the same response. With a different body, it fails with 422.",
)


class SerializedProgress(TypedDict):
    """Output of `ProgressSerializer`."""

    n_done: int
    n_total: int
    has_free: bool
    seconds_left: float | None
    rounds: list[OwnRound]


class OwnWork(View):
    for_labeling = frozenset({"get"})

    @extend_schema(responses=ProgressSerializer, operation_id="assignments_progress")
    def get(self, request: Request, slug: str) -> Response:
        """Get your progress in open rounds."""
        rater = rater_or_newcomer(request.user, slug)
        return Response(ProgressSerializer(_progress(rater)).data)


def _progress(rater: Rater) -> SerializedProgress:
    found = progress_of(rater)
    return {
        "n_done": found.n_done,
        "n_total": found.n_total,
        "has_free": found.has_free,
        "seconds_left": found.seconds_left,
        "rounds": rounds_with_work(own_rounds(rater)),
    }


class Next(View):
    for_labeling = frozenset({"post"})

    @extend_schema(
        request=ExcludedAssignmentsInput, responses=NextAssignmentSerializer, operation_id="assignment_next"
    )
    def post(self, request: Request, slug: str) -> Response:
        """Take your next assignment, from your queue or on demand. Returns null if nothing is left.

        You get no assignments from paused rounds, or from rounds that require you to pass another round first;
        your progress lists these. You also get none while your labeling is paused.
        """
        rater = rater_of(project_to(request.user, slug, Permission.LABEL), request.user)
        held = self.checked(ExcludedAssignmentsInput).get("held", []) if _has_body(request) else []
        pk = take_next_assignment(rater, held=held)
        return Response(
            {"assignment": None if pk is None else serialized_assignment(assignment_context(rater, pk))}
        )


class AssignmentDetail(View):
    for_labeling = frozenset({"get"})

    @extend_schema(responses=AssignmentSerializer, operation_id="assignment_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Get one of your assignments, with your answers."""
        return Response(serialized_assignment(assignment_context(rater_to_label(request.user, slug), pk)))


class ItemAnswers(View):
    for_labeling = frozenset({"put"})

    @extend_schema(
        parameters=[KEY],
        request=AnswersInput,
        responses=SavedAnswersSerializer,
        operation_id="assignment_answer",
    )
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Save your answers to all questions about an item. All are saved, or none."""
        rater = rater_to_label(request.user, slug)
        key = idempotency_key(request)
        draft = _draft(cast(ValidatedAnswers, self.checked(AnswersInput)), source=_source(request))
        return Response(_serialized_save(save_answers(rater, pk, draft, key=key, by=request.user)))


class Skip(View):
    for_labeling = frozenset({"post"})

    @extend_schema(request=None, responses=SkippedAssignmentSerializer, operation_id="assignment_skip")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Skip an item. It returns at the end."""
        return Response({"assignment": skip(rater_to_label(request.user, slug), pk).pk})


class Undo(View):
    for_labeling = frozenset({"post"})

    @extend_schema(
        parameters=[KEY],
        request=RevisionsInput,
        responses=SavedAnswersSerializer,
        operation_id="assignment_undo",
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Undo your last save of this item. A second undo redoes it."""
        rater = rater_to_label(request.user, slug)
        key = idempotency_key(request)
        revisions = _revisions(cast(ValidatedRevisions, self.checked(RevisionsInput)))
        done = undo(rater, pk, revisions, key=key, by=request.user, source=_source(request))
        return Response(_serialized_save(done))


def _has_body(request: Request) -> bool:
    return request.META.get("CONTENT_LENGTH") not in {None, "", "0"}


def idempotency_key(request: Request) -> UUID:
    try:
        return UUID(request.headers.get("Idempotency-Key", ""))
    except ValueError as error:
        raise RefusedWithCode("idempotency_key", "Send a UUID in the Idempotency-Key header.") from error


class ValidatedAnswer(ValidatedAnswerValue):
    question: str


class ValidatedRevision(TypedDict):
    question: str
    revision: int


class ValidatedRevisions(TypedDict):
    """Validated input of `RevisionsInput`."""

    revisions: NotRequired[list[ValidatedRevision]]


class ValidatedAnswers(ValidatedRevisions):
    """Validated input of `AnswersInput`."""

    answers: list[ValidatedAnswer]
    seconds: NotRequired[float | None]
    is_guideline_unclear: NotRequired[bool]
    guidelines_version: NotRequired[int]
    codebook_version: NotRequired[int]


def _revisions(validated: ValidatedRevisions) -> dict[str, int]:
    if "revisions" not in validated:
        raise RefusedWithCode("revisions_required", "Send the revisions you saw.", status_code=428)
    return {seen["question"]: seen["revision"] for seen in validated["revisions"]}


def _source(request: Request) -> str:
    """Return the source for the history: "api" for token authentication, "page" for a session."""
    return "page" if request.auth is None else "api"


def _draft(validated: ValidatedAnswers, *, source: str) -> SubmittedAnswers:
    keys = [answer["question"] for answer in validated["answers"]]
    if len(set(keys)) < len(keys):
        raise RefusedWithCode("duplicate", "There are two answers to the same question.")
    return SubmittedAnswers(
        answers={answer["question"]: Answer.of_given(answer) for answer in validated["answers"]},
        revisions=_revisions(validated),
        seconds=validated.get("seconds"),
        is_guideline_unclear=validated.get("is_guideline_unclear", False),
        source=source,
        guidelines_version=validated.get("guidelines_version"),
        codebook_version=validated.get("codebook_version"),
    )


class SerializedReferenceAnswer(SerializedAnswerValue):
    """The reference answer to one question."""

    question: str


class SerializedFile(TypedDict):
    """Output of `AssignmentFileSerializer`."""

    field: str
    name: str
    type: str
    file: str


class SerializedAssignment(TypedDict):
    """Output of `AssignmentSerializer`. content: the item's fields that raters see, as stored."""

    id: int
    item: str
    round: str
    round_state: str
    state: str
    content: list[Any]
    media: list[SerializedFile]
    answers: list[SerializedAnswer]
    is_guideline_unclear: bool
    guidelines_version: int
    codebook_version: int
    before: int | None
    replaced_at: datetime | None
    asked_again: list[str]
    reference: list[SerializedReferenceAnswer] | None


class SerializedSavedAnswers(TypedDict):
    """Output of `SavedAnswersSerializer`."""

    assignment: int
    revisions: list[ValidatedRevision]
    reference: list[SerializedReferenceAnswer] | None
    codebook_version: int
    is_paused: bool


def serialized_assignment(context: AssignmentContext) -> SerializedAssignment:
    assignment = context.assignment
    round_ = assignment.round
    return {
        "id": assignment.pk,
        "item": assignment.item.key,
        "round": round_.key if round_ else "",
        "round_state": round_.state if round_ else "",
        "state": assignment.state,
        "content": context.content,
        "media": [
            {"field": shown.name, "name": shown.media.name, "type": shown.media.type, "file": shown.address}
            for shown in context.layout.files
            if shown.media is not None
        ],
        "answers": [
            answer.serialized_for(key, context.revisions[key]) for key, answer in context.answers.items()
        ],
        "is_guideline_unclear": assignment.is_guideline_unclear,
        "guidelines_version": context.guidelines_version,
        "codebook_version": context.codebook_version,
        "before": context.before,
        "replaced_at": context.earlier.replaced_at if context.earlier else None,
        "asked_again": [question.key for question in context.questions] if context.is_asked_again else [],
        "reference": serialized_reference(context.reference),
    }


def serialized_reference(reference: Mapping[str, Answer] | None) -> list[SerializedReferenceAnswer] | None:
    if reference is None:
        return None
    return [{"question": question, **answer.shown} for question, answer in reference.items()]


def _serialized_save(saved: SaveResult) -> SerializedSavedAnswers:
    return {
        "assignment": saved.assignment,
        "revisions": [{"question": key, "revision": number} for key, number in saved.revisions.items()],
        "reference": serialized_reference(saved.reference),
        "codebook_version": saved.codebook_version,
        "is_paused": saved.is_paused,
    }
