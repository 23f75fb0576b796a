"""What the labelling page's form sends, read into a draft; values by id of question and category."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from django.http import QueryDict

from projects.models import Question
from raters.labeling.answers import Answer, Fault, keys_of
from raters.labeling.saving import MAX_SECONDS, Draft

CANNOT_TELL = "cannot-tell"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sent:
    """faults: what could not be read at all; the draft holds the rest."""

    key: UUID
    draft: Draft
    note: str
    faults: list[Fault]


def sent(post: QueryDict, questions: Sequence[Question]) -> Sent:
    faults: list[Fault] = []
    answers: dict[str, Answer] = {}
    note = _text(post, "note")
    for question in questions:
        answer = _answer(post, question, faults)
        if answer is not None:
            # One note for the item: it stands with the first answer.
            answers[question.key] = answer if answers else _with_note(answer, note)
    if note and not answers and questions and not any(question.is_required for question in questions):
        sentence = "A note needs an answer. Answer a question, or choose “Cannot tell”."
        faults.append(Fault(questions[0].key, "note_alone", sentence))
    draft = Draft(
        answers=answers,
        revisions={q.key: _whole(post.get(f"revision-{q.pk}", "")) for q in questions},
        seconds=_seconds(post.get("seconds", "")),
        is_guideline_unclear="unclear" in post,
        guidelines_version=_whole(post.get("version", "")) if "version" in post else None,
    )
    return Sent(_key(post.get("key", "")), draft, note, faults)


def _answer(post: QueryDict, question: Question, faults: list[Fault]) -> Answer | None:
    name = f"answer-{question.pk}"
    values = [value for value in post.getlist(name) if value]
    if CANNOT_TELL in values:
        return Answer(is_abstention=True, reason=_text(post, f"reason-{question.pk}"))
    if question.kind == Question.Kind.NUMBER:
        return _number(values, question, faults)
    keys = keys_of(question)
    # A category that is no more in the codebook is refused by name, as any unknown one.
    chosen = tuple(keys.get(_whole(value), value) for value in values)
    if question.kind == Question.Kind.SINGLE:
        return Answer(category=chosen[0]) if chosen else None
    return Answer(categories=chosen) if chosen or f"none-{question.pk}" in post else None


def _number(values: Sequence[str], question: Question, faults: list[Fault]) -> Answer | None:
    text = "".join(values).strip()
    if not text:
        return None
    # A comma is what many people write for the point; thousands are never guessed.
    written = text.replace(",", ".").replace("−", "-")
    if not NUMBER.fullmatch(written):
        faults.append(
            Fault(
                question.key, "number", f"“{text[:50]}” is not a number. Enter a number such as 12 or -0.5."
            )
        )
        return None
    return Answer(number=float(written))


def _with_note(answer: Answer, note: str) -> Answer:
    return Answer(
        category=answer.category,
        categories=answer.categories,
        number=answer.number,
        is_abstention=answer.is_abstention,
        reason=answer.reason,
        note=note,
    )


def _text(post: QueryDict, name: str) -> str:
    """As it was typed: browsers send line breaks as CR LF, and NUL cannot be kept."""
    return post.get(name, "").replace("\r\n", "\n").replace("\0", "")


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds <= MAX_SECONDS else None


def _key(text: str) -> UUID:
    """A form without a key of its own cannot be told from one that was sent before."""
    try:
        return UUID(text)
    except ValueError:
        return uuid4()
