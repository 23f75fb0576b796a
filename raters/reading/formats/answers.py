"""Detect the kind of answers in a file that does not declare it: categories, sets, numbers, or free text."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.keys import MAX_KEY
from core.tables.faults import Faults, FileRefused
from raters.reading.formats.json_records import refusing_depth
from raters.reading.records import (
    MULTIPLE,
    NUMBER,
    SINGLE,
    ItemRecord,
    LabelRecord,
    LeftOut,
    QuestionRecord,
    Record,
    Value,
)

FREE_TEXT = "free-text answers"
# Limits the number of labels, since every rater is asked every question.
MAX_QUESTIONS = 500
# With more distinct values than this, answers are unlikely to be categories.
MANY = 30
_LONG = 60
_REMEMBERED = 2_000
_NUMBER = re.compile(r"[+-]?(\d{1,30}([.,]\d{0,30})?|[.,]\d{1,30})([eE][+-]?\d{1,3})?")
_TEXT_NAMES = re.compile(
    r"(?i)(^|[^a-z])(comments?|notes?|remarks?|feedback|free_?text|free_?response|text_?box|why|reasons?|"
    r"explanations?|suggestions?|rationale)$"
)


def is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def is_free_text(keys: Iterable[str]) -> bool:
    """Return whether any key is too long for a category."""
    return any(len(key) > MAX_KEY for key in keys)


def choice_of(keys: Sequence[str], kind: str) -> Value:
    """Return the chosen categories of a set, or the single choice, if any."""
    if kind == MULTIPLE:
        return tuple(dict.fromkeys(keys))
    return keys[0] if keys else None


def kind_by(n_chosen: int) -> str:
    """Return single or multiple, by the maximum number of categories chosen at once."""
    return MULTIPLE if n_chosen > 1 else SINGLE


class AnswerStatistics:
    """Statistics on the answers to a question, enough to detect its kind in constant memory."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.n = self.n_characters = self.most = 0
        self.are_numbers, self.has_breaks, self.is_set = True, False, False
        self.values: dict[str, None] = {}

    def add(self, *chosen: str) -> None:
        """Add one answer: the chosen categories."""
        self.most = max(self.most, len(chosen))
        for value in chosen:
            self.n += 1
            self.n_characters += len(value)
            self.has_breaks = self.has_breaks or "\n" in value
            self.are_numbers = self.are_numbers and is_number(value)
            if len(self.values) < _REMEMBERED:
                self.values[value] = None

    @property
    def is_text(self) -> bool:
        """Whether the answers are free text."""
        if not self.n or self.are_numbers or self.is_set or self.most > 1:
            return False
        if self.has_breaks or self.n_characters / self.n >= _LONG or _TEXT_NAMES.search(self.name):
            return True
        n_distinct = len(self.values)
        return n_distinct > MANY and (n_distinct > 0.5 * self.n or n_distinct == _REMEMBERED)

    @property
    def kind(self) -> str:
        if self.is_set or self.most > 1:
            return MULTIPLE
        return NUMBER if self.n and self.are_numbers and len(self.values) > MANY else SINGLE

    def value(self, chosen: Sequence[str]) -> Value:
        """Return the chosen categories as the value of a label. For a set, choosing none is an answer."""
        return choice_of(chosen, self.kind)

    def question(self, line: int, key: str = "") -> QuestionRecord:
        return QuestionRecord(line, key or self.name, self.kind)


# Questions whose kind is determined from all answers before the first label.


class KeyedLabel(NamedTuple):
    """A label without its value. keys: the chosen keys, or None for no answer. kind: None if unknown."""

    label: LabelRecord
    keys: list[str] | None
    kind: str | None = None
    categories: Iterable[tuple[str, str]] = ()


Read = Callable[[LeftOut, Faults], Iterator[KeyedLabel | ItemRecord]]


@dataclass(slots=True)
class _GatheredQuestion:
    kind: str | None = None
    n_chosen: int = 0
    categories: dict[str, str] = field(default_factory=dict)

    def settled(self) -> str:
        return (
            MULTIPLE if self.n_chosen > 1 else self.kind if self.kind is not None else kind_by(self.n_chosen)
        )


def resolved_records(read: Read, left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    """Read twice: first for the questions, then for items and labels. Yields each item once."""
    with refusing_depth(faults):
        questions = _questions(read, faults)
        kinds = {name: question.settled() for name, question in questions.items()}
        for name, question in questions.items():
            yield QuestionRecord(0, name, kinds[name], tuple(question.categories.items()))
        seen: set[str] = set()
        for found in read(left_out, faults):
            if isinstance(found, ItemRecord):
                if found.item not in seen:
                    seen.add(found.item)
                    yield found
                continue
            kind = kinds.get(found.label.question, MULTIPLE)
            yield found.label._replace(value=None if found.keys is None else choice_of(found.keys, kind))


def _questions(read: Read, faults: Faults) -> dict[str, _GatheredQuestion]:
    questions: dict[str, _GatheredQuestion] = {}
    try:
        # Omissions and faults are reported in the second pass.
        for found in read(LeftOut(), Faults()):
            if isinstance(found, ItemRecord):
                continue
            question = questions.setdefault(found.label.question, _GatheredQuestion())
            if len(questions) > MAX_QUESTIONS:
                break
            question.kind = MULTIPLE if MULTIPLE in (question.kind, found.kind) else found.kind
            question.n_chosen = max(question.n_chosen, len(found.keys or ()))
            question.categories.update(found.categories)
            if question.categories:
                question.categories |= {
                    key: key for key in found.keys or () if key not in question.categories
                }
    except FileRefused:
        pass
    if len(questions) > MAX_QUESTIONS:
        rule = f"a file can have at most {MAX_QUESTIONS:,} questions"
        raise faults.refuse(0, "", "", "too_many_questions", rule)
    return questions
