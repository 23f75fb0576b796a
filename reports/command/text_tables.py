"""Plain-text tables for a terminal: aligned columns, with notes wrapped to its width."""

import textwrap
from collections.abc import Sequence

WIDTH = 100
# With less room, a note goes below its row.
LEAST_NOTE = 24
# More pairs are unreadable.
MAX_LISTED = 500
UNDEFINED = "–"

Row = Sequence[str]


def columns_of(rows: Sequence[Row], *, n_left: int) -> str:
    """Align the first n_left columns and the last to the left, the others to the right; the last one is wrapped."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    start = 2 + sum(widths[:-1]) + 2 * (len(widths) - 1)
    lines: list[str] = []
    for row in rows:
        is_note = len(row) > 3
        shown = row[:-1] if is_note else row
        cells = [
            cell.ljust(width) if place < n_left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(shown, widths, strict=False))
        ]
        lines.append(("  " + "  ".join(cells)).rstrip())
        if is_note:
            _add_note(lines, row[-1], start)
    return "\n".join(lines)


def _add_note(lines: list[str], note: str, start: int) -> None:
    """Add the note after the last line and below it, or only below it if there is no room."""
    if not note:
        return
    room = WIDTH - start
    if len(note) <= room:
        lines[-1] = lines[-1].ljust(start) + note
    elif room >= LEAST_NOTE:
        first, *others = textwrap.wrap(note, room)
        lines[-1] = lines[-1].ljust(start) + first
        lines.extend(" " * start + other for other in others)
    else:
        lines.extend(textwrap.wrap(note, WIDTH - 6, initial_indent=" " * 6, subsequent_indent=" " * 6))


def wrapped(lines: Sequence[str]) -> list[str]:
    """Return lines of text wrapped to the width, with indented continuation lines."""
    return [part for line in lines for part in textwrap.wrap(line, WIDTH, subsequent_indent="  ")]


def shown_figure(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.3f}"


def shown_interval(low: float | None, high: float | None) -> str:
    return UNDEFINED if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def shown_p(p: float | None) -> str:
    if p is None:
        return UNDEFINED
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
