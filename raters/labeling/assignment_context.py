"""An assignment as shown on the labeling page and in the API. Nothing of other raters is read."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404

from core.prepared import Param, PreparedQuery
from projects.codebook.versions import current_version
from projects.items.content import ContentPart, fields_in
from projects.items.layout import ItemLayout, laid_out, visible_content
from projects.models import CodebookVersion, GuidelinesVersion, ItemVersion, Question, Round
from raters.labeling.answers import Answer, answer_of
from raters.labeling.saving import questions_of
from raters.labeling.training import shown_reference
from raters.models import Assignment, Label, Rater, Thread

MOST_REPLACED = 50
MOST_CLOSED = 3
# The latest version of the guidelines, which is shown with an item.
_VERSION = Subquery(
    GuidelinesVersion.objects.filter(project=OuterRef("round__project"))
    .order_by("-number")
    .values("number")[:1]
)

_HAS_THREAD = Exists(Thread.objects.filter(item=OuterRef("item"), rater=OuterRef("rater")))
# Whether there is an unread reply about any item.
_HAS_NEWS = Exists(Thread.objects.filter(rater=OuterRef("rater"), has_news=True))


def _done_by(rater: int | OuterRef) -> QuerySet[Assignment]:
    """Return what a rater has done, the latest first, and what has no time last."""
    done = Assignment.objects.filter(rater=rater, state=Assignment.State.DONE, round__isnull=False)
    return done.order_by(F("done_at").desc(nulls_last=True), "-pk")


# With a time first: an index has these in order.
_LAST_DONE = Coalesce(
    Subquery(_done_by(OuterRef("rater")).exclude(done_at=None).order_by("-done_at", "-pk").values("pk")[:1]),
    Subquery(_done_by(OuterRef("rater")).values("pk")[:1]),
)
_ASSIGNMENT = PreparedQuery(
    lambda: (
        Assignment.objects.filter(pk=Param("pk"), rater=Param("rater"), round__isnull=False)
        .exclude(round__state=Round.State.DRAFT)
        .select_related("item", "round")
        .annotate(version=_VERSION, has_thread=_HAS_THREAD, has_news=_HAS_NEWS, last_done=_LAST_DONE)
    )
)
_LABELS = PreparedQuery(
    lambda: Label.objects.filter(item=Param("item"), rater=Param("rater"), pass_number=Param("pass_number"))
)


@dataclass(frozen=True, slots=True)
class AssignmentContext:
    """An assignment with its rater's answers so far.

    questions: those asked now; only some of `all_questions` if the assignment is asked again.
    answers, revisions: by question key, for the whole codebook. before: the assignment to go back to.
    reference: reference answers shown to the rater after saving in training; None if not shown.
    """

    assignment: Assignment
    layout: ItemLayout
    # As stored, without fields hidden from raters.
    content: list[ContentPart]
    questions: Sequence[Question]
    all_questions: Sequence[Question]
    answers: dict[str, Answer]
    revisions: dict[str, int]
    before: int | None
    guidelines_version: int
    is_closed: bool
    # Has the shortcuts of the answers; None before the first round is opened.
    codebook: CodebookVersion | None = None
    # The content that the rater labeled, if an import has replaced it since.
    earlier: ItemVersion | None = None
    reference: dict[str, Answer] | None = None
    # Whether the rater has asked about the item, and whether there is an unread reply about any item.
    has_thread: bool = False
    has_news: bool = False

    @property
    def codebook_version(self) -> int:
        return 0 if self.codebook is None else self.codebook.number

    @property
    def existing_answers(self) -> list[tuple[Question, Answer]]:
        """The rater's answers to questions that are not asked now."""
        asked = {question.pk for question in self.questions}
        others = [question for question in self.all_questions if question.pk not in asked]
        return [(question, self.answers[question.key]) for question in others if question.key in self.answers]

    @property
    def is_paused(self) -> bool:
        """Whether the round or rater is paused. Answers are still accepted."""
        round_ = self.assignment.round
        if self.is_closed or round_ is None:
            return False
        return round_.is_paused or self.is_rater_paused

    @property
    def is_rater_paused(self) -> bool:
        rater = self.assignment.rater
        return rater is not None and rater.is_paused

    @property
    def is_asked_again(self) -> bool:
        return len(self.questions) < len(self.all_questions)


def assignment_context(rater: Rater, pk: int, *, named: Collection[int] = ()) -> AssignmentContext:
    """Return an assignment to show to its rater. named: questions of a submitted form, to be shown in any case.

    Raises Http404 for an assignment that is not the rater's, or whose round has not been opened yet."""
    assignment = _assignment(rater, pk)
    content = visible_content(assignment.item.content, rater.project)
    questions = questions_of(rater.project_id)
    by_id = {question.pk: question for question in questions}
    own = _LABELS.all(item=assignment.item_id, rater=rater.pk, pass_number=assignment.pass_number)
    # In codebook order: the table's physical order would reveal how often others write to it.
    by_question = {label.question_id: label for label in own}
    labels = {question.key: by_question[question.pk] for question in questions if question.pk in by_question}
    return AssignmentContext(
        assignment=assignment,
        layout=laid_out(fields_in(content, rater.project_id), rater.project),
        content=content,
        questions=_questions_to_show(assignment, questions, named),
        all_questions=questions,
        answers={key: answer_of(label, by_id) for key, label in labels.items()},
        revisions={key: label.revision for key, label in labels.items()},
        before=done_before(rater, assignment),
        guidelines_version=assignment.version or 0,
        is_closed=is_closed(assignment),
        codebook=current_version(rater.project_id),
        earlier=_earlier(assignment, labels.values()),
        reference=shown_reference(assignment, questions),
        has_thread=assignment.has_thread,
        has_news=assignment.has_news,
    )


def _assignment(rater: Rater, pk: int) -> Any:
    assignment = _ASSIGNMENT.first(pk=pk, rater=rater.pk)
    if assignment is None or assignment.round is None:
        raise Http404("No such assignment.")
    assignment.rater, assignment.round.project = rater, rater.project
    return assignment


def _questions_to_show(
    assignment: Assignment, questions: Sequence[Question], named: Collection[int]
) -> Sequence[Question]:
    if not assignment.is_asked_again:
        return questions
    wanted = {*assignment.asked_again, *named}
    # A question may have been deleted since.
    return [question for question in questions if question.pk in wanted] or questions


def _earlier(assignment: Assignment, labels: Iterable[Label]) -> ItemVersion | None:
    last = max((label.labelled_at for label in labels), default=None)
    if last is None:
        return None
    return assignment.item.versions.filter(replaced_at__gt=last).order_by("pk").first()


def is_closed(assignment: Assignment) -> bool:
    round_ = assignment.round
    if round_ is None or not round_.is_open or round_.project.is_closed:
        return True
    return assignment.reference_shown_at is not None or assignment.item.withdrawn_at is not None


def last_done(rater: Rater) -> int | None:
    return None if rater.is_newcomer else _done_by(rater.pk).values_list("pk", flat=True).first()


def done_before(rater: Rater, assignment: Any) -> int | None:
    """Return the assignment that the rater did before this one; the latest if it is not done."""
    if assignment.state != Assignment.State.DONE or assignment.done_at is None:
        last: int | None = assignment.last_done
        return last
    earlier = Q(done_at__lt=assignment.done_at) | Q(done_at=assignment.done_at, pk__lt=assignment.pk)
    return _done_by(rater.pk).filter(earlier).values_list("pk", flat=True).first()


def closed_with_items_left(rater: Rater) -> list[Round]:
    """Return rounds closed before the rater finished, annotated with `n_left`, latest first."""
    left = Q(assignments__rater=rater, assignments__state=Assignment.State.PENDING)
    rounds = Round.objects.filter(left, project=rater.project_id, state=Round.State.CLOSED)
    return list(rounds.annotate(n_left=Count("pk")).order_by("-position")[:MOST_CLOSED])


def replaced_since_labeled(rater: Rater) -> list[Assignment]:
    """Return done assignments whose item an import has replaced since, at most MOST_REPLACED."""
    replaced = ItemVersion.objects.filter(item=OuterRef("item"), replaced_at__gt=OuterRef("done_at"))
    done = Assignment.objects.filter(rater=rater, state=Assignment.State.DONE, round__state=Round.State.OPEN)
    return list(done.filter(Exists(replaced)).select_related("item").order_by("pk")[:MOST_REPLACED])
