"""The readings of a table with several columns of labels: raters of one question, questions for one rater, or, with a
row for each rater and item, questions for the rater of the row, of which one alone may have been taken for the label.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.keys import MAX_KEY
from core.tables.encoding import AUTO
from raters.imports.file_interpretation import TABLE
from raters.imports.label_options import LabelOptions
from raters.imports.several_tables import FILES
from raters.imports.several_tables import RATERS as BY_RATER
from raters.reading.columns import IGNORE, LABEL, LONG, OF_A_LABEL, RATER, TRANSPOSED, WIDE, Column

RATERS, QUESTIONS, ONE_QUESTION = "raters", "questions", "one_question"


def has_rater(options: LabelOptions) -> bool:
    """Return whether a column of labels without a rater has that of all rows, of its file, or of its row."""
    return (
        bool(options.rater)
        or options.choices.get(FILES) == BY_RATER
        or any(column.role == RATER for column in options.columns.values())
    )


def understood_as(
    options: LabelOptions, names: Sequence[str], ignored: Sequence[str]
) -> tuple[str, list[str]] | None:
    """Return whether the columns of labels are raters or questions, and which, if it could be the other way around.

    For a table with a column for one question, return further ones that were ignored. names: of the columns, in the
    order of the file. ignored: those among them that look like labels.
    """
    if options.format == TABLE and options.layout == LONG and ignored:
        return ONE_QUESTION, list(ignored)
    columns = [options.columns[name] for name in names if name in options.columns]
    labels = [column for column in columns if column.role == LABEL]
    if options.format != TABLE or options.layout != WIDE or len(labels) < 2:
        return None
    if options.rater:
        return QUESTIONS, list(dict.fromkeys(column.question for column in labels))
    if has_rater(options) or any(column.question for column in labels):
        return None
    return RATERS, list(dict.fromkeys(column.rater for column in labels))


def read_otherwise(
    options: LabelOptions, reading: str, *, ignored: Sequence[str], rater: str
) -> LabelOptions:
    """Return the options for another reading. ignored: columns that look like labels. rater: who may have answered."""
    match reading:
        case "questions":
            return _with_questions_as_columns(options, rater)
        case "further_questions":
            return _with_further_questions(options, ignored)
        case "raters":
            return _with_raters_as_columns(options)
        case "transposed":
            return replace(_read_again(options, {}, ""), layout=TRANSPOSED)
        case _:
            return options


def _with_questions_as_columns(options: LabelOptions, rater: str) -> LabelOptions:
    """Return the options for columns that are questions. rater: who answered them, unless the options say it."""
    columns = {
        name: Column(LABEL, question=name.strip()) if column.role == LABEL else column
        for name, column in options.columns.items()
        # Columns of answers to other questions did not look like the raters', and were ignored.
        if column.role != IGNORE
    }
    return _read_again(options, columns, options.rater or rater.strip()[:MAX_KEY].strip())


def _with_further_questions(options: LabelOptions, further: Sequence[str]) -> LabelOptions:
    """Return the options for a table in which the column of labels is one question, and each of these another one."""
    columns = {
        name: Column(LABEL, question=name.strip())
        if column.role == LABEL or name in further
        else Column(IGNORE)
        # What belongs to a single label can’t belong to several.
        if column.role in OF_A_LABEL - {RATER, "state"}
        else column
        for name, column in options.columns.items()
    }
    return replace(_read_again(options, columns, options.rater), layout=WIDE)


def _with_raters_as_columns(options: LabelOptions) -> LabelOptions:
    columns = {
        name: Column(LABEL, rater=name.strip()) if column.role == LABEL else column
        for name, column in options.columns.items()
    }
    return _read_again(options, columns, "")


def _read_again(options: LabelOptions, columns: Mapping[str, Column], rater: str) -> LabelOptions:
    return replace(options, columns=columns, rater=rater, question="", questions={}, decimal=AUTO)


def are_same_but_for_types(columns: Mapping[str, Column], before: Mapping[str, Column]) -> bool:
    """Return whether the columns hold the same, whatever their raters are."""
    one, other = (
        {name: replace(column, rater_kind="") for name, column in each.items()} for each in (columns, before)
    )
    return one == other


def has_same_label_columns(columns: Mapping[str, Column], before: Mapping[str, Column]) -> bool:
    """Return whether the same columns hold labels, so that they still answer the same question."""
    return {name for name, column in columns.items() if column.role == LABEL} == {
        name for name, column in before.items() if column.role == LABEL
    }
