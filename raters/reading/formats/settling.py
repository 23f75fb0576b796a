"""Questions settled from all of their answers before the first label: single or multiple, and the categories."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from core.tables.faults import Faults, FileRefused
from raters.reading.formats.streams import refusing_depth
from raters.reading.formats.values import MAX_QUESTIONS, choice_of, kind_by
from raters.reading.records import MULTIPLE, ItemRecord, LabelRecord, LeftOut, QuestionRecord, Record


class Answer(NamedTuple):
    """A label without its value: the keys that were chosen, or None for no answer. kind: None if nothing says it."""

    label: LabelRecord
    keys: list[str] | None
    kind: str | None = None
    categories: Iterable[tuple[str, str]] = ()


Read = Callable[[LeftOut, Faults], Iterator[Answer | ItemRecord]]


@dataclass(slots=True)
class _Question:
    kind: str | None = None
    n_chosen: int = 0
    categories: dict[str, str] = field(default_factory=dict)

    def settled(self) -> str:
        return (
            MULTIPLE if self.n_chosen > 1 else self.kind if self.kind is not None else kind_by(self.n_chosen)
        )


def settled(read: Read, left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    """The records of two readings: one to know the questions, and one for items and labels. Each item comes once."""
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


def _questions(read: Read, faults: Faults) -> dict[str, _Question]:
    questions: dict[str, _Question] = {}
    try:
        # What is left out or wrong is said in the second reading.
        for found in read(LeftOut(), Faults()):
            if isinstance(found, ItemRecord):
                continue
            question = questions.setdefault(found.label.question, _Question())
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
