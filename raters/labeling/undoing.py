"""Undo the last save by restoring the previous labels as a new revision in the history."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils import timezone

from core.refusals import Refused
from projects.models import Question
from raters.labeling import saving
from raters.labeling.answers import Answer, Columns, answer_of, keys_of, questions_not_asked_with
from raters.labeling.saving_records import LockedAssignment, SaveRequest, SaveResult
from raters.models import Assignment, Label, Rater

# Suffix of the source of undo steps in the history.
UNDO = ", undo"


class NoLabelsToUndo(Refused):
    code = "nothing_to_undo"

    def __init__(self) -> None:
        super().__init__("There is nothing to undo.")


class PreviousLabel(Columns):
    """A label as it was before a change."""

    seconds: float | None


@dataclass(frozen=True, slots=True)
class UndoStep:
    """The change of one question's label by the last save. old: its previous columns, None for no label."""

    question: int
    old: PreviousLabel | None
    user: int | None
    is_undo: bool


# A save is one transaction whose revisions share its timestamp, and is undone as a whole.
_LAST = """
SELECT question_id, old_value, user_id, source
FROM raters_labelrevision
WHERE item_id = %(item_id)s AND rater_id = %(rater_id)s AND pass_number = %(pass_number)s
    AND at = (
        SELECT at FROM raters_labelrevision
        WHERE item_id = %(item_id)s AND rater_id = %(rater_id)s AND pass_number = %(pass_number)s
        ORDER BY id DESC LIMIT 1
    )
"""


def undo(
    rater: Rater,
    assignment_id: int,
    revisions: Mapping[str, int],
    *,
    key: UUID,
    by: Any,
    source: str = "page",
) -> SaveResult:
    """Undo the last save of this item. A second undo redoes it.

    Raises what `save_answers` raises, and NothingToUndo if nothing was saved or somebody else saved last.
    """
    seen = repr(sorted(revisions.items()))
    digest = hashlib.sha256(f"undo {assignment_id} {seen}".encode()).digest()
    sending = SaveRequest(key, digest, by, f"{source}{UNDO}")
    return saving.once(rater, assignment_id, lambda locked: _undo(locked, revisions, by), sending)


def undone_answers(rater: Rater, assignment: Assignment, questions: Sequence[Question]) -> dict[str, Answer]:
    """Return the answers that the last undo took back, by question key; empty if the last step was no undo."""
    asked = {question.pk: question for question in questions}
    of_item = {
        "item_id": assignment.item_id,
        "rater_id": rater.pk,
        "pass_number": assignment.pass_number,
    }
    found = {}
    for step in _last_steps(of_item):
        if not step.is_undo or step.old is None or step.question not in asked:
            continue
        columns = _columns(step.old)
        if _chosen(columns) <= set(keys_of(asked[step.question])):
            label = Label(question_id=step.question, **columns)
            found[asked[step.question].key] = answer_of(label, asked)
    return found


def _undo(locked: LockedAssignment, revisions: Mapping[str, int], by: Any) -> SaveResult:
    steps = _last_steps(locked.key)
    if {step.question for step in steps} <= set(locked.assignment.asked_again):
        locked = locked.about(revisions)
    saving.refuse_stale(locked, revisions)
    if not steps or any(step.user != by.pk for step in steps):
        raise NoLabelsToUndo
    at = timezone.now()
    now = {pk: label.revision for pk, label in locked.labels.items()}
    for step in steps:
        _revert(locked, step, now, at)
    left_out = _left_out(locked)
    is_done = all(
        question.pk in now
        for question in locked.questions
        if question.is_required and question.key not in left_out
    )
    # Keep the time once done, so that recreated labels continue their revision numbers.
    saving.finish(
        locked,
        Assignment.State.DONE if is_done else Assignment.State.PENDING,
        locked.assignment.done_at or at,
    )
    return saving.saved(locked, now)


def _left_out(locked: LockedAssignment) -> set[str]:
    """Return the keys of questions that are not asked, given the restored answers."""
    if not any(question.asked_if_question for question in locked.questions):
        return set()
    by_id = {question.pk: question for question in saving.questions_of(locked.rater.project_id)}
    labels = Label.objects.filter(**locked.key)
    answers = {by_id[label.question_id].key: answer_of(label, by_id) for label in labels}
    return questions_not_asked_with(list(by_id.values()), answers)


def _last_steps(of_item: Mapping[str, int]) -> list[UndoStep]:
    with connection.cursor() as cursor:
        cursor.execute(_LAST, of_item)
        return [
            UndoStep(question, old and json.loads(old), user, source.endswith(UNDO))
            for question, old, user, source in cursor.fetchall()
        ]


def _revert(locked: LockedAssignment, step: UndoStep, now: dict[int, int], at: datetime) -> None:
    label: Label | None = locked.labels.get(step.question)
    if step.old is None:
        if label is not None:
            label.delete()
            del now[step.question]
        return
    _refuse_merged(locked, step.question, step.old)
    before = _columns(step.old)
    seconds = step.old["seconds"]
    if label is not None:
        # Absent in history from before suggestions existed.
        accepted = step.old.get("from_suggestion", False)
        now[step.question] = saving.write_label(
            label, **before, from_suggestion=accepted, seconds=seconds, labelled_at=at
        )
    else:
        now |= saving.create_labels(locked, {step.question: before}, seconds, at)


def _columns(old: PreviousLabel) -> Columns:
    """Return the answer's columns only, without the rest of what the history stores."""
    return {
        "category_id": old["category_id"],
        "category_set": old["category_set"],
        "number": old["number"],
        # Absent in history from before text questions existed.
        "text": old.get("text"),
        "is_abstention": old["is_abstention"],
        "reason": old["reason"],
        "note": old["note"],
        # Absent in history from before confidence existed.
        "confidence": old.get("confidence"),
    }


def _refuse_merged(locked: LockedAssignment, question: int, before: Columns) -> None:
    """Refuse to restore a category that no longer exists, for example because it was merged."""
    present = {pk for asked in locked.questions if asked.pk == question for pk in keys_of(asked)}
    if not _chosen(before) <= present:
        raise NoLabelsToUndo


def _chosen(columns: Columns) -> set[int]:
    return {pk for pk in (columns["category_id"], *(columns["category_set"] or ())) if pk is not None}
