"""What auditors found: each label of the sample with the final label of its item in the audit's project."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone

from core.refusals import Refused
from core.tolerance import are_within
from projects.events import record
from projects.models import Category, Event, Project, Question, Round
from projects.refusals import ProjectClosed
from raters.adjudication.exporting import FinalLabel, final_labels
from raters.audits.assigning import labeled_before
from raters.models import Assignment, Audit, AuditedLabel, Label, Rater
from raters.models.audits import Value, words_of

Verdict = AuditedLabel.Verdict


class JudgmentState(StrEnum):
    """pending: the item has no answer of an auditor yet, or one is still to come. undecided: there is no final label,
    because auditors differ or can't tell.
    """

    PENDING = "pending"
    UNDECIDED = "undecided"
    RIGHT = "right"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class JudgedLabel:
    """A label of the sample with what was found. given: its value by today's codebook. audited: None if there is none.

    is_different: whether given and audited differ. is_reviewed: whether a verdict about this audited label decides.
    """

    row: AuditedLabel
    state: JudgmentState
    given: Value
    audited: Value | None
    is_different: bool
    is_reviewed: bool

    @property
    def is_wrong(self) -> bool:
        return self.state is JudgmentState.WRONG

    @property
    def severity(self) -> str:
        return self.row.severity if self.is_reviewed else ""

    @property
    def is_to_review(self) -> bool:
        """Whether a reviewer should say who is right."""
        return not self.is_reviewed and (self.is_different or self.state is JudgmentState.UNDECIDED)


def judged_labels(audit: Audit) -> list[JudgedLabel]:
    """Return all labels of the sample in the order of the draw."""
    question = audit.question
    audited = _audited(audit)
    pending = _pending(audit)
    merged = merged_categories(question)
    found = []
    for row in audit.labels.select_related("item", "reviewed_by").order_by("unit", "pk"):
        value = audited.get(row.item_id)
        given = _renamed(row.given, merged)
        is_different = value is not None and not is_same_value(given, value, question.tolerance or 0.0)
        is_reviewed = bool(row.verdict) and row.verdict_about == value
        if row.item_id in pending:
            state = JudgmentState.PENDING
        elif is_reviewed and (is_different or value is None):
            state = JudgmentState.WRONG if row.verdict == Verdict.WRONG else JudgmentState.RIGHT
        elif value is None:
            state = JudgmentState.UNDECIDED
        else:
            state = JudgmentState.WRONG if is_different else JudgmentState.RIGHT
        is_decided = state in {JudgmentState.RIGHT, JudgmentState.WRONG}
        found.append(
            JudgedLabel(row, state, given, value, is_different and is_decided, is_reviewed and is_decided)
        )
    return found


def _audited(audit: Audit) -> dict[int, Value | None]:
    """Return the final label of each item with labels; None if there is none.

    Decisions of somebody who labeled the item in the audited project do not count.
    """
    finals = [each for each in final_labels(audit.project) if each.question == audit.question.key]
    biased = _decided_by_labelers(audit, finals)
    return {each.item_id: None if each.item_id in biased else each.label for each in finals}


def _decided_by_labelers(audit: Audit, finals: Sequence[FinalLabel]) -> set[int]:
    decided = {each.item_id: each.decided_by for each in finals if each.decided_by}
    users = list(get_user_model().objects.filter(username__in=set(decided.values())))
    if not users:
        return set()
    items = np.array(sorted(decided), dtype=np.int64)
    columns = {user.username: column for column, user in enumerate(users)}
    found = labeled_before(audit, items, users)
    return {
        int(item)
        for place, item in enumerate(items)
        if (column := columns.get(decided[int(item)])) is not None and found[place, column]
    }


def _pending(audit: Audit) -> set[int]:
    """Return the items that no auditor has answered, or that one is still to answer in a round that is not closed."""
    waiting = Assignment.objects.filter(
        item__project=audit.project_id, state=Assignment.State.PENDING, item__withdrawn_at=None
    )
    found = set(waiting.exclude(round__state=Round.State.CLOSED).values_list("item", flat=True))
    answered = Label.objects.filter(question=audit.question, rater__kind=Rater.Kind.HUMAN).values("item")
    return found | set(audit.project.items.exclude(pk__in=answered).values_list("pk", flat=True))


def merged_categories(question: Question) -> dict[str, str]:
    """Return the key of the category that each merged one became."""
    rows = Category.with_merged.filter(question=question, merged_into__isnull=False)
    return dict(rows.values_list("key", "merged_into__key"))


def _renamed(value: Value, merged: Mapping[str, str]) -> Value:
    if not merged or isinstance(value, float | int):
        return value
    if isinstance(value, list):
        return list(dict.fromkeys(merged.get(key, key) for key in value))
    return merged.get(value, value)


def is_same_value(one: Value, other: Value, tolerance: float) -> bool:
    if isinstance(one, float | int) and isinstance(other, float | int):
        return are_within(float(one), float(other), tolerance)
    if isinstance(one, list) and isinstance(other, list):
        return set(one) == set(other)
    return one == other


class CannotReviewOwnLabels(Refused):
    """Nobody reviews a label of an item that they labeled themselves."""

    code, status_code = "own_labels", 403

    def __init__(self) -> None:
        super().__init__("You labeled this item in the audited project, so someone else must review it.")


class SeverityWithoutError(Refused):
    """Only an error has a severity."""

    code, status_code, field = "severity_without_error", 400, "severity"

    def __init__(self, item: str) -> None:
        super().__init__(
            f"Only an error has a severity, so the verdict on {item} was not saved. Choose “The given label is wrong”, "
            "or leave the severity empty."
        )
        self.errors = [{"field": self.field, "code": self.code, "detail": str(self)}]


class NothingToReview(Refused):
    """There is nothing to decide about this label, or its audited label has changed meanwhile."""

    code, status_code = "nothing_to_review", 409


@transaction.atomic
def review(
    audit: Audit, pk: int, *, verdict: str, severity: str, note: str, by: Any, seen: str | None = None
) -> AuditedLabel:
    """Save a reviewer's verdict on a difference; "" removes it.

    seen: the audited label that the reviewer saw, in words with keys; None if unknown. Raises SeverityWithoutError,
    NothingToReview, CannotReviewOwnLabels, and ProjectClosed.
    """
    row = AuditedLabel.objects.select_for_update().get(audit=audit, pk=pk)
    if severity and verdict != Verdict.WRONG:
        raise SeverityWithoutError(row.item.key)
    if Project.objects.get(pk=audit.project_id).is_closed:
        raise ProjectClosed("This project is closed. Reopen it to review labels.")
    if labeled_before(audit, np.array([row.item_id]), [by]).any():
        raise CannotReviewOwnLabels
    judged = next(each for each in judged_labels(audit) if each.row.pk == pk)
    if judged.state is JudgmentState.PENDING or not (judged.is_different or judged.audited is None):
        raise NothingToReview(
            "The given and the audited label of this item are the same, or it is not audited yet."
        )
    if seen is not None and seen != words_of(judged.audited):
        raise NothingToReview("The audited label of this item has changed. Look at it again.")
    row.verdict, row.severity, row.note = verdict, severity, note
    row.verdict_about = judged.audited
    row.reviewed_by, row.reviewed_at = by, timezone.now()
    row.save(update_fields=["verdict", "severity", "note", "verdict_about", "reviewed_by", "reviewed_at"])
    record(
        Event.Kind.AUDIT_REVIEWED,
        by=by,
        project=audit.project,
        about=row.item.key,
        verdict=verdict,
        severity=row.severity,
    )
    return row


@dataclass(frozen=True, slots=True)
class RawAnswers:
    """Auditors’ answers before any decision. first: by item, the answer of one auditor. n_twice, n_different: items
    that two auditors answered, and on how many of them these differ.
    """

    first: Mapping[int, Value]
    n_twice: int
    n_different: int


def raw_answers(audit: Audit) -> RawAnswers:
    rows = Label.objects.filter(
        question=audit.question, rater__kind=Rater.Kind.HUMAN, is_abstention=False, pass_number=1
    )
    answers: dict[int, list[Value]] = {}
    keys = dict(Category.with_merged.filter(question=audit.question).values_list("pk", "key"))
    columns = rows.values_list("item", "category", "category_set", "number")
    for item, category, members, number in columns.order_by("item", "rater"):
        value: Value
        if members is not None:
            value = [keys[pk] for pk in members]
        else:
            value = keys[category] if number is None else float(number)
        answers.setdefault(item, []).append(value)
    twice = [values for values in answers.values() if len(values) > 1]
    tolerance = audit.question.tolerance or 0.0
    n_different = sum(not is_same_value(values[0], values[1], tolerance) for values in twice)
    return RawAnswers({item: values[0] for item, values in answers.items()}, len(twice), n_different)
