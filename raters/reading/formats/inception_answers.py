"""INCEpTION: document-level answers from any of its files."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from raters.reading.formats.answers import FREE_TEXT, AnswerStatistics
from raters.reading.records import (
    NUMBER,
    REFERENCE,
    SUBMITTED,
    LabelRecord,
    LeftOut,
    QuestionRecord,
    Record,
)

CURATOR, ORIGINAL = "CURATION_USER", "INITIAL_CAS"


@dataclass(slots=True)
class DocumentAnswer:
    """chosen: the values of one or more units, or None if there is no unit."""

    line: int
    item: str
    rater: str
    question: str
    chosen: list[str] | None
    state: str = SUBMITTED
    note: str = ""
    column: str = ""


@dataclass(slots=True)
class DocumentAnswers:
    """All document-level answers, and statistics per question. Texts of documents are not kept."""

    questions: dict[str, AnswerStatistics] = field(default_factory=dict)
    numbers: set[str] = field(default_factory=set)
    answers: list[DocumentAnswer] = field(default_factory=list)
    # Documents read, for layers without a unit: (line, document, rater, state, note).
    documents: list[tuple[int, str, str, str, str]] = field(default_factory=list)

    def add(self, answer: DocumentAnswer) -> None:
        self.questions.setdefault(answer.question, AnswerStatistics(answer.question)).add(
            *(answer.chosen or ())
        )
        self.answers.append(answer)

    def records(self, left_out: LeftOut) -> Iterator[Record]:
        for name in [name for name, seen in self.questions.items() if seen.is_text]:
            left_out[FREE_TEXT] += self.questions.pop(name).n
        for name, seen in self.questions.items():
            is_number = name in self.numbers and seen.most <= 1 and not seen.is_set
            yield QuestionRecord(1, name, NUMBER) if is_number else seen.question(1)
        answered = set()
        for answer in self.answers:
            if answer.question not in self.questions:
                continue
            answered.add((answer.item, answer.rater, answer.question))
            seen = self.questions[answer.question]
            value = None if answer.chosen is None else seen.value(answer.chosen)
            yield self._label(answer, value)
        for line, item, rater, state, note in self.documents:
            for name, seen in self.questions.items():
                if (item, rater, name) not in answered:
                    yield self._label(
                        DocumentAnswer(line, item, rater, name, [], state, note), seen.value([])
                    )

    def _label(self, answer: DocumentAnswer, value: Any) -> LabelRecord:
        return LabelRecord(
            answer.line,
            answer.item,
            answer.rater,
            answer.question,
            value,
            rater_kind=REFERENCE if answer.rater == CURATOR else "",
            note=answer.note,
            state=answer.state,
            column=answer.column,
        )
