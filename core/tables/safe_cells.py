"""Cells that a spreadsheet shows literally and never runs as formulas; the original text can be restored.

A text that begins with one of `BEGINS_FORMULA`, or with an apostrophe, gets an apostrophe in front; nothing else
changes. So it can be removed without knowing whether it was added.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

Cell = str | int | float | None

# Characters that start a formula in spreadsheets, their full-width and small forms, which some programs (and East
# Asian keyboards) treat the same, and white space that some programs skip before them.
BEGINS_FORMULA = frozenset("=+-@\t\r\n＝＋－＠﹦﹢﹣﹫")
ESCAPE = "'"
_ESCAPED = BEGINS_FORMULA | {ESCAPE}


def safe_cell(text: str) -> str:
    """The text as it is safe in a spreadsheet."""
    return ESCAPE + text if text[:1] in _ESCAPED else text


def original_cell(cell: str) -> str:
    """The text that `safe_cell` received; any other text stays as it is, even with an apostrophe in front."""
    return cell[1:] if cell[:1] == ESCAPE and cell[1:2] in _ESCAPED else cell


def safe_row(cells: Iterable[Cell]) -> list[Cell]:
    """The row with safe texts; numbers stay numbers, including negative ones."""
    return [safe_cell(cell) if isinstance(cell, str) else cell for cell in cells]


def csv_lines(rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """The lines of a CSV file, one for each row, with safe texts."""
    line = io.StringIO(newline="")
    writer = csv.writer(line, lineterminator="\r\n")
    for row in rows:
        writer.writerow(safe_row(row))
        yield line.getvalue()
        line.seek(0)
        line.truncate()
