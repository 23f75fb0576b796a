"""Excel workbooks as a stream: only their shared texts are kept in memory, and no formula is computed."""

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from posixpath import join, normpath
from typing import IO

from core.tables.delimited import Record
from core.tables.encoding import AUTO, Source
from core.tables.faults import Faults
from core.tables.formats import damaged
from core.tables.sheets import (
    MAX_CELL,
    MAX_COLUMNS,
    MAX_ROW,
    Rows,
    SheetSeen,
    letters_of,
    no_such_sheet,
    number_text,
    time_text,
    too_long,
    too_wide,
)
from core.tables.unzipping import BAD_ZIP, opened_zip
from core.tables.whole_files import as_file
from core.tables.xml_events import events

_WHAT = "an Excel workbook"
# All texts of a workbook are kept in memory: at most this many, and this many characters.
MAX_TEXTS, MAX_CHARACTERS = 5_000_000, 100_000_000
# Merged cells stand behind the rows; they are looked for in sheets up to this size, and told for the first rows.
_MERGED_IN, _MERGED_ROWS, _MOST_MERGED = 512 * 1024**2, 1_000, 100_000
_MERGED = re.compile(rb'mergeCell\s[^>]{0,50}ref="([A-Z0-9:]{1,25})"')
_RANGE = re.compile("([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})")
# Formats of dates and times that need no definition.
_DATES = frozenset([*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)])
_LENGTHS = frozenset([46])
_NOT_CODE = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]', re.IGNORECASE)
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_DIGITS = "0123456789"


@dataclass(slots=True)
class _Book:
    """sheets: name and relation of each, those that are shown first."""

    sheets: list[tuple[str, str]] = field(default_factory=list)
    hidden: list[tuple[str, str]] = field(default_factory=list)
    starts_1904: bool = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            relation = next((value for key, value in attributes.items() if key.endswith(":id")), "")
            is_shown = attributes.get("state", "visible") == "visible"
            (self.sheets if is_shown else self.hidden).append((attributes.get("name", ""), relation))
        elif name == "workbookPr":
            self.starts_1904 = attributes.get("date1904", "0") in {"1", "true"}

    def end(self, name: str) -> None: ...
    def text(self, text: str) -> None: ...


@dataclass(slots=True)
class _Relations:
    targets: dict[str, tuple[str, str]] = field(default_factory=dict)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship" and attributes.get("TargetMode") != "External":
            kind = attributes.get("Type", "").rpartition("/")[2]
            self.targets[attributes.get("Id", "")] = kind, attributes.get("Target", "")

    def end(self, name: str) -> None: ...
    def text(self, text: str) -> None: ...


@dataclass(slots=True)
class _Styles:
    """dates: of each style of a cell, "date", "length" (of time) or ""."""

    codes: dict[str, str] = field(default_factory=dict)
    kinds: list[str] = field(default_factory=list)
    is_inside: bool = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "numFmt":
            self.codes[attributes.get("numFmtId", "")] = _kind_of(attributes.get("formatCode", ""))
        elif name == "cellXfs":
            self.is_inside = True
        elif name == "xf" and self.is_inside:
            number = attributes.get("numFmtId", "0")
            known = int(number) if number.isdecimal() else 0
            plain = "length" if known in _LENGTHS else "date" if known in _DATES else ""
            self.kinds.append(self.codes.get(number, plain))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self.is_inside = False

    def text(self, text: str) -> None: ...


def _kind_of(code: str) -> str:
    """Whether numbers of this format are dates, lengths of time, or numbers."""
    written = _NOT_CODE.sub("", code).lower()
    if written in {"general", "standard"} or not re.search("[ymdhs]", written):
        return ""
    return "length" if re.search(r"\[[hms]+\]", written) else "date"


@dataclass(slots=True)
class _Texts:
    """The texts that cells refer to by number; their hints of pronunciation are none of it."""

    faults: Faults
    texts: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    is_inside: bool = False
    is_hint: bool = False
    n_characters: int = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "t":
            self.is_inside = not self.is_hint
        elif name == "rPh":
            self.is_hint = True

    def text(self, text: str) -> None:
        if self.is_inside:
            self.parts.append(text)
            self.n_characters += len(text)
            if self.n_characters > MAX_CHARACTERS:
                raise self._too_large()

    def end(self, name: str) -> None:
        if name == "t":
            self.is_inside = False
        elif name == "rPh":
            self.is_hint = False
        elif name == "si":
            self.texts.append(_unescaped("".join(self.parts)))
            self.parts.clear()
            if len(self.texts) > MAX_TEXTS:
                raise self._too_large()

    def _too_large(self) -> Exception:
        return self.faults.refuse(0, "", "", "too_long", "the workbook has too much text; save it as CSV")


class _Sheet:
    """Rows of a sheet, gathered in `rows` until they are taken."""

    def __init__(
        self,
        texts: Sequence[str],
        kinds: Sequence[str],
        *,
        starts_1904: bool,
        seen: SheetSeen,
        faults: Faults,
    ) -> None:
        self.texts, self.kinds, self.starts_1904 = texts, kinds, starts_1904
        self.seen, self.faults = seen, faults
        self.rows: list[Record] = []
        self.merged: list[tuple[int, int, int]] = []
        self.places: dict[str, int] = {}
        self.line = 0
        self.kind, self.style, self.n_characters = "n", "", 0
        self._begin_row()

    def _begin_row(self) -> None:
        self.cells: list[str] = []
        self.place = -1
        self.is_inside = self.is_formula = self.is_hint = False
        self.parts: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self.kind, self.style = attributes.get("t", "n"), attributes.get("s", "")
            self.place = self._place(attributes["r"]) if "r" in attributes else self.place + 1
            self.is_formula, self.n_characters = False, 0
            self.parts = []
        elif name == "v":
            self.is_inside = True
        elif name == "t":
            self.is_inside = not self.is_hint
        elif name == "f":
            self.is_formula = True
        elif name == "row":
            given = attributes.get("r", "")
            is_given = given.isdecimal() and self.line < int(given) <= MAX_ROW
            self.line = int(given) if is_given else self.line + 1
            self._begin_row()
        elif name == "rPh":
            self.is_hint = True
        elif name == "mergeCell" and len(self.merged) < _MOST_MERGED:
            self.merged += _merged_in(attributes.get("ref", ""))

    def text(self, text: str) -> None:
        if self.is_inside:
            self.parts.append(text)
            self.n_characters += len(text)
            if self.n_characters > MAX_CELL:
                raise too_long(self.line, letters_of(self.place), self.faults)

    def end(self, name: str) -> None:
        if name == "c":
            if self.parts or self.is_formula:
                self._end_cell("".join(self.parts))
        elif name in {"v", "t"}:
            self.is_inside = False
        elif name == "row":
            if self.cells:
                self.rows.append((self.line, self.cells))
        elif name == "rPh":
            self.is_hint = False

    def _end_cell(self, raw: str) -> None:
        cell = self._cell(raw)
        if not cell:
            return
        cells, place = self.cells, self.place
        if place != len(cells):
            if place >= MAX_COLUMNS:
                raise too_wide(self.line, self.faults)
            if place < len(cells):
                cells[place] = cell
                return
            cells.extend([""] * (place - len(cells)))
        elif place >= MAX_COLUMNS:
            raise too_wide(self.line, self.faults)
        cells.append(cell)

    def _cell(self, raw: str) -> str:
        kind = self.kind
        if kind == "s":
            return self._shared(raw)
        if kind == "n":
            if not raw:
                rule = "the formula has no stored value; open the file in a spreadsheet program and save it again"
                self.faults.add(self.line, letters_of(self.place), "", "formula_without_value", rule)
                return ""
            style = self.style
            if style and style != "0" and (date := self._date(raw)):
                self.seen.dates.add(self.place)
                return date
            return number_text(raw)
        if kind == "b":
            return "FALSE" if raw.strip() in {"0", "false"} else "TRUE"
        if kind == "d":
            self.seen.dates.add(self.place)
            return raw
        return raw if kind == "e" else _unescaped(raw)

    def _shared(self, raw: str) -> str:
        try:
            return self.texts[int(raw)]
        except (ValueError, IndexError):
            raise damaged(self.faults, _WHAT) from None

    def _date(self, raw: str) -> str:
        try:
            kind = self.kinds[int(self.style)]
            return (
                date_text(float(raw), is_length=kind == "length", starts_1904=self.starts_1904)
                if kind
                else ""
            )
        except (ValueError, IndexError, OverflowError):
            return ""

    def _place(self, reference: str) -> int:
        letters = reference.rstrip(_DIGITS)
        place = self.places.get(letters)
        if place is None:
            self.places[letters] = place = _place_of(letters)
        return place


def _place_of(letters: str) -> int:
    place = 0
    # Four letters are beyond any sheet, and are refused as such.
    for letter in letters[:4].upper():
        place = 26 * place + ord(letter) - ord("A") + 1
    return max(place - 1, 0)


def date_text(serial: float, *, is_length: bool, starts_1904: bool) -> str:
    """The number of days that a date is stored as, in ISO 8601; raises OverflowError."""
    if is_length or 0 <= serial < 1:
        return time_text(timedelta(days=serial))
    # Excel counts a 29 February 1900, so that the days before it are one too far.
    first = datetime(1904, 1, 1) if starts_1904 else datetime(1899, 12, 31 if serial < 60 else 30)  # noqa: DTZ001
    moment = first + timedelta(milliseconds=round(serial * 86_400_000))
    if not (moment.hour or moment.minute or moment.second or moment.microsecond):
        return moment.date().isoformat()
    return moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")


def _unescaped(text: str) -> str:
    """Excel writes characters that XML lacks by their number."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def xlsx_rows(source: Source, sheet: str, seen: SheetSeen, faults: Faults) -> Rows:
    """The rows of a sheet that have a cell; "auto": of the first sheet that has any."""
    with as_file(source) as file, opened_zip(file, faults) as archive:
        workbook = _Workbook(archive, faults)
        seen.names = [*workbook.parts]
        wanted = seen.names if sheet == AUTO else [sheet]
        if sheet not in {AUTO, *seen.names}:
            raise no_such_sheet(sheet, seen.names, faults)
        for seen.name in wanted:
            is_empty = True
            for row in workbook.rows(seen):
                is_empty = False
                yield row
            if not is_empty:
                return


class _Workbook:
    """parts: the file of each sheet, by its name."""

    def __init__(self, archive: zipfile.ZipFile, faults: Faults) -> None:
        self.archive, self.faults = archive, faults
        self.names: Mapping[str, str] = {name.lower(): name for name in archive.namelist()}
        root = self._targets("_rels/.rels", "")
        self.path = next(
            (path for kind, path in root.values() if kind == "officeDocument"), "xl/workbook.xml"
        )
        self.book = _Book()
        self._read(self.path, self.book)
        folder, _, name = self.path.rpartition("/")
        self.targets = self._targets(f"{folder}/_rels/{name}.rels", folder)
        self.parts = {
            name: self.targets[relation][1]
            for name, relation in [*self.book.sheets, *self.book.hidden]
            if self.targets.get(relation, ("",))[0] == "worksheet"
        }
        if not self.parts:
            raise faults.refuse(0, "", "", "empty_file", "the workbook has no sheet with cells")
        self._texts: list[str] | None = None
        self._kinds: list[str] = []

    def rows(self, seen: SheetSeen) -> Iterator[Record]:
        if self._texts is None:
            self._texts, self._kinds = self._read_texts(), self._read_styles()
        part = self.parts[seen.name]
        seen.merged = lambda: self._merged(part)
        sheet = _Sheet(
            self._texts, self._kinds, starts_1904=self.book.starts_1904, seen=seen, faults=self.faults
        )
        with self._opened(part) as file:
            for _ in events(file, sheet, _WHAT, self.faults):
                yield from sheet.rows
                sheet.rows.clear()
        seen.merged = lambda: sheet.merged

    def _read_texts(self) -> list[str]:
        texts = _Texts(self.faults)
        self._read_if_there("sharedStrings", texts)
        return texts.texts

    def _read_styles(self) -> list[str]:
        styles = _Styles()
        self._read_if_there("styles", styles)
        return styles.kinds

    def _read_if_there(self, wanted: str, handler: _Texts | _Styles) -> None:
        for kind, path in self.targets.values():
            if kind == wanted and path.lower() in self.names:
                self._read(path, handler)
                return

    def _targets(self, path: str, folder: str) -> dict[str, tuple[str, str]]:
        """Kind and file of each relation."""
        if path.lower() not in self.names:
            return {}
        relations = _Relations()
        self._read(path, relations)
        return {
            key: (kind, normpath(join("/", folder, target)).lstrip("/"))
            for key, (kind, target) in relations.targets.items()
        }

    def _read(self, path: str, handler: _Book | _Relations | _Styles | _Texts) -> None:
        with self._opened(path) as file:
            for _ in events(file, handler, _WHAT, self.faults):
                pass

    def _opened(self, path: str) -> IO[bytes]:
        try:
            return self.archive.open(self.names[path.lower()])
        except (KeyError, *BAD_ZIP):
            raise damaged(self.faults, _WHAT) from None

    def _merged(self, part: str) -> list[tuple[int, int, int]]:
        """What stands behind the rows, read ahead of them."""
        if self.archive.getinfo(self.names[part.lower()]).file_size > _MERGED_IN:
            return []
        found: list[tuple[int, int, int]] = []
        rest = b""
        with self._opened(part) as file:
            while (block := file.read(1024 * 1024)) and len(found) < _MOST_MERGED:
                text = rest + block
                if b"mergeCell" in text:
                    for match in _MERGED.finditer(text):
                        found += _merged_in(match[1].decode())
                rest = text[-100:]
        return found


def _merged_in(reference: str) -> list[tuple[int, int, int]]:
    """The rows and places of a merged range, as far as a header may reach."""
    match = _RANGE.fullmatch(reference)
    if match is None:
        return []
    first, last = _place_of(match[1]), _place_of(match[3])
    if last >= MAX_COLUMNS:
        return []
    return [(line, first, last) for line in range(int(match[2]), min(int(match[4]), _MERGED_ROWS) + 1)]
