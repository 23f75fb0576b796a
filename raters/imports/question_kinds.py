"""What the new questions of a file ask for, by some of its labels."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from core.tables.encoding import AUTO
from raters.imports.label_options import LabelOptions, QuestionOptions
from raters.reading.records import MULTIPLE, TEXT, LabelRecord, QuestionRecord, Record, Value
from raters.reading.values import NONE_OF_THEM, InferredKind, ValueMeaning, decimal_in, inferred_kind


def with_question_kinds(
    options: LabelOptions,
    records: Iterable[Record],
    known: Mapping[str, str],
    said_by_file: Mapping[str, InferredKind],
) -> tuple[LabelOptions, set[str]]:
    """Return the options with the kind and scale of each question and the decimal mark, and the keys of text questions.

    known: kinds of the project's questions. said_by_file: kinds of questions whose categories the file declares.
    """
    values: dict[str, list[Value]] = defaultdict(list)
    declared: dict[str, str] = {}
    for record in records:
        if isinstance(record, LabelRecord):
            values[record.question].append(record.value)
        elif isinstance(record, QuestionRecord) and record.kind:
            declared[record.question] = record.kind
    texts = [value for of_one in values.values() for value in of_one if isinstance(value, str)]
    decimal = decimal_in(texts) if options.decimal == AUTO else options.decimal
    can_tell = any(column.role == "cannot_tell" for column in options.columns.values())
    questions = dict(options.questions)
    for key, of_one in values.items():
        said, found = questions.get(key, QuestionOptions()), said_by_file.get(key) or inferred_kind(of_one)
        kind = known.get(key) or _first(said.kind, options.question_kind, declared.get(key, AUTO), found.kind)
        level = _first(said.level, options.level, found.level if found.kind == kind else "nominal")
        # A file with a "cannot tell" column has a row for each answer, so an empty cell means an empty set.
        if kind == MULTIPLE and "" not in said.values and can_tell:
            said = replace(said, values={**said.values, "": ValueMeaning(NONE_OF_THEM)})
        questions[key] = replace(said, kind=kind, level=level, separator=said.separator or found.separator)
    completed = replace(options, decimal=decimal, questions=questions)
    return completed, {key for key, kind in declared.items() if kind == TEXT}


def _first(*choices: str) -> str:
    return next(choice for choice in choices if choice != AUTO)
