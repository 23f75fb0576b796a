"""Shared by the readers of workbooks."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import islice

from core.tables.delimited import Record
from core.tables.faults import Faults

MAX_COLUMNS = 2_000
MAX_CELL = 2_000_000
# Excel's maximum; a row that claims a higher number is counted as the next one.
MAX_ROW = 1_048_576
# A sheet is recognized as a table by this many rows, and so are this many sheets of a workbook.
_ROWS_LOOKED_AT, MOST_SHEETS = 200, 50
# Above this, floats can't represent every integer, and numbers are written as Excel writes them.
_EXACT = 1e15


@dataclass(slots=True)
class SheetProperties:
    """What is known about a sheet besides its rows. tables: the names of all sheets that hold a table. dates: the
    columns with a date among the rows read so far.

    merged: (row from 1, first place, last place) of merged cells in the first rows, or None if they were not read.
    """

    name: str = ""
    names: Sequence[str] = ()
    tables: Sequence[str] = ()
    dates: set[int] = field(default_factory=set)
    merged: Callable[[], list[tuple[int, int, int]]] = list
    encoding: str = ""


Rows = Iterator[Record]


def is_table(rows: Iterable[Record]) -> bool:
    """Whether at least two of the first rows have several cells, unlike notes."""
    wide = (cells for _, cells in islice(rows, _ROWS_LOOKED_AT) if sum(map(bool, cells)) > 1)
    return len([*islice(wide, 2)]) == 2


def letters_of(place: int) -> str:
    """The spreadsheet name of a column: A for 0, AA for 26."""
    letters = ""
    while place >= 0:
        letters = chr(ord("A") + place % 26) + letters
        place = place // 26 - 1
    return letters


def number_text(raw: str) -> str:
    """A number as people write it: 1 for 1.0, 4.6 for 4.5999999999999996; digits beyond a float's precision stay."""
    if raw.isdecimal() and raw.isascii() and raw[0] != "0" and len(raw) < 16:
        return raw
    try:
        number = float(raw)
    except ValueError:
        return raw
    return float_text(number) if math.isfinite(number) else raw


def float_text(number: float) -> str:
    if number.is_integer() and abs(number) < _EXACT:
        return str(int(number))
    return repr(number)


def value_text(value: object) -> str:
    """What a library read from a cell, as people write it: a date without a time, 1 for 1.0."""
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return time_text(value) if isinstance(value, timedelta) else str(value)


def time_text(length: timedelta) -> str:
    """Hours (possibly more than 24), minutes and seconds."""
    seconds = round(length.total_seconds())
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def too_wide(line: int, faults: Faults) -> Exception:
    rule = f"a file can have at most {MAX_COLUMNS:,} columns; this row has a cell beyond them"
    return faults.refuse(line, "", "", "too_many_columns", rule)


def too_long(line: int, column: str, faults: Faults) -> Exception:
    return faults.refuse(line, column, "", "too_long", f"a cell can have at most {MAX_CELL:,} characters")


def no_such_sheet(name: str, names: Sequence[str], faults: Faults) -> Exception:
    rule = f"the workbook has no such sheet; it has {', '.join(names)}"
    return faults.refuse(0, "", name, "unknown_sheet", rule)
