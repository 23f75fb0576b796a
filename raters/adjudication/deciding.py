"""Create, revise, and withdraw decisions on an item and question, stored as labels of the consensus rater.

The item's row is locked first, which serializes adjudicators, so that the second one sees the first decision.
It does not wait for raters who are saving labels of the item.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone

from core.keys import MAX_KEY
from core.refusals import Refused
from projects.models import MAX_TEXT, Item, Project, Question, Webhook
from projects.refusals import ProjectClosed
from projects.webhooks.event_queue import queue_event
from raters.adjudication.queue import forget_all
from raters.adjudication.special_raters import consensus_for, no_voters
from raters.labeling.answers import (
    Answer,
    AnswerFault,
    AnswersRefused,
    AnswerValidator,
    Columns,
    SerializedReasonedValue,
    answer_of,
)
from raters.labeling.saving import set_history_context, write_label
from raters.models import Decision, Label, LabelRevision, Rater

# The columns that make two labels equal.
ANSWER_COLUMNS = ("category_id", "category_set", "number", "is_abstention")
ABSTENTION: Columns = {
    "category_id": None,
    "category_set": None,
    "number": None,
    "text": None,
    "is_abstention": True,
    "reason": "",
    "note": "",
    "confidence": None,
}


@dataclass(frozen=True, slots=True)
class NewDecision:
    """A new decision. source: where it comes from, for the history."""

    answer: Answer
    reason: str = ""
    note: str = ""
    is_for_guidelines: bool = False
    source: str = "page"


@dataclass(frozen=True, slots=True)
class CurrentDecision:
    """The current decision. label: None if there is none. by: who decided, "" for an import."""

    question: Question
    label: Label | None
    revision: int
    by: str
    is_for_guidelines: bool

    @property
    def shown(self) -> "SerializedDecision | None":
        """The decision in API output."""
        if self.label is None:
            return None
        return {
            **serialized_reasoned_value(self.label, self.question),
            "for_guidelines": self.is_for_guidelines,
            "decided_by": self.by or None,
            "decided_at": self.label.labelled_at,
        }


class SerializedDecision(SerializedReasonedValue):
    """A decision in API output."""

    for_guidelines: bool
    decided_by: str | None
    decided_at: datetime


def serialized_reasoned_value(label: Label, question: Question) -> SerializedReasonedValue:
    return answer_of(label, {question.pk: question}).serialized_with_reason


class DecisionChanged(Refused):
    """The decision has changed since the client saw it; nothing was overwritten."""

    code = "stale_revision"

    def __init__(self, current: CurrentDecision) -> None:
        who = f" by {current.by}" if current.by else ""
        done = "decided" if current.label else "withdrawn"
        super().__init__(f"This was {done}{who} since you opened it. Nothing was overwritten.")
        self.current = current
        self.errors = [
            {
                "field": "revision",
                "code": self.code,
                "detail": "The decision has changed since you saw it.",
                "revision": current.revision,
                "current": current.shown,
            }
        ]


def current_decision(item: Item, question: Question) -> CurrentDecision:
    label = (
        Label.objects.select_related("category", "decision__decided_by")
        .filter(item=item, question=question, rater__kind=Rater.Kind.CONSENSUS)
        .first()
    )
    if label is None:
        return CurrentDecision(question, None, 0, "", is_for_guidelines=False)
    decision = getattr(label, "decision", None)
    by = str(decision.decided_by) if decision else ""
    return CurrentDecision(
        question, label, label.revision, by, is_for_guidelines=bool(decision and decision.is_for_guidelines)
    )


@transaction.atomic
def decide(item: Item, question: Question, verdict: NewDecision, *, seen: int, by: Any) -> CurrentDecision:
    """Save the decision. seen: the revision that the client saw, 0 for none.

    A repeat by the same person does nothing and returns the same result. Raises ProjectClosed, DecisionChanged,
    AnswersRefused.
    """
    project = locked(item)
    before = current_decision(item, question)
    columns = _columns(project, item, question, verdict, before)
    if _is_same(before, columns, verdict, by):
        return before
    if before.revision != seen:
        raise DecisionChanged(before)
    flagged = ", for the guidelines" if verdict.is_for_guidelines else ""
    set_history_context(by, f"decision by {verdict.source}{flagged}")
    # The time changes with each decision, so each leaves a revision, even if only the flag changes.
    label = _write(project, item, question, before.label, columns)
    Decision.objects.update_or_create(
        label=label, defaults={"decided_by": by, "is_for_guidelines": verdict.is_for_guidelines}
    )
    _queue_event(project, item, question, is_withdrawn=False)
    return current_decision(item, question)


@transaction.atomic
def withdraw(item: Item, question: Question, *, seen: int, by: Any, source: str = "page") -> None:
    """Withdraw the decision; the history keeps it. Raises ProjectClosed, DecisionChanged."""
    project = locked(item)
    before = current_decision(item, question)
    if before.revision != seen or before.label is None:
        raise DecisionChanged(before)
    set_history_context(by, f"decision by {source}, withdrawn")
    Decision.objects.filter(label=before.label).delete()
    before.label.delete()
    _queue_event(project, item, question, is_withdrawn=True)


def _queue_event(project: Project, item: Item, question: Question, *, is_withdrawn: bool) -> None:
    if project.questions.filter(asked_if_question=question.key).exists():
        forget_all(project)
    queue_event(
        project,
        Webhook.Event.DISPUTE_DECIDED,
        {
            "item_id": item.pk,
            "question": question.key,
            "question_id": question.pk,
            "is_withdrawn": is_withdrawn,
        },
        links={"case_url": reverse("api_case", args=[project.slug, item.pk, question.pk])},
    )


def locked(item: Item) -> Project:
    """Lock the item against other decisions in this transaction, and return its project. Raises ProjectClosed."""
    Item.objects.select_for_update(no_key=True).only("pk").get(pk=item.pk)
    project = Project.objects.get(pk=item.project_id)
    if project.is_closed:
        raise ProjectClosed("This project is closed, so its labels can’t be changed.")
    return project


def _is_same(before: CurrentDecision, columns: Columns, verdict: NewDecision, by: Any) -> bool:
    """Return whether this repeats the current decision: a double click, or a retry after a lost response."""
    label = before.label
    return (
        label is not None
        and before.is_for_guidelines == verdict.is_for_guidelines
        and before.by == str(by)
        and all(getattr(label, name) == value for name, value in columns.items())
    )


def _columns(
    project: Project, item: Item, question: Question, verdict: NewDecision, before: CurrentDecision
) -> Columns:
    """Return the columns of the label. Adjudicators may always choose “cannot tell”."""
    if verdict.answer.is_abstention and verdict.answer.n_values == 0:
        columns = ABSTENTION
    else:
        columns = AnswerValidator([question]).columns({question.key: verdict.answer})[question.pk]
    if faults := _faults(project, item, question, verdict, before, columns):
        raise AnswersRefused(faults)
    return {**columns, "reason": verdict.reason, "note": verdict.note}


def _faults(
    project: Project,
    item: Item,
    question: Question,
    verdict: NewDecision,
    before: CurrentDecision,
    columns: Columns,
) -> Sequence[AnswerFault]:
    known = [*project.adjudication_reasons, before.label.reason if before.label else "", ""]
    if verdict.reason not in known:
        return [
            AnswerFault(
                question.key,
                "unknown_reason",
                "Choose a reason from the list. A project lead can add reasons.",
            )
        ]
    if len(verdict.note) > MAX_TEXT or len(verdict.reason) > MAX_KEY:
        return [AnswerFault(question.key, "too_long", f"A note can have at most {MAX_TEXT:,} characters.")]
    needs_reason = project.adjudication_reasons and not verdict.reason
    if needs_reason and not _was_given_by_a_rater(project, item, question, columns):
        sentence = "Choose a reason: your decision differs from all raters’ labels."
        return [AnswerFault(question.key, "reason_required", sentence)]
    return []


def _was_given_by_a_rater(project: Project, item: Item, question: Question, columns: Columns) -> bool:
    answer = {name: value for name, value in columns.items() if name in ANSWER_COLUMNS and value is not None}
    labels = Label.objects.filter(item=item, question=question, **answer)
    return labels.exclude(rater__in=no_voters(project)).exists()


def _write(project: Project, item: Item, question: Question, label: Label | None, columns: Columns) -> Label:
    at = timezone.now()
    if label is not None:
        write_label(label, **columns, labelled_at=at)
        return label
    place = {"item_id": item.pk, "question_id": question.pk, "rater_id": consensus_for(project).pk}
    # A new decision continues the revision numbers, so that it cannot be mistaken for a withdrawn one.
    last = LabelRevision.objects.filter(**place).aggregate(last=Max("revision"))["last"] or 0
    return Label.objects.create(**place, **columns, labelled_at=at, revision=last + 1)
