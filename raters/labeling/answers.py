"""Answers to questions, validated against the codebook before they are saved."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NotRequired, TypedDict

from core.keys import MAX_KEY
from core.refusals import Refused
from projects.codebook.conditions import in_words, questions_not_asked
from projects.codebook.number_rules import is_allowed
from projects.codebook.texts import why_not_text
from projects.models import MAX_TEXT, MAX_VALUE, Question
from raters.confidence_scale import is_probability
from raters.models import Label


class SerializedAnswerValue(TypedDict):
    """An answer in API output."""

    category: str | None
    categories: list[str] | None
    number: float | None
    text: str | None
    cannot_tell: bool


class SerializedReasonedValue(SerializedAnswerValue):
    reason: str
    note: str


class SerializedAnswer(SerializedReasonedValue):
    """A rater's own answer in API output. question: its key."""

    question: str
    confidence: float | None
    revision: int


class ValidatedAnswerValue(TypedDict, total=False):
    """An answer in API input."""

    category: str | None
    categories: list[str] | None
    number: float | None
    text: str | None
    cannot_tell: bool
    reason: str
    note: str
    confidence: float | None


class StoredAnswer(TypedDict):
    """An answer as stored in JSON with its submission; older ones have neither text nor confidence."""

    category: str | None
    categories: list[str] | None
    number: float | None
    text: NotRequired[str | None]
    is_abstention: bool
    reason: str
    note: str
    confidence: NotRequired[float | None]


class Columns(TypedDict):
    """The columns of a label that an answer sets."""

    category_id: int | None
    category_set: list[int] | None
    number: float | None
    text: str | None
    is_abstention: bool
    reason: str
    note: str
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer by keys: a category, several, a number, a text, or "cannot tell" with a reason.

    confidence: the rater's probability that the answer is right; None if not given.
    """

    category: str | None = None
    categories: tuple[str, ...] | None = None
    number: float | None = None
    text: str | None = None
    is_abstention: bool = False
    reason: str = ""
    note: str = ""
    confidence: float | None = None

    @classmethod
    def of_json(cls, stored: StoredAnswer) -> "Answer":
        chosen = stored["categories"]
        return cls(
            category=stored["category"],
            categories=None if chosen is None else tuple(chosen),
            number=stored["number"],
            text=stored.get("text"),
            is_abstention=stored["is_abstention"],
            reason=stored["reason"],
            note=stored["note"],
            confidence=stored.get("confidence"),
        )

    @property
    def value(self) -> tuple[str | None, frozenset[str] | None, float | None, str | None, bool]:
        """The value alone: equal for answers that mean the same."""
        chosen = None if self.categories is None else frozenset(self.categories)
        return self.category, chosen, self.number, self.text, self.is_abstention

    @property
    def shown(self) -> SerializedAnswerValue:
        """The answer in API output."""
        return {
            "category": self.category,
            "categories": None if self.categories is None else list(self.categories),
            "number": self.number,
            "text": self.text,
            "cannot_tell": self.is_abstention,
        }

    @property
    def serialized_with_reason(self) -> SerializedReasonedValue:
        return {**self.shown, "reason": self.reason, "note": self.note}

    def serialized_for(self, question: str, revision: int) -> SerializedAnswer:
        """Return API output for a rater's own answer."""
        return {
            "question": question,
            **self.serialized_with_reason,
            "confidence": self.confidence,
            "revision": revision,
        }

    @classmethod
    def of_given(cls, validated: ValidatedAnswerValue) -> "Answer":
        """Build an answer from API input."""
        categories = validated.get("categories")
        return cls(
            category=validated.get("category"),
            categories=None if categories is None else tuple(categories),
            number=validated.get("number"),
            text=validated.get("text"),
            is_abstention=validated.get("cannot_tell", False),
            reason=validated.get("reason", ""),
            note=validated.get("note", ""),
            confidence=validated.get("confidence"),
        )

    @property
    def n_values(self) -> int:
        return sum(value is not None for value in (self.category, self.categories, self.number, self.text))


@dataclass(frozen=True, slots=True)
class AnswerFault:
    """Why an answer is refused. question: its key. typed: what was entered, if it can't be parsed."""

    question: str
    code: str
    sentence: str
    typed: str = ""


class AnswersRefused(Refused):
    status_code = 400

    def __init__(self, faults: Sequence[AnswerFault]) -> None:
        super().__init__(faults[0].sentence)
        self.code, self.faults = faults[0].code, faults
        self.errors = [
            {"field": fault.question, "code": fault.code, "detail": fault.sentence} for fault in faults
        ]


@dataclass(slots=True)
class AnswerValidator:
    """Validate the answers to one item and convert them to label columns, collecting faults."""

    questions: Sequence[Question]
    faults: list[AnswerFault] = field(default_factory=list)
    # Existing answers to other questions, on which these questions may depend.
    existing_answers: Mapping[str, Answer] = field(default_factory=dict)
    # Only for raters: references and adjudicators are not asked.
    needs_confidence: bool = False

    def columns(self, answers: Mapping[str, Answer]) -> dict[int, Columns]:
        """Return label columns by question ID; unanswered questions are left out. Raises AnswersRefused."""
        known = {question.key for question in self.questions}
        for key in answers:
            if key not in known:
                self._refuse(key, "unknown_question", f"Unknown question {key[:100]!r}.")
        found = {}
        left_out = questions_not_asked_with(
            self.questions, {**self.existing_answers, **answers}, known.union(self.existing_answers)
        )
        for question in self.questions:
            answer = answers.get(question.key)
            if question.key in left_out:
                if answer is not None:
                    self._refuse_unasked(question)
            elif answer is not None:
                found[question.pk] = self._columns(question, answer)
            elif question.is_required:
                self._refuse(question.key, "required", f"Answer “{question}”.")
        if self.faults:
            raise AnswersRefused(self.faults)
        return found

    def _refuse(self, question: str, code: str, sentence: str) -> None:
        self.faults.append(AnswerFault(question, code, sentence))

    def _refuse_unasked(self, question: Question) -> None:
        condition = in_words(question, self.questions)
        sentence = (
            f"“{question}” is a{condition[1:]}. Remove its answer, or change the one that it depends on."
        )
        self._refuse(question.key, "not_asked", sentence)

    def _columns(self, question: Question, answer: Answer) -> Columns:
        columns: Columns = {
            "category_id": None,
            "category_set": None,
            "number": None,
            "text": None,
            "is_abstention": answer.is_abstention,
            "reason": answer.reason if answer.is_abstention else "",
            "note": answer.note,
            "confidence": None if answer.is_abstention else self._confidence(question, answer),
        }
        if len(answer.note) > MAX_TEXT or len(answer.reason) > MAX_KEY:
            self._refuse(
                question.key, "too_long", f"The note or reason for “{question}” is too long. Shorten it."
            )
        if answer.is_abstention:
            self._check_abstention(question, answer)
            return columns
        if answer.n_values != 1:
            self._refuse(question.key, "one_value", f"Give one answer to “{question}”.")
            return columns
        match question.kind:
            case Question.Kind.SINGLE:
                columns["category_id"] = self._category(question, answer.category)
            case Question.Kind.MULTIPLE:
                columns["category_set"] = self._category_set(question, answer.categories)
            case Question.Kind.TEXT:
                columns["text"] = self._text(question, answer.text)
            case _:
                columns["number"] = self._number(question, answer.number)
        return columns

    def _confidence(self, question: Question, answer: Answer) -> float | None:
        """Return the confidence, even if the question asks for none: clients may send one, or an answer was queued."""
        if answer.confidence is None and self.needs_confidence and question.requires_confidence:
            self._refuse(question.key, "confidence_required", f"Say how sure you are of “{question}”.")
        if answer.confidence is not None and not is_probability(answer.confidence):
            sentence = f"The confidence in the answer to “{question}” must be a number from 0 to 1."
            self._refuse(question.key, "confidence", sentence)
        return answer.confidence

    def _check_abstention(self, question: Question, answer: Answer) -> None:
        if answer.n_values:
            self._refuse(
                question.key,
                "one_value",
                f"Choose either “Cannot tell” or an answer to “{question}”, not both.",
            )
        if not question.allows_abstention:
            self._refuse(
                question.key, "no_abstention", f"“{question}” does not allow “Cannot tell”. Choose an answer."
            )

    def _category(self, question: Question, key: str | None) -> int | None:
        if key is None:
            self._refuse(question.key, "kind", f"Choose one category for “{question}”.")
            return None
        return self._id_of(question, key)

    def _category_set(self, question: Question, keys: Sequence[str] | None) -> list[int] | None:
        if keys is None:
            self._refuse(question.key, "kind", f"Choose a list of categories for “{question}”.")
            return None
        ids = {pk for key in keys if (pk := self._id_of(question, key)) is not None}
        if len(set(keys)) < len(keys):
            self._refuse(question.key, "duplicate", f"Duplicate category in the answer to “{question}”.")
        return sorted(ids)

    def _id_of(self, question: Question, key: str) -> int | None:
        for category in question.categories.all():
            if category.key == key:
                return category.pk
        self._refuse(question.key, "unknown_category", f"“{question}” has no category {key[:100]!r}.")
        return None

    def _text(self, question: Question, text: str | None) -> str | None:
        if text is None:
            self._refuse(question.key, "kind", f"Enter text for “{question}”.")
        elif why := why_not_text(question, text):
            self._refuse(question.key, "bad_text", f"The answer to “{question}” {why}.")
        return text

    def _number(self, question: Question, number: float | None) -> float | None:
        if number is None:
            self._refuse(question.key, "kind", f"Enter a number for “{question}”.")
        elif not math.isfinite(number) or abs(number) > MAX_VALUE:
            sentence = f"The answer to “{question}” must be a number from −{MAX_VALUE:g} to {MAX_VALUE:g}."
            self._refuse(question.key, "out_of_range", sentence)
        elif not is_allowed(question, number):
            sentence = f"The answer to “{question}” must be {question.number_rule}, got {number:.12g}."
            self._refuse(question.key, "out_of_range", sentence)
        return number


def questions_not_asked_with(
    questions: Sequence[Question], answers: Mapping[str, Answer], known: Collection[str] | None = None
) -> set[str]:
    """Return the keys of the questions that are not asked, given these answers.

    known: questions whose answers are known, by default `questions`. A question that depends on any other is asked.
    """
    known = {question.key for question in questions} if known is None else known
    chosen = {
        key: [answer.category, *(answer.categories or ())]
        for key, answer in answers.items()
        if not answer.is_abstention
    }
    return questions_not_asked([each for each in questions if each.asked_if_question in known], chosen)


def answer_of(label: Label, questions: Mapping[int, Question]) -> Answer:
    """Convert a label to an answer. The categories of its question must be prefetched."""
    keys = keys_of(questions[label.question_id])
    return Answer(
        category=keys[label.category_id] if label.category_id is not None else None,
        categories=None if label.category_set is None else tuple(keys[pk] for pk in label.category_set),
        number=label.number,
        text=label.text,
        is_abstention=label.is_abstention,
        reason=label.reason,
        note=label.note,
        confidence=label.confidence,
    )


def keys_of(question: Question) -> dict[int, str]:
    """Return the keys of the categories that can be chosen, by ID."""
    return {category.pk: category.key for category in question.categories.all()}
