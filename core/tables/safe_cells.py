"""Cells that a spreadsheet shows as they are, and never runs as a formula; taken back, they are what they were.

A text that begins with one of `BEGINS_FORMULA`, or with an apostrophe, gets an apostrophe in front; nothing else is
touched. So it can be taken away again without having to know whether it was put there.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

Cell = str | int | float | None

# What spreadsheets take for the start of a formula, the full-width and small forms of it that some of them (and the
# keyboards of East Asia) take for the same, and the white space that some of them skip before it.
BEGINS_FORMULA = frozenset("=+-@\t\r\n＝＋－＠﹦﹢﹣﹫")
ESCAPE = "'"
_ESCAPED = BEGINS_FORMULA | {ESCAPE}


def safe_cell(text: str) -> str:
    """The text as a spreadsheet may get it."""
    return ESCAPE + text if text[:1] in _ESCAPED else text


def original_cell(cell: str) -> str:
    """The text that `safe_cell` made this of; any other text, an apostrophe at its front and all, stays as it is."""
    return cell[1:] if cell[:1] == ESCAPE and cell[1:2] in _ESCAPED else cell


def safe_row(cells: Iterable[Cell]) -> list[Cell]:
    """A row with its texts made safe; numbers stay numbers, a negative one too."""
    return [safe_cell(cell) if isinstance(cell, str) else cell for cell in cells]


def csv_lines(rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """The lines of a CSV file, one for each row, with every text made safe."""
    line = io.StringIO(newline="")
    writer = csv.writer(line, lineterminator="\r\n")
    for row in rows:
        writer.writerow(safe_row(row))
        yield line.getvalue()
        line.seek(0)
        line.truncate()
