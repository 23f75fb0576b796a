"""What a statistics file declares for the values of its columns: their titles, and which are missing."""

from collections.abc import Iterator
from dataclasses import replace

from core.tables.table import Table
from raters.imports.label_options import LabelOptions, QuestionOptions
from raters.reading.columns import LABEL
from raters.reading.records import SINGLE, QuestionRecord
from raters.reading.values import MISSING, NOMINAL, ORDINAL, InferredKind, ValueMeaning


def declared_questions(table: Table, options: LabelOptions) -> Iterator[QuestionRecord]:
    """Yield the questions of the columns whose values have titles."""
    seen: set[str] = set()
    for name, question in _questions_of(table, options):
        if question in seen or not table.value_labels.get(name):
            continue
        seen.add(question)
        missing = table.missing.get(name, frozenset())
        categories = [pair for pair in table.value_labels[name].items() if pair[0] not in missing]
        yield QuestionRecord(0, question, "", categories)


def declared_kinds(table: Table, options: LabelOptions) -> dict[str, InferredKind]:
    """Return the kind and scale of questions whose categories the file declares."""
    return {
        question: InferredKind(SINGLE, ORDINAL if table.levels.get(name) == "ordinal" else NOMINAL)
        for name, question in _questions_of(table, options)
        if table.value_labels.get(name)
    }


def with_declared_missing(table: Table, options: LabelOptions) -> LabelOptions:
    """Treat values that the file declares as missing accordingly, unless the user chose otherwise."""
    questions = dict(options.questions)
    for name, question in _questions_of(table, options):
        chosen = questions.get(question, QuestionOptions())
        missing = dict.fromkeys(table.missing.get(name, ()), ValueMeaning(MISSING))
        if missing:
            questions[question] = replace(chosen, values={**missing, **chosen.values})
    return replace(options, questions=questions)


def _questions_of(table: Table, options: LabelOptions) -> Iterator[tuple[str, str]]:
    """Yield each column of labels with its question."""
    for name in table.columns:
        column = options.columns[name]
        if column.role == LABEL and (question := column.question or options.question):
            yield name, question
