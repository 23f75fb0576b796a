"""Several tables with the same columns, read as one: a file for each rater, or parts of one table."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from core.tables.delimited import Record as Row
from core.tables.faults import Faults, FileRefused
from core.tables.table import Table, TableChoices, open_any
from raters.reading.formats.opening import faults_of
from raters.reading.records import Files, InputFile

# The choice of how several tables belong together.
FILES, RATERS, PARTS = "files", "raters", "parts"
CHOICE = (FILES, "Several files", [(RATERS, "One file for each rater"), (PARTS, "Parts of one table")])
# At least so many rows of each file are looked at.
_AT_LEAST = 50


def tables_of(files: Files, choices: TableChoices, faults: Faults, *, max_rows: int) -> Iterator[Table]:
    """The table of each file, its cells in the order of the first; raises FileRefused where a column differs."""
    first: Table | None = None
    for file in files:
        its_faults = faults_of(file, files, faults)
        table = _opened(file, choices, first, its_faults, max_rows)
        if first is not None:
            _refuse_other_columns(table, first, files, faults, file)
            table = _in_order(table, first.columns)
        first = first or table
        yield table


def first_rows(tables: Iterator[Table], n: int, n_files: int) -> Iterator[Row]:
    """The first rows of each table, so many in all."""
    each = max(n // n_files, _AT_LEAST)
    return islice((row for table in tables for row in islice(table.rows, each)), n)


def _opened(
    file: InputFile, choices: TableChoices, first: Table | None, faults: Faults, max_rows: int
) -> Table:
    """Titles above the header and names of sheets may differ from file to file."""
    if first is not None:
        free = replace(choices, sheet="auto", header_line="auto")
        try:
            table = open_any(file.source, Faults(), choices=free, max_rows=max_rows)
        except FileRefused:
            pass
        else:
            if set(table.columns) == set(first.columns):
                return open_any(file.source, faults, choices=free, max_rows=max_rows)
    return open_any(file.source, faults, choices=choices, max_rows=max_rows)


def _refuse_other_columns(table: Table, first: Table, files: Files, faults: Faults, file: InputFile) -> None:
    other = sorted(set(table.columns) ^ set(first.columns))
    if not other:
        return
    names = ", ".join(other[:3]) + ", …" * (len(other) > 3)
    rule = (
        f"{file.name} has other columns than {files[0].name} ({names}), and no known program exports such files "
        "together; import them one by one"
    )
    raise faults.refuse(0, "", "", "several_files", rule)


def _in_order(table: Table, columns: list[str]) -> Table:
    if table.columns == columns:
        return table
    places = [table.columns.index(name) for name in columns]
    rows = ((line, [cells[place] for place in places]) for line, cells in table.rows)
    return replace(table, columns=columns, rows=rows)
