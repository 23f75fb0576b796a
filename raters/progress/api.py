"""API for the progress of a project: the figures of the overview, and next steps for leads."""

from typing import Any, ClassVar, TypedDict

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import MAX_PAGE, MAX_PAGE_SIZE, slice_of, whole_schema
from projects.access import permissions_in, project_to
from projects.models import Round
from projects.roles import Permission
from raters.access import rounds_to_be_blind_in
from raters.figures.pending_figures import ACCEPTED, StoredView
from raters.items.item_letters import hidden_letters
from raters.labeling.missing_answer_serializers import MissingAnswersSerializer, serialized_missing_answers
from raters.labeling.progress import RECENT
from raters.plain_figures import PlainFigureSerializer, SerializedPlainFigure, serialized_figure
from raters.progress.next_steps import next_steps
from raters.progress.progress_figures import AssignmentCounts, LabelCounts, figures_of
from raters.progress.rater_rows import rater_rows
from raters.reporting import PlainFigure


class AssignmentsSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField()
    n_done = serializers.IntegerField()


class LabelCountSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField(help_text="Labels, including “cannot tell”.")
    n_abstentions = serializers.IntegerField()
    n_notes = serializers.IntegerField()


class IdenticalLabelsSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField()
    n_same = serializers.IntegerField()
    share = PlainFigureSerializer(allow_null=True, help_text="With its 95% CI (Wilson).")


class RaterProgressSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField()
    assignments = AssignmentsSerializer()
    labels = LabelCountSerializer()
    n_unclear = serializers.IntegerField()
    last_seen = serializers.DateTimeField(
        allow_null=True,
        help_text="Null also for raters without an account, whose labels were imported or sent, and where names "
        "are hidden from you.",
    )
    median_seconds = serializers.FloatField(
        allow_null=True, help_text=f"Median time per item over the rater's last {RECENT} items."
    )
    items_per_hour = serializers.FloatField(allow_null=True, help_text="Based on the same items.")
    reference = IdenticalLabelsSerializer(help_text="Labels that match the reference.")
    repeats = IdenticalLabelsSerializer(help_text="Blind repeats with the same label as before.")
    missing_answers = MissingAnswersSerializer(many=True)


class RoundProgressSerializer(serializers.Serializer[Any]):
    round = serializers.CharField()
    state = serializers.ChoiceField(choices=Round.State.choices)
    assignments = AssignmentsSerializer()
    n_free = serializers.IntegerField(help_text="Assignments not yet taken by a rater.")
    n_unclear = serializers.IntegerField()
    labels = LabelCountSerializer()
    missing_answers = MissingAnswersSerializer(many=True)


class QuestionProgressSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    labels = LabelCountSerializer()


class ItemProgressSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField()
    n_finished = serializers.IntegerField()
    n_waiting = serializers.IntegerField(
        help_text="With pending assignments in rounds that are planned or open."
    )
    n_unfinished = serializers.IntegerField(help_text="With pending assignments in closed rounds only.")
    n_free = serializers.IntegerField(help_text="In no round and unlabeled.")
    n_disputed = serializers.IntegerField(
        help_text="Items with at least one disputed question that has not been adjudicated."
    )
    n_disputes = serializers.IntegerField(help_text="Number of these questions across all items.")


class NextStepSerializer(serializers.Serializer[Any]):
    sentence = serializers.CharField()
    action = serializers.CharField()
    address = serializers.CharField()


class ProjectProgressSerializer(serializers.Serializer[Any]):
    as_of = serializers.DateTimeField(
        allow_null=True, help_text="When the figures of a large project were computed; null if just now."
    )
    is_current = serializers.BooleanField(
        help_text="False if the project has changed since; newer figures are being computed."
    )
    items = ItemProgressSerializer()
    labels = LabelCountSerializer()
    n_unclear = serializers.IntegerField()
    missing_answers = MissingAnswersSerializer(many=True)
    n_raters = serializers.IntegerField(help_text="Raters with labels or assignments.")
    raters = RaterProgressSerializer(many=True, help_text="A page of these raters, by name.")
    rounds = RoundProgressSerializer(many=True)
    questions = QuestionProgressSerializer(many=True)
    next_steps = NextStepSerializer(many=True, help_text="Shown to leads; empty for others.")


class ProjectProgress(StoredView):
    parameters: ClassVar = {"get": ["page", "page_size"]}

    @extend_schema(
        responses={200: ProjectProgressSerializer, 202: ACCEPTED},
        parameters=[
            OpenApiParameter("page", whole_schema(1, MAX_PAGE), description="Page of raters, starting at 1."),
            OpenApiParameter(
                "page_size",
                whole_schema(1, MAX_PAGE_SIZE),
                description=f"Raters per page. Default: {MAX_PAGE_SIZE}.",
            ),
        ],
        operation_id="project_progress",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Get progress by rater, round, and question: pace, reference checks, repeats, disputes, and next steps."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        hidden = rounds_to_be_blind_in(request.user, project)
        figures = figures_of(
            project, hidden=hidden, letters=hidden_letters(request.user, project), by=request.user
        )
        leads = Permission.EDIT_PROJECT in permissions_in(request.user, project)
        steps = next_steps(project, figures, hidden=hidden) if leads else []
        page, size = self.requested_page(default_size=MAX_PAGE_SIZE)
        raters = figures.busy_raters
        return Response(
            {
                "as_of": figures.counted.as_of,
                "is_current": figures.counted.is_current,
                "items": ItemProgressSerializer(figures.items).data,
                "labels": _serialized_label_counts(figures.labels),
                "n_unclear": figures.n_unclear,
                "missing_answers": serialized_missing_answers(figures.missing_answers),
                "n_raters": len(raters),
                "raters": [
                    {
                        "rater": row.figures.rater.key,
                        "assignments": _assignments(row.figures.assignments),
                        "labels": _serialized_label_counts(row.figures.labels),
                        "n_unclear": row.figures.n_unclear,
                        "last_seen": row.figures.last_seen,
                        "median_seconds": row.figures.pace and row.figures.pace.seconds,
                        "items_per_hour": row.figures.pace and row.figures.pace.per_hour,
                        "reference": _serialized_match_counts(
                            row.figures.reference.n, row.figures.reference.n_same, row.reference
                        ),
                        "repeats": _serialized_match_counts(
                            row.figures.repeats.n, row.figures.repeats.n_same, row.repeats
                        ),
                        "missing_answers": serialized_missing_answers(row.figures.missing_answers),
                    }
                    for row in rater_rows(raters[slice_of(page, size, len(raters))])
                ],
                "rounds": [
                    {
                        "round": row.round.key,
                        "state": row.round.state,
                        "assignments": _assignments(row.assignments),
                        "n_free": row.n_free,
                        "n_unclear": row.n_unclear,
                        "labels": _serialized_label_counts(row.labels),
                        "missing_answers": serialized_missing_answers(row.missing_answers),
                    }
                    for row in figures.rounds
                ],
                "questions": [
                    {"question": row.question.key, "labels": _serialized_label_counts(row.labels)}
                    for row in figures.questions
                ],
                "next_steps": [
                    {"sentence": step.sentence, "action": step.words, "address": step.address}
                    for step in steps
                ],
            }
        )


def _assignments(assignments: AssignmentCounts) -> dict[str, int]:
    return {"n": assignments.n, "n_done": assignments.n_done}


def _serialized_label_counts(labels: LabelCounts) -> dict[str, int]:
    return {"n": labels.n, "n_abstentions": labels.n_abstentions, "n_notes": labels.n_notes}


class SerializedMatchCounts(TypedDict):
    """Number of labels compared, number that agree, and their share."""

    n: int
    n_same: int
    share: SerializedPlainFigure | None


def _serialized_match_counts(n: int, n_same: int, share: PlainFigure | None) -> SerializedMatchCounts:
    return {"n": n, "n_same": n_same, "share": None if share is None else serialized_figure(share)}
