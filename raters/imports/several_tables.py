"""Read several tables with the same columns as one: a file or sheet for each rater, or parts of one table."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from core.tables.delimited import Record as Row
from core.tables.encoding import AUTO
from core.tables.faults import Fault, Faults, FileRefused
from core.tables.table import Table, TableChoices, open_any
from raters.reading.formats.opening import FaultsOf, faults_of, parts_of, stem
from raters.reading.records import Files, InputFile, Record

# Choices for how several tables belong together.
FILES, RATERS, PARTS, ONE = "files", "raters", "parts", "one"
OF_FILES = (FILES, "Several files", [(RATERS, "One file for each rater"), (PARTS, "Parts of one table")])
OF_SHEETS = (
    FILES,
    "Several sheets",
    [(ONE, "Only the chosen sheet"), (RATERS, "One sheet for each rater"), (PARTS, "Parts of one table")],
)
MOST_SHEETS = 50
# Minimum number of rows of each file to sample.
_AT_LEAST = 50
# Matches a reference to another line, as in messages from database checks.
_ON_LINE = re.compile(r"\bon line (\d+)")


class Part(NamedTuple):
    """One of several tables. name: of its file or sheet. rater: the name of its rater, if there is one for each."""

    name: str
    rater: str
    table: Table


def tables_of(
    files: Files, choices: TableChoices, faults: Faults, *, max_rows: int, sheets: Sequence[str] = ()
) -> Iterator[Part]:
    """Yield the table of each file, in the first one's column order. Raises FileRefused if columns differ.

    sheets: of a single file, those to read in place of the chosen one; the first is the chosen one.
    """
    first: Table | None = None
    raters = _names_of_raters(files)
    for sheet in sheets:
        header = choices.header_line if sheet == choices.sheet else AUTO
        its_choices = replace(choices, sheet=sheet, header_line=header)
        table = open_any(files[0].source, FaultsOf(faults, sheet), choices=its_choices, max_rows=max_rows)
        first = first or table
        yield Part(sheet, sheet, _in_order(table, first.columns))
    if sheets:
        return
    for file, rater in zip(files, raters, strict=True):
        its_faults = faults_of(file, files, faults)
        table = _opened(file, choices, first, its_faults, max_rows)
        if first is not None:
            _refuse_other_columns(table, first, files, faults, file)
            table = _in_order(table, first.columns)
        first = first or table
        yield Part(file.name, rater, table)


def _names_of_raters(files: Files) -> list[str]:
    """Return the name of each file or, if several have the same, that of its folder."""
    names = [stem(file) for file in files]
    if len(set(names)) < len(names):
        folders = [(parts_of(file) or [""])[:-1] for file in files]
        names = [folder[-1] if folder else name for folder, name in zip(folders, names, strict=True)]
    return names


def sheets_alike(file: InputFile, table: Table, choices: TableChoices) -> list[str]:
    """Return the sheets with the same columns as this table of the file, its own first; none if there are no others.

    Only among the first MOST_SHEETS others: opening each takes as long as opening the first.
    """
    alike = []
    for sheet in table.other_tables[:MOST_SHEETS]:
        its_choices = replace(choices, sheet=sheet, header_line=AUTO)
        with suppress(FileRefused):
            other = open_any(file.source, Faults(), choices=its_choices, max_rows=1)
            if set(other.columns) == set(table.columns):
                alike.append(sheet)
    return [table.sheet, *alike] if alike else []


def first_rows(parts: Iterator[Part], n: int, n_parts: int) -> Iterator[Row]:
    """Return the first rows of each table, n in total."""
    each = max(n // n_parts, _AT_LEAST)
    return islice((row for part in parts for row in islice(part.table.rows, each)), n)


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
