"""The items, assignments, or labels behind each number of the overview."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from projects.models import Item, Project, Question, Round
from raters.access import further_rounds
from raters.adjudication import disputes
from raters.figures.stored_figures import NOW
from raters.items.queries import category_names, excerpt, label_in_words
from raters.labeling.missing_answers import incomplete_assignments
from raters.lettered import Letters
from raters.models import Assignment, Label, Rater, counted
from raters.progress.progress_queries import REFERENCE, REPEATS, SAME, VOTERS, Asked, progress_params, rows_of
from raters.threads.inquiries import notes_on


class ProgressCount(StrEnum):
    """The numbers: first those of items, then of assignments, then of labels."""

    FINISHED = "finished"
    WAITING = "waiting"
    UNFINISHED = "unfinished"
    FREE = "free"
    DISPUTED = "disputed"
    DONE = "done"
    LEFT = "left"
    UNTAKEN = "untaken"
    UNCLEAR = "unclear"
    MISSING_ANSWERS = "missing_answers"
    LABELS = "labels"
    CANNOT_TELL = "cannot_tell"
    NOTES = "notes"
    MISSED = "missed"
    CHANGED = "changed"


WORDS = {
    ProgressCount.FINISHED: "Items with all assignments completed",
    ProgressCount.WAITING: "Items with assignments pending",
    ProgressCount.UNFINISHED: "Items left unfinished in closed rounds",
    ProgressCount.FREE: "Unassigned items",
    ProgressCount.DISPUTED: "Items in dispute",
    ProgressCount.DONE: "Completed assignments",
    ProgressCount.LEFT: "Pending assignments",
    ProgressCount.UNTAKEN: "Available assignments",
    ProgressCount.UNCLEAR: "Not covered by the guidelines",
    ProgressCount.MISSING_ANSWERS: "Assignments with a missing answer",
    ProgressCount.LABELS: "Labels",
    ProgressCount.CANNOT_TELL: "“Cannot tell”",
    ProgressCount.NOTES: "Notes for the lead",
    ProgressCount.MISSED: "Labels that differ from the reference",
    ProgressCount.CHANGED: "Blind repeats with a different label",
}
OF_ITEMS = {
    ProgressCount.FINISHED,
    ProgressCount.WAITING,
    ProgressCount.UNFINISHED,
    ProgressCount.FREE,
    ProgressCount.DISPUTED,
}
OF_PLACES = {
    ProgressCount.DONE,
    ProgressCount.LEFT,
    ProgressCount.UNTAKEN,
    ProgressCount.UNCLEAR,
    ProgressCount.MISSING_ANSWERS,
}


@dataclass(frozen=True, slots=True)
class ListFilter:
    """A filter; None matches any. hidden: rounds whose items the viewer still labels blind."""

    what: ProgressCount
    rater: int | None = None
    round: int | None = None
    question: int | None = None
    hidden: tuple[int, ...] = ()
    letters: Letters | None = None


@dataclass(frozen=True, slots=True)
class ListRow:
    """A row: an item and, where applicable, a rater, a round, a question, and the answer."""

    item: Item
    excerpt: str
    rater: str = ""
    round: str = ""
    question: str = ""
    words: str = ""
    reason: str = ""
    note: str = ""
    notes: tuple[str, ...] = ()


class ListRows:
    """Rows for a paginator, with a length and slices."""

    counted = NOW
    _found: QuerySet[Any]
    _show: Callable[[Sequence[Any]], list[ListRow]]

    def __init__(self, project: Project, wanted: ListFilter, *, among: Sequence[int] | None = None) -> None:
        """among: the IDs of what is known to be in the list; only what the viewer may not see is left out."""
        self._letters, self._among = wanted.letters, among
        if wanted.what in OF_ITEMS:
            self._found, self._show = _items(project, wanted, among), _item_rows
        elif wanted.what in OF_PLACES:
            show = _unclear_rows if wanted.what is ProgressCount.UNCLEAR else _assignment_rows
            self._found, self._show = _assignments(project, wanted, among), show
        else:
            self._found, self._show = _labels(project, wanted, among), _label_rows

    def __len__(self) -> int:
        return self._found.count()

    def ids(self, most: int) -> list[int]:
        """Return the IDs of the first rows in the order of an index, which is not by the names of raters."""
        names = {Item: ("pk",), Assignment: ("item_id", "rater_id", "pass_number")}
        order = names.get(self._found.model, ("item_id", "question_id", "rater_id", "pass_number"))
        return list(self._found.order_by(*order).values_list("pk", flat=True)[:most])

    def __getitem__(self, page: slice) -> list[ListRow]:
        found = list(self._found[page])
        if self._among is not None:
            place_of = {pk: place for place, pk in enumerate(self._among)}
            found.sort(key=lambda each: place_of[each.pk])
        rows, letters = self._show(found), self._letters
        if letters is None:
            return rows
        return _by_letter([replace(row, rater=letters.names.get(row.rater, row.rater)) for row in rows])


def _by_letter(rows: Sequence[ListRow]) -> list[ListRow]:
    """Order the raters of each item and question by their letters: any other order would tell who is who."""
    same = groupby(rows, key=lambda row: (row.item.pk, row.question))
    return [row for _, of_item in same for row in sorted(of_item, key=lambda row: row.rater)]


def _items(project: Project, wanted: ListFilter, among: Sequence[int] | None) -> QuerySet[Item]:
    items = Item.objects.filter(project=project).order_by("pk")
    if wanted.hidden:
        items = items.exclude(_in_rounds(wanted.hidden, "pk"))
    if among is not None:
        return items.filter(pk__in=among)
    assignments = Assignment.objects.filter(counted(), item=OuterRef("pk"), round__isnull=False)
    if wanted.round is not None:
        assignments = assignments.filter(round=wanted.round)
    pending = assignments.exclude(state=Assignment.State.DONE)
    left, waiting = Exists(pending), Exists(pending.exclude(round__state=Round.State.CLOSED))
    match wanted.what:
        case ProgressCount.FINISHED:
            return items.filter(Exists(assignments)).exclude(left)
        case ProgressCount.WAITING:
            return items.filter(waiting)
        case ProgressCount.UNFINISHED:
            return items.filter(left).exclude(waiting)
        case ProgressCount.FREE:
            labels = Label.objects.filter(item=OuterRef("pk"), rater__kind__in=VOTERS)
            free = items.filter(withdrawn_at=None)
            return free.exclude(Exists(assignments)).exclude(Exists(labels))
        case _:
            return items.filter(
                pk__in=disputes.undecided_items(project, disputes.DisputeFilter(hidden=wanted.hidden))
            )


def _in_rounds(rounds: Sequence[int], item: str) -> Exists:
    return Exists(Assignment.objects.filter(item=OuterRef(item), round__in=rounds))


def _params(project: Project) -> Asked:
    return progress_params(
        project,
        raters=list(Rater.objects.filter(project=project)),
        rounds=list(Round.objects.filter(project=project).values_list("pk", flat=True)),
        questions=list(Question.objects.filter(project=project)),
    )


def _assignments(project: Project, wanted: ListFilter, among: Sequence[int] | None) -> QuerySet[Assignment]:
    assignments = Assignment.objects.filter(counted(), round__project=project)
    if wanted.hidden:
        assignments = assignments.exclude(round__in=further_rounds(project, wanted.hidden))
    if wanted.rater is not None:
        assignments = assignments.filter(rater=wanted.rater)
    if wanted.round is not None:
        assignments = assignments.filter(round=wanted.round)
    if among is not None:
        assignments = assignments.filter(pk__in=among)
    match wanted.what:
        case _ if among is not None and wanted.what is not ProgressCount.UNCLEAR:
            pass
        case ProgressCount.DONE:
            assignments = assignments.filter(state=Assignment.State.DONE)
        case ProgressCount.LEFT:
            assignments = assignments.exclude(state=Assignment.State.DONE)
        case ProgressCount.UNTAKEN:
            assignments = assignments.filter(rater=None)
        case ProgressCount.MISSING_ANSWERS:
            incomplete = Q(pk__in=[])
            for question in project.questions.filter(is_required=True):
                if wanted.question in {None, question.pk}:
                    found = incomplete_assignments(project, question, hidden=wanted.hidden)
                    incomplete |= Q(pk__in=found.values("pk"))
            assignments = assignments.filter(incomplete)
        case _:
            assignments = assignments.filter(is_guideline_unclear=True)
            if wanted.hidden:
                assignments = assignments.exclude(_in_rounds(wanted.hidden, "item"))
    return _with_names(assignments)


def _with_names(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    return assignments.select_related("item", "rater", "round").order_by("item", "rater", "pass_number")


def _labels(project: Project, wanted: ListFilter, among: Sequence[int] | None) -> QuerySet[Label]:
    # By their IDs, so that the first ones are read along the index.
    questions = list(project.questions.values_list("pk", flat=True))
    raters = list(Rater.objects.filter(project=project, kind__in=VOTERS).values_list("pk", flat=True))
    labels = Label.objects.filter(question__in=questions, rater__in=raters)
    for name in ("rater", "round", "question"):
        if (value := getattr(wanted, name)) is not None:
            labels = labels.filter(**{name: value})
    if wanted.hidden:
        labels = labels.exclude(_in_rounds(wanted.hidden, "item"))
    match wanted.what:
        case _ if among is not None:
            labels = labels.filter(pk__in=among)
        case ProgressCount.CANNOT_TELL:
            labels = labels.filter(is_abstention=True)
        case ProgressCount.NOTES:
            labels = labels.exclude(note="")
        case ProgressCount.MISSED:
            labels = labels.filter(pk__in=_unlike(project, REFERENCE))
        case ProgressCount.CHANGED:
            labels = labels.filter(pk__in=_unlike(project, REPEATS))
    about = labels.select_related("item", "rater", "round", "question", "category")
    return about.order_by("item", "question", "rater", "pass_number")


def _unlike(project: Project, pairs: str) -> list[int]:
    return [pk for (pk,) in rows_of(f"SELECT l.id FROM {pairs} AND NOT ({SAME})", _params(project))]  # noqa: S608


def _item_rows(items: Sequence[Item]) -> list[ListRow]:
    return [ListRow(item, excerpt(item)) for item in items]


def _assignment_rows(assignments: Sequence[Assignment]) -> list[ListRow]:
    return [
        ListRow(
            assignment.item,
            excerpt(assignment.item, 80),
            rater=assignment.rater.key if assignment.rater else "unassigned",
            round=assignment.round.key if assignment.round else "",
            words=_state_in_words(assignment),
        )
        for assignment in assignments
    ]


def _unclear_rows(assignments: Sequence[Assignment]) -> list[ListRow]:
    """Return rows with notes, which say what the guidelines do not cover."""
    notes = notes_on(assignments)
    return [
        replace(row, notes=notes[each.pk])
        for each, row in zip(assignments, _assignment_rows(assignments), strict=True)
    ]


def _state_in_words(assignment: Assignment) -> str:
    words = ["again"] if assignment.pass_number > 1 else []
    if assignment.is_asked_again:
        words.append("asked again")
    return ", ".join(words)


def _label_rows(labels: Sequence[Label]) -> list[ListRow]:
    names = category_names(labels)
    return [
        ListRow(
            label.item,
            excerpt(label.item, 80),
            rater=label.rater.key,
            round=label.round.key if label.round else "",
            question=str(label.question),
            words=label_in_words(label, names),
            reason=label.reason,
            note=label.note,
        )
        for label in labels
    ]
