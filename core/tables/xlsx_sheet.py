"""The rows of one sheet of an Excel workbook."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from core.tables.delimited import Record
from core.tables.faults import Faults
from core.tables.formats import damaged
from core.tables.sheets import (
    MAX_CELL,
    MAX_COLUMNS,
    MAX_ROW,
    SheetProperties,
    letters_of,
    number_text,
    time_text,
    too_long,
    too_wide,
)
from core.tables.xlsx_parts import unescaped

WHAT = "an Excel workbook"
# Merged ranges follow the rows; they are read for sheets up to this size, and kept for the first rows.
MERGED_IN, _MERGED_ROWS, MOST_MERGED = 512 * 1024**2, 1_000, 100_000
_RANGE = re.compile("([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})")
_DIGITS = "0123456789"


class SheetReader:
    """Collects the rows of a sheet in `rows` until they are taken."""

    def __init__(
        self,
        texts: Sequence[str],
        kinds: Sequence[str],
        *,
        starts_1904: bool,
        seen: SheetProperties,
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
        elif name == "mergeCell" and len(self.merged) < MOST_MERGED:
            self.merged += merged_in(attributes.get("ref", ""))

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
        return raw if kind == "e" else unescaped(raw)

    def _shared(self, raw: str) -> str:
        try:
            return self.texts[int(raw)]
        except (ValueError, IndexError):
            raise damaged(self.faults, WHAT) from None

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
    # Columns of four letters are beyond any sheet, and are refused as such.
    for letter in letters[:4].upper():
        place = 26 * place + ord(letter) - ord("A") + 1
    return max(place - 1, 0)


def date_text(serial: float, *, is_length: bool, starts_1904: bool) -> str:
    """The date of a stored number of days, in ISO 8601; raises OverflowError."""
    if is_length or 0 <= serial < 1:
        return time_text(timedelta(days=serial))
    # Excel counts a 29 February 1900, so earlier days are off by one.
    first = datetime(1904, 1, 1) if starts_1904 else datetime(1899, 12, 31 if serial < 60 else 30)  # noqa: DTZ001
    moment = first + timedelta(milliseconds=round(serial * 86_400_000))
    if not (moment.hour or moment.minute or moment.second or moment.microsecond):
        return moment.date().isoformat()
    return moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")


def merged_in(reference: str) -> list[tuple[int, int, int]]:
    """The rows and columns of a merged range, as far as a header may reach."""
    match = _RANGE.fullmatch(reference)
    if match is None:
        return []
    first, last = _place_of(match[1]), _place_of(match[3])
    if last >= MAX_COLUMNS:
        return []
    return [(line, first, last) for line in range(int(match[2]), min(int(match[4]), _MERGED_ROWS) + 1)]
