"""Parse the labeling form, whose values use question and category IDs, into a draft."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

from django.http import QueryDict

from core.numbers import whole_number
from projects.models import Question
from raters.confidence_scale import is_probability
from raters.labeling.answers import Answer, AnswerFault, AnswersRefused
from raters.labeling.saving_records import MAX_SECONDS, SubmittedAnswers
from raters.labeling.submitted_answers import (
    CANNOT_TELL,
    NONE_OF_THESE,
    submitted_answer,
    submitted_revision,
    submitted_text,
    typed_text,
)


@dataclass(frozen=True, slots=True)
class ParsedAnswers:
    """A parsed form. faults: values that could not be parsed; the draft has the rest."""

    key: UUID
    draft: SubmittedAnswers
    note: str
    faults: list[AnswerFault]


def parsed_answers(post: QueryDict, questions: Sequence[Question]) -> ParsedAnswers:
    faults: list[AnswerFault] = []
    answers: dict[str, Answer] = {}
    note = submitted_text(post, "note")
    for question in questions:
        try:
            answer = _answer(post, question)
        except AnswersRefused as refused:
            faults += refused.faults
            continue
        if answer is not None and not answer.is_abstention:
            answer = replace(answer, confidence=_confidence(post.get(f"confidence-{question.pk}", "")))
        if answer is not None:
            # The item has one note, stored with the first answer.
            answers[question.key] = answer if answers else replace(answer, note=note)
    if note and not answers and questions and not any(question.is_required for question in questions):
        sentence = "A note needs an answer. Answer a question, or choose “Cannot tell”."
        faults.append(AnswerFault(questions[0].key, "note_alone", sentence))
    draft = SubmittedAnswers(
        answers=answers,
        revisions={q.key: submitted_revision(post, f"revision-{q.pk}") for q in questions},
        seconds=_seconds(post.get("seconds", "")),
        is_guideline_unclear="unclear" in post,
        guidelines_version=submitted_revision(post, "version") if "version" in post else None,
        codebook_version=submitted_revision(post, "codebook") if "codebook" in post else None,
    )
    return ParsedAnswers(_key(post.get("key", "")), draft, note, faults)


def questions_in(post: QueryDict) -> set[int]:
    """Return the IDs of the questions in the form."""
    names = [name.removeprefix("revision-") for name in post if name.startswith("revision-")]
    return {pk for name in names if (pk := whole_number(name)) is not None}


def _answer(post: QueryDict, question: Question) -> Answer | None:
    values = post.getlist(f"answer-{question.pk}")
    typed = typed_text(post, question)
    if CANNOT_TELL in values:
        # Typed text or "none" is not silently dropped but refused with the rest.
        return Answer(
            is_abstention=True,
            reason=submitted_text(post, f"reason-{question.pk}"),
            text=typed,
            categories=() if NONE_OF_THESE in values else None,
        )
    if question.kind == Question.Kind.TEXT:
        return None if typed is None else Answer(text=typed)
    return submitted_answer(question, values)


def _confidence(text: str) -> float | None:
    try:
        confidence = float(text)
    except ValueError:
        return None
    return confidence if is_probability(confidence) else None


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds <= MAX_SECONDS else None


def _key(text: str) -> UUID:
    """Return the idempotency key, or a new one if the form has none: repeats of it cannot be detected."""
    try:
        return UUID(text)
    except ValueError:
        return uuid4()
