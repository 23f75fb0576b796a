"""What the new questions of a file ask for, by some of its labels."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from core.tables.encoding import AUTO
from core.tables.faults import Faults
from raters.imports.label_options import LabelOptions, QuestionOptions
from raters.reading.number_notation import (
    UNCLEAR,
    as_read,
    decimal_mark,
    is_one_group,
    local_number,
    number_of,
    unclear_in,
    unclear_rule,
)
from raters.reading.records import MULTIPLE, NUMBER, TEXT, LabelRecord, QuestionRecord, Record, Value
from raters.reading.values import NONE_OF_THEM, InferredKind, ValueMeaning, inferred_kind

# Numbers in another notation that are shown as they were read.
_SHOWN = 5


def with_question_kinds(
    options: LabelOptions,
    records: Iterable[Record],
    known: Mapping[str, str],
    declared_kinds: Mapping[str, InferredKind],
    faults: Faults,
) -> tuple[LabelOptions, set[str], list[tuple[str, str]]]:
    """Return the options with the kind and scale of each question and, if its numbers show it, the decimal mark; the
    keys of text questions; and numbers in another notation with how they are read. A fault says that the mark has to be
    chosen.

    known: kinds of the project's questions. declared_kinds: kinds of questions whose categories the file declares.
    """
    values: dict[str, list[Value]] = defaultdict(list)
    declared: dict[str, str] = {}
    first: dict[tuple[str, str], LabelRecord] = {}
    for record in records:
        if isinstance(record, LabelRecord):
            values[record.question].append(record.value)
            if isinstance(record.value, str):
                first.setdefault((record.question, record.value), record)
        elif isinstance(record, QuestionRecord) and record.kind:
            declared[record.question] = record.kind
    can_tell = any(column.role == "cannot_tell" for column in options.columns.values())
    questions = dict(options.questions)
    for key, of_one in values.items():
        chosen, found = (
            questions.get(key, QuestionOptions()),
            declared_kinds.get(key) or inferred_kind(of_one),
        )
        kind = known.get(key) or _first(
            chosen.kind, options.question_kind, declared.get(key, AUTO), found.kind
        )
        level = _first(chosen.level, options.level, found.level if found.kind == kind else "nominal")
        # A file with a "cannot tell" column has a row for each answer, so an empty cell means an empty set.
        if kind == MULTIPLE and "" not in chosen.values and can_tell:
            chosen = replace(chosen, values={**chosen.values, "": ValueMeaning(NONE_OF_THEM)})
        questions[key] = replace(
            chosen, kind=kind, level=level, separator=chosen.separator or found.separator
        )
    numbers = {
        value: record for (key, value), record in first.items() if value and questions[key].kind == NUMBER
    }
    if options.decimal == AUTO:
        options = replace(options, decimal=decimal_mark(numbers))
        if unclear := unclear_in(numbers):
            line, column = numbers[unclear].line, numbers[unclear].column
            faults.add(line, column, unclear, UNCLEAR, unclear_rule(unclear))
    has_no_mark = options.decimal == AUTO
    read = {value: local_number(value, decimal=options.decimal) for value in numbers}
    differently = [
        (value, as_read(number))
        for value, number in read.items()
        if number is not None and (number != number_of(value) or (has_no_mark and is_one_group(value)))
    ]
    texts = {key for key, kind in declared.items() if kind == TEXT}
    return replace(options, questions=questions), texts, differently[:_SHOWN]


def _first(*choices: str) -> str:
    return next(choice for choice in choices if choice != AUTO)
