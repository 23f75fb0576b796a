"""Save all answers of an item at once: exactly once, never overwriting unseen changes, never into a closed round.

The assignment's row is locked first, which serializes saves by one rater on one item; then the idempotency key is
looked up. An assignment always exists before it is labeled, so there is a row to lock.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Max, Q
from django.http import Http404
from django.utils import timezone

from core.prepared import Param, PreparedQuery, insert_rows, keep_fetched, prepared_cursor
from projects.models import Category, Project, Question, Round
from raters.labeling.answers import Answer, AnswerValidator, Columns, answer_of, questions_not_asked_with
from raters.labeling.saving_records import (
    KeyReused,
    LockedAssignment,
    ReferenceAlreadyShown,
    RoundClosed,
    SaveRequest,
    SaveResult,
    StaleAnswer,
    StaleRevision,
    SubmittedAnswers,
)
from raters.labeling.training import show_reference
from raters.models import Assignment, Label, LabelRevision, Rater, Submission
from raters.quality.passing import record_passes


def save_answers(
    rater: Rater, assignment_id: int, draft: SubmittedAnswers, *, key: UUID, by: Any
) -> SaveResult:
    """Save the answers in one transaction. A repeated request with the same key returns the same response.

    Raises Http404 for an assignment that is not the rater's, KeyReused, RoundClosed, ReferenceAlreadyShown,
    StaleRevision, AnswersRefused.
    """
    digest = hashlib.sha256(b"save %d " % assignment_id + draft.digest).digest()
    sending = SaveRequest(key, digest, by, draft.source)
    return once(rater, assignment_id, lambda locked: _save(locked, draft), sending)


def once(
    rater: Rater, assignment_id: int, write: Callable[[LockedAssignment], SaveResult], sending: SaveRequest
) -> SaveResult:
    """Lock the assignment and write, unless a request with this key was already processed."""
    try:
        return _once(rater, assignment_id, write, sending)
    except IntegrityError as error:
        if "submission_once_per_key" in str(error):
            # A concurrent request for another item used the same key first.
            raise KeyReused from error
        if "label_once_per_item_question_rater_pass" not in str(error):
            raise
    # A concurrent import wrote a label, which is visible now.
    return _once(rater, assignment_id, write, sending)


@transaction.atomic
def _once(
    rater: Rater, assignment_id: int, write: Callable[[LockedAssignment], SaveResult], sending: SaveRequest
) -> SaveResult:
    locked, (round_state, project_state, is_withdrawn) = _locked(rater, assignment_id, sending)
    if (before := _answered(sending)) is not None:
        return replace(before, codebook_version=locked.codebook_version, is_paused=locked.is_paused)
    refuse_closed(round_state, project_state, is_withdrawn=is_withdrawn)
    if locked.assignment.reference_shown_at is not None:
        raise ReferenceAlreadyShown
    # A pause does not refuse saves: raters who are offline cannot know of it.
    done = replace(write(locked), codebook_version=locked.codebook_version, is_paused=locked.is_paused)
    answer = {"key": sending.key, "digest": sending.digest, "status": 200, "answer": asdict(done)}
    insert_rows(Submission, [{"user_id": sending.by.pk, **answer}])
    return done


_SUBMISSION = PreparedQuery(lambda: Submission.objects.filter(user_id=Param("user"), key=Param("key")))


def _answered(sending: SaveRequest) -> SaveResult | None:
    known = _SUBMISSION.first(user=sending.by.pk, key=sending.key)
    if known is None:
        return None
    if bytes(known.digest) != sending.digest:
        raise KeyReused
    return SaveResult.of_json(known.answer)


# Lock round, project, and item until the commit: closing them or withdrawing the item waits for saves in progress.
# The same query sets who changes labels for the history, as `set_history_context` does.
_LOCK = """
SELECT a.id, a.item_id, a.batch_id, a.pass_number, a.state, a.is_on_demand, a.done_at,
    a.reference_shown_at, a.asked_again, a.is_guideline_unclear,
    b.gold_use, b.paused_at IS NOT NULL, b.pass_mark, b.state, p.state, i.withdrawn_at IS NOT NULL,
    (SELECT coalesce(max(number), 0) FROM projects_guidelinesversion WHERE project_id = p.id),
    (SELECT coalesce(max(number), 0) FROM projects_codebookversion WHERE project_id = p.id),
    set_config('interrater.user_id', %s, true), set_config('interrater.source', %s, true)
FROM raters_assignment a
JOIN projects_batch b ON b.id = a.batch_id
JOIN projects_project p ON p.id = b.project_id
JOIN projects_item i ON i.id = a.item_id
WHERE a.id = %s AND a.rater_id = %s
FOR NO KEY UPDATE OF a
FOR SHARE OF b, p
FOR KEY SHARE OF i
"""


_LABELS = PreparedQuery(
    lambda: Label.objects.select_for_update(no_key=True).filter(
        item=Param("item_id"), rater=Param("rater_id"), pass_number=Param("pass_number")
    )
)


def _locked(
    rater: Rater, assignment_id: int, sending: SaveRequest
) -> tuple[LockedAssignment, tuple[str, str, bool]]:
    with prepared_cursor() as cursor:
        cursor.execute(_LOCK, [str(sending.by.pk), sending.source, assignment_id, rater.pk])
        row = cursor.fetchone()
    if row is None:
        raise Http404("No such assignment.")
    *columns, round_state, project_state, is_withdrawn, version, codebook, _, _ = row
    (
        pk,
        item,
        round_,
        pass_number,
        state,
        is_on_demand,
        done_at,
        shown_at,
        asked,
        is_unclear,
        use,
        is_paused,
        pass_mark,
    ) = columns
    assignment = Assignment(
        pk=pk, rater_id=rater.pk, item_id=item, round_id=round_, pass_number=pass_number, state=state,
        is_on_demand=is_on_demand, done_at=done_at, reference_shown_at=shown_at,
        asked_again=asked, is_guideline_unclear=is_unclear,
    )  # fmt: skip
    is_training = use == Round.ReferenceUse.TRAINING
    locked = LockedAssignment(
        assignment,
        rater,
        questions_of(rater.project_id),
        version,
        is_training,
        codebook,
        is_paused or rater.is_paused,
        has_pass_mark=pass_mark is not None,
    )
    # A concurrent import may change a label: it waits for this save, or this save sees its changes.
    locked.labels = {label.question_id: label for label in _LABELS.all(**locked.key)}
    return locked, (round_state, project_state, is_withdrawn)


_QUESTIONS = PreparedQuery(lambda: Question.objects.filter(project=Param("project")))
_CATEGORIES = PreparedQuery(lambda: Category.objects.filter(question__project=Param("project")))


def questions_of(project_id: int) -> list[Question]:
    """Return the questions with their categories, as if these were prefetched."""
    questions = {question.pk: question for question in _QUESTIONS.all(project=project_id)}
    categories: dict[int, list[Category]] = {pk: [] for pk in questions}
    for category in _CATEGORIES.all(project=project_id) if questions else ():
        if category.question_id in questions:
            category.question = questions[category.question_id]
            categories[category.question_id].append(category)
    for pk, question in questions.items():
        keep_fetched(question.categories, categories[pk])
    return list(questions.values())


def refuse_closed(round_state: str, project_state: str, *, is_withdrawn: bool) -> None:
    if project_state == Project.State.CLOSED:
        raise RoundClosed("This project is closed, so its labels can’t be changed.")
    if round_state == Round.State.CLOSED:
        raise RoundClosed("This round is closed, so its labels can’t be changed.")
    if round_state == Round.State.DRAFT:
        raise RoundClosed("This round is not open yet.")
    if is_withdrawn:
        raise RoundClosed("A project lead withdrew this item, so it can’t be labeled.")


def refuse_stale(locked: LockedAssignment, revisions: Mapping[str, int]) -> None:
    by_id = {question.pk: question for question in locked.questions}
    changed = []
    for question in locked.questions:
        label = locked.labels.get(question.pk)
        now = label.revision if label else 0
        if revisions.get(question.key, 0) != now:
            changed.append(StaleAnswer(question.key, now, answer_of(label, by_id) if label else None))
    if changed:
        raise StaleRevision(changed)


def _save(whole: LockedAssignment, draft: SubmittedAnswers) -> SaveResult:
    locked = whole.about({*draft.answers, *draft.revisions})
    # Answering an additional question does not clear the flag on the item.
    is_unclear = draft.is_guideline_unclear or (locked is not whole and whole.assignment.is_guideline_unclear)
    # Check for stale labels first: a changed codebook may be why an answer is invalid.
    refuse_stale(locked, draft.revisions)
    checking = AnswerValidator(
        locked.questions, existing_answers=_unchanged_answers(whole, locked), needs_confidence=True
    )
    columns = checking.columns(draft.answers)
    if draft.guidelines_version is not None:
        # Nobody can have read a future version.
        locked.guidelines_version = min(draft.guidelines_version, locked.guidelines_version)
    if draft.codebook_version is not None:
        _see(locked, draft.codebook_version)
    at = timezone.now()
    new = {pk: of_label for pk, of_label in columns.items() if pk not in locked.labels}
    revisions = create_labels(locked, new, draft.seconds, at)
    for pk, label in locked.labels.items():
        if pk in columns:
            revisions[pk] = _change(locked, label, columns[pk], draft.seconds, at)
        else:
            label.delete()
    if locked is not whole:
        _drop_unasked(whole, locked, draft)
    finish(locked, Assignment.State.DONE, at, is_guideline_unclear=is_unclear)
    if locked.has_pass_mark:
        record_passes(Round.objects.get(assignments=locked.assignment), raters=[locked.rater.pk])
    reference = show_reference(locked.assignment, locked.questions, at) if locked.is_training else None
    return replace(saved(locked, revisions), reference=reference)


def _unchanged_answers(whole: LockedAssignment, locked: LockedAssignment) -> dict[str, Answer]:
    """Return existing answers to questions not answered now, by key; empty answers for those without a label."""
    if locked is whole:
        return {}
    by_id = {question.pk: question for question in whole.questions}
    answered = {question.pk for question in locked.questions}
    return {
        question.key: answer_of(whole.labels[pk], by_id) if pk in whole.labels else Answer()
        for pk, question in by_id.items()
        if pk not in answered
    }


def _drop_unasked(whole: LockedAssignment, locked: LockedAssignment, draft: SubmittedAnswers) -> None:
    """Delete labels of questions that are no longer asked, given the answer to a question asked again."""
    left_out = questions_not_asked_with(
        whole.questions, {**_unchanged_answers(whole, locked), **draft.answers}
    )
    answered = {question.pk for question in locked.questions}
    for question in whole.questions:
        label = whole.labels.get(question.pk)
        if question.key in left_out and question.pk not in answered and label is not None:
            label.delete()


def _see(locked: LockedAssignment, number: int) -> None:
    """Record that the rater has seen this codebook version, so that its changes are not shown again."""
    number = min(number, locked.codebook_version)
    if number and (locked.rater.codebook_seen or 0) < number:
        unseen = Q(codebook_seen__isnull=True) | Q(codebook_seen__lt=number)
        Rater.objects.filter(unseen, pk=locked.rater.pk).update(codebook_seen=number)


def set_history_context(by: Any, source: str) -> None:
    """Set who changes labels in this transaction, and from where. The database stores it with each revision."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('interrater.user_id', %s, true), set_config('interrater.source', %s, true)",
            [str(by.pk), source],
        )


def create_labels(
    locked: LockedAssignment, columns: Mapping[int, Columns], seconds: float | None, at: datetime
) -> dict[int, int]:
    """Create labels for questions that have none, and return their revisions by question."""
    # An assignment that was never done has no earlier revisions.
    before = last_revisions(locked) if columns and locked.assignment.done_at else {}
    revisions = {question: before.get(question, 0) + 1 for question in columns}
    same = {
        **locked.key,
        "round_id": locked.assignment.round_id,
        "seconds": seconds,
        "guidelines_version": locked.guidelines_version,
        "labelled_at": at,
    }
    insert_rows(
        Label,
        [
            {**same, "question_id": question, "revision": revisions[question], **of_label}
            for question, of_label in columns.items()
        ],
    )
    return revisions


def last_revisions(locked: LockedAssignment) -> dict[int, int]:
    """Return the last revision by question, including deleted labels.

    A recreated label continues the numbering, so that a tab cannot mistake it for an older revision 1.
    """
    rows = (
        LabelRevision.objects.filter(**locked.key)
        .order_by()
        .values_list("question_id")
        .annotate(last=Max("revision"))
    )
    return dict(rows)


def _change(
    locked: LockedAssignment, label: Label, columns: Columns, seconds: float | None, at: datetime
) -> int:
    """Update the label if it differs, and return its revision."""
    if columns["confidence"] is None and _says_the_same(label, columns):
        # Pages that do not ask for a confidence do not remove one.
        asked = next(question for question in locked.questions if question.pk == label.question_id)
        columns = columns if asked.asks_confidence else {**columns, "confidence": label.confidence}
    if all(getattr(label, name) == value for name, value in columns.items()):
        return label.revision
    spent = None if seconds is None and label.seconds is None else (label.seconds or 0) + (seconds or 0)
    version = locked.guidelines_version
    own = {} if _says_the_same(label, columns) else {"from_suggestion": False}
    return write_label(label, **columns, **own, seconds=spent, guidelines_version=version, labelled_at=at)


def _says_the_same(label: Label, columns: Columns) -> bool:
    answer = (label.category_id, label.category_set, label.number, label.is_abstention)
    return answer == (
        columns["category_id"],
        columns["category_set"],
        columns["number"],
        columns["is_abstention"],
    )


def write_label(label: Label, **columns: Any) -> int:
    Label.objects.filter(pk=label.pk).update(**columns)
    # The database increments the revision with each change.
    return label.revision + 1


_FINISH = """
UPDATE raters_assignment
SET state = %s, done_at = %s, put_off_at = NULL, last_seen_at = %s, is_guideline_unclear = %s
WHERE id = %s
"""


def finish(
    locked: LockedAssignment, state: str, at: datetime | None, *, is_guideline_unclear: bool = False
) -> None:
    with prepared_cursor() as cursor:
        cursor.execute(_FINISH, [state, at, timezone.now(), is_guideline_unclear, locked.assignment.pk])


def saved(locked: LockedAssignment, revisions: Mapping[int, int]) -> SaveResult:
    keys = {question.pk: question.key for question in locked.questions}
    return SaveResult(locked.assignment.pk, {keys[pk]: revisions[pk] for pk in keys if pk in revisions})
