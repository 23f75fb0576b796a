"""The column of a file, as the file spells it, in which a problem is."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from django.db import connection

from core.tables.encoding import AUTO
from core.tables.faults import Fault, shown
from raters.imports.file_interpretation import TABLE
from raters.imports.label_options import LabelOptions
from raters.reading.columns import LABEL, RATER, TRANSPOSED, WIDE

_STAGED = """
SELECT line, rater, question, coalesce(pass::text, ''), coalesce(label, number::text, text, 'cannot tell'), item
FROM staged WHERE line = ANY (%s) ORDER BY n
"""


class FaultyCell(NamedTuple):
    """A value with its line. rater, item: those of its label, if known."""

    line: int
    rater: str
    value: str
    item: str = ""


def is_of_program(options: LabelOptions) -> bool:
    """Return whether the file is a program’s export, in which questions are fields, rather than a table."""
    return options.format not in {AUTO, TABLE}


def column_with(role: str, options: LabelOptions) -> str:
    """Return the column with this role, or the role if the file has no such column, or several."""
    if role == LABEL and options.layout in {WIDE, TRANSPOSED}:
        return role
    roles = {role, f"{role}_text", f"{role}_percent"}
    return next((name for name, column in options.columns.items() if column.role in roles), role)


def faults_in(
    role: str, cells: Sequence[tuple[FaultyCell, str]], code: str, options: LabelOptions
) -> list[Fault]:
    """Return a fault for each cell and rule.

    In wide files, columns are named after raters, questions, or items, and in files of a program, fields are named
    after questions: staged labels show which one it is.
    """
    is_by_column = options.layout == TRANSPOSED or is_of_program(options)
    if (role == LABEL and is_by_column) or (role in {LABEL, RATER} and options.layout == WIDE):
        columns = _columns_of([cell for cell, _ in cells], options)
    else:
        columns = [column_with(role, options)] * len(cells)
    return [
        Fault(cell.line, shown(column), shown(cell.value), code, rule)
        for (cell, rule), column in zip(cells, columns, strict=True)
    ]


def _columns_of(cells: Sequence[FaultyCell], options: LabelOptions) -> list[str]:
    staged: dict[int, list[tuple[str, str, str, str, str]]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_STAGED, [[cell.line for cell in cells]])
        for line, *of_label in cursor.fetchall():
            staged[line].append(tuple(of_label))

    def column_of(cell: FaultyCell) -> str:
        def likeness(label: tuple[str, str, str, str, str]) -> tuple[bool, bool, bool]:
            return label[0] == cell.rater, label[3] == cell.value, label[4] == cell.item

        best = max(staged[cell.line], key=likeness, default=None)
        if best and options.layout == TRANSPOSED:
            # Cells of a row can hold the same wrong value.
            staged[cell.line].remove(best)
        return _column_of(best, options) if best else cell.rater or LABEL

    return [column_of(cell) for cell in cells]


def _column_of(label: tuple[str, str, str, str, str], options: LabelOptions) -> str:
    rater, question, pass_number, _, item = label
    if options.layout == TRANSPOSED:
        return item
    if is_of_program(options):
        return question
    for name, column in options.columns.items():
        is_its = (
            column.role == LABEL
            and (column.rater or rater) == rater
            and (column.question or options.question or question) == question
            and (column.pass_number or pass_number) == pass_number
        )
        if is_its:
            return name
    return rater
