"""Read several tables with the same columns as one: a file per rater, or parts of one table."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from core.tables.delimited import Record as Row
from core.tables.faults import Fault, Faults, FileRefused
from core.tables.table import Table, TableChoices, open_any
from raters.reading.formats.opening import faults_of
from raters.reading.records import Files, InputFile, Record

# Choices for how several tables belong together.
FILES, RATERS, PARTS = "files", "raters", "parts"
CHOICE = (FILES, "Several files", [(RATERS, "One file for each rater"), (PARTS, "Parts of one table")])
# Minimum number of rows of each file to sample.
_AT_LEAST = 50
# Matches a reference to another line, as in messages from database checks.
_ON_LINE = re.compile(r"\bon line (\d+)")


def tables_of(files: Files, choices: TableChoices, faults: Faults, *, max_rows: int) -> Iterator[Table]:
    """Yield the table of each file, in the first one's column order. Raises FileRefused if columns differ."""
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
    """Return the first rows of each table, n in total."""
    each = max(n // n_files, _AT_LEAST)
    return islice((row for table in tables for row in islice(table.rows, each)), n)


def _opened(
    file: InputFile, choices: TableChoices, first: Table | None, faults: Faults, max_rows: int
) -> Table:
    """Open a table. Titles above the header and sheet names may differ between files."""
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


class CountedLines:
    """Consecutive line numbers over several tables, by which later checks can find the table of a line."""

    def __init__(self) -> None:
        # Offset and name of each table.
        self._begins: list[tuple[int, str]] = []
        self._n = 0

    def through(self, records: Iterator[Record], name: str) -> Iterator[Record]:
        """Yield the records of the next table with unique line numbers."""
        begin = self._n
        self._begins.append((begin, name))
        for record in records:
            self._n = begin + record.line
            yield record._replace(line=self._n)

    def place(self, faults: Faults) -> None:
        """Convert each fault's line to its table and the line within it."""
        if self._begins:
            faults.listed = [self._placed(fault) for fault in faults.listed]

    def _placed(self, fault: Fault) -> Fault:
        is_placed = any(fault.rule.startswith(f"{name}: ") for _, name in self._begins)
        if is_placed or not fault.line:
            return fault
        name, line = self._at(fault.line)

        def elsewhere(found: re.Match[str]) -> str:
            other, its_line = self._at(int(found[1]))
            return f"on line {its_line}" + (f" of {other}" if other != name else "")

        return replace(fault, line=line, rule=f"{name}: {_ON_LINE.sub(elsewhere, fault.rule)}")

    def _at(self, line: int) -> tuple[str, int]:
        begin, name = next(each for each in reversed(self._begins) if each[0] < line)
        return name, line - begin
