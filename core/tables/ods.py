"""Reads workbooks of LibreOffice and other OpenDocument programs as a stream."""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta

from core.tables.delimited import Record
from core.tables.encoding import AUTO, Source
from core.tables.faults import Faults
from core.tables.formats import damaged, locked
from core.tables.seekable_files import as_file
from core.tables.sheets import (
    MAX_CELL,
    MAX_COLUMNS,
    MAX_ROW,
    MOST_SHEETS,
    Rows,
    SheetProperties,
    letters_of,
    no_such_sheet,
    number_text,
    time_text,
    too_long,
    too_wide,
)
from core.tables.unzipping import BAD_ZIP, opened_zip
from core.tables.xml_events import events

_WHAT = "an OpenDocument spreadsheet"
_LENGTH = re.compile(r"P(?:(\d+)D)?T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d*)?S)?")
_MIDNIGHT = "T00:00:00"


@dataclass(slots=True)
class _ContentHandler:
    """Collects the rows of the requested sheet until they are taken; comments in cells are ignored."""

    wanted: str
    seen: SheetProperties
    faults: Faults
    names: list[str] = field(default_factory=list)
    rows: list[Record] = field(default_factory=list)
    merged: list[tuple[int, int, int]] = field(default_factory=list)
    has_rows: bool = False
    depth: int = 0
    line: int = 0
    n_rows: int = 1
    place: int = 0
    cells: list[str] = field(default_factory=list)
    given: dict[str, str] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)
    n_characters: int = 0
    n_paragraphs: int = 0
    is_inside: bool = False
    n_comments: int = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "table":
            self.depth += 1
            if self.depth == 1:
                self.names.append(_named(attributes, "name", ""))
                self.line = 0
        elif name == "table-row":
            self.n_rows = _count(attributes, "number-rows-repeated")
            self.cells, self.place = [], 0
        elif name in {"table-cell", "covered-table-cell"}:
            self.given = attributes
            self.parts, self.n_characters, self.n_paragraphs = [], 0, 0
        elif name == "annotation":
            self.n_comments += 1
        elif name == "p" and not self.n_comments:
            self.is_inside = True
            self.n_paragraphs += 1
            if self.n_paragraphs > 1:
                self.text("\n")
        elif name == "s":
            self.text(" " * min(_count(attributes, "c"), MAX_CELL))
        elif name == "tab":
            self.text("\t")
        elif name == "line-break":
            self.text("\n")

    def text(self, text: str) -> None:
        if self.is_inside and not self.n_comments and self._is_wanted():
            self.parts.append(text)
            self.n_characters += len(text)
            if self.n_characters > MAX_CELL:
                raise too_long(self.line + 1, letters_of(self.place), self.faults)

    def end(self, name: str) -> None:
        if name == "p" and not self.n_comments:
            self.is_inside = False
        elif name in {"table-cell", "covered-table-cell"}:
            self._end_cell()
        elif name == "table-row":
            self._end_row()
        elif name == "table":
            self.depth -= 1
        elif name == "annotation":
            self.n_comments -= 1

    def _is_wanted(self) -> bool:
        """True for the first table with rows, or the one with the name; tables nested in cells don't count."""
        if self.depth != 1:
            return False
        if self.wanted == AUTO:
            return not self.has_rows or self.names[-1] == self.seen.name
        return self.names[-1] == self.wanted

    def _end_cell(self) -> None:
        n_cells = _count(self.given, "number-columns-repeated")
        cell = self._cell() if self._is_wanted() else ""
        if cell:
            if self.place + n_cells > MAX_COLUMNS:
                raise too_wide(self.line + 1, self.faults)
            self.cells.extend([""] * (self.place - len(self.cells)))
            self.cells.extend([cell] * n_cells)
            if _named(self.given, "value-type", "") == "date":
                self.seen.dates.update(range(self.place, self.place + n_cells))
            if (spanned := _count(self.given, "number-columns-spanned")) > 1:
                last = min(self.place + spanned, MAX_COLUMNS) - 1
                n_merged = min(_count(self.given, "number-rows-spanned"), 100)
                if len(self.merged) < MAX_COLUMNS:
                    lines = range(self.line + 1, self.line + 1 + n_merged)
                    self.merged += [(line, self.place, last) for line in lines]
            elif _count(self.given, "number-rows-spanned") > 1 and len(self.merged) < MAX_COLUMNS:
                self.merged += [
                    (self.line + 1, self.place, self.place),
                    (self.line + 2, self.place, self.place),
                ]
        self.place += n_cells
        self.given = {}

    def _end_row(self) -> None:
        n_rows = min(self.n_rows, max(MAX_ROW - self.line, 1))
        if self.cells:
            self.has_rows, self.seen.name = True, self.names[-1]
            self.rows += [(self.line + n, [*self.cells]) for n in range(1, n_rows + 1)]
        self.line += n_rows

    def _cell(self) -> str:
        kind = _named(self.given, "value-type", "")
        if kind in {"float", "percentage", "currency"}:
            return number_text(_named(self.given, "value", ""))
        if kind == "date":
            return _named(self.given, "date-value", "").removesuffix(_MIDNIGHT)
        if kind == "time":
            return _length(_named(self.given, "time-value", ""))
        if kind == "boolean":
            return _named(self.given, "boolean-value", "").upper()
        return "".join(self.parts) or _named(self.given, "string-value", "")


def ods_rows(source: Source, sheet: str, seen: SheetProperties, faults: Faults) -> Rows:
    """The rows of a sheet that have any cell; "auto": of the first sheet that holds a table, or else has rows."""
    with as_file(source) as file, opened_zip(file, faults) as archive:
        if b"encryption-data" in _read(archive, "META-INF/manifest.xml"):
            raise locked(faults)
        sheets = _sheets_of(archive, faults)
        seen.names, seen.tables = sheets.names, sheets.tables
        if sheet not in {AUTO, *seen.names}:
            raise no_such_sheet(sheet, seen.names, faults)
        wanted = next(iter(seen.tables), AUTO) if sheet == AUTO else sheet
        content = _ContentHandler(wanted, seen, faults)
        seen.merged = lambda: content.merged
        yield from _rows(archive, content, faults)


def _rows(archive: zipfile.ZipFile, content: _ContentHandler, faults: Faults) -> Iterator[Record]:
    try:
        with archive.open("content.xml") as file:
            for _ in events(file, content, _WHAT, faults):
                yield from content.rows
                content.rows.clear()
    except (KeyError, *BAD_ZIP):
        raise damaged(faults, _WHAT) from None


class _SheetNameHandler:
    """Names all sheets, and those that hold a table: at least two rows with several cells."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.tables: list[str] = []
        self.depth = self.n_rows = self.n_cells = self.n_wide = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "table":
            self.depth += 1
            if self.depth == 1:
                self.names.append(_named(attributes, "name", ""))
                self.n_wide = 0
        elif name == "table-row":
            self.n_rows, self.n_cells = _count(attributes, "number-rows-repeated"), 0
        elif name == "table-cell" and _named(attributes, "value-type", ""):
            self.n_cells += _count(attributes, "number-columns-repeated")

    def end(self, name: str) -> None:
        if name == "table":
            self.depth -= 1
        elif name == "table-row" and self.depth == 1 and self.n_cells > 1 and self.n_wide < 2:
            self.n_wide += self.n_rows
            if self.n_wide >= 2 and len(self.tables) < MOST_SHEETS:
                self.tables.append(self.names[-1])

    def text(self, text: str) -> None: ...


def _sheets_of(archive: zipfile.ZipFile, faults: Faults) -> _SheetNameHandler:
    sheets = _SheetNameHandler()
    try:
        with archive.open("content.xml") as file:
            for _ in events(file, sheets, _WHAT, faults):
                pass
    except (KeyError, *BAD_ZIP):
        raise damaged(faults, _WHAT) from None
    return sheets


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        with archive.open(name) as file:
            return file.read(1024 * 1024)
    except (KeyError, *BAD_ZIP):
        return b""


def _named(attributes: dict[str, str], name: str, default: str) -> str:
    """An attribute under any prefix; attributes of the same name have the same meaning."""
    for prefix in ("office:", "table:", "text:"):
        if (value := attributes.get(prefix + name)) is not None:
            return value
    return default


def _count(attributes: dict[str, str], name: str) -> int:
    given = _named(attributes, name, "1")
    return max(int(given[:9]), 1) if given.isdecimal() else 1


def _length(written: str) -> str:
    found = _LENGTH.fullmatch(written)
    if not found:
        return written
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return time_text(timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds))
