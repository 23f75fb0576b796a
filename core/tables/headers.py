"""Finds where a table begins in a file, and the names of its columns."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from core.tables.delimited import Record
from core.tables.sheets import letters_of

# The header is searched for in this many rows.
ROWS_SAMPLED = 1_000
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
# The first row with more than this share of the fullest row's cells is the header, even if some cells are empty.
_FEW = 0.5
# With fewer rows below, a value of the first row may be in them by chance.
_FEWEST_BELOW = 3


@dataclass(frozen=True, slots=True)
class Header:
    """line: of the names, 0 if there are none. n_before: rows up to it. width: of the rows below. places: the
    columns that contain anything."""

    line: int
    n_before: int
    width: int
    columns: list[str]
    places: list[int]


# Returns merged cells as (row, first place, last place); called only where cells are empty.
Merged = Callable[[], Collection[tuple[int, int, int]]]


def header_of(
    rows: Sequence[Record], chosen: int | None, merged: Merged, *, is_sheet: bool, may_lack_first: bool
) -> Header | None:
    """The header, from the first rows. chosen: its line, 0 if there is none. None if there are no such rows.

    is_sheet: rows end with their last filled cell; otherwise each is as wide as the header. may_lack_first: the header
    may omit the name of the first column, as R does for row names.
    """
    if chosen is None:
        at = _place_of_header(rows)
        if at == 0 and _is_of_values(rows):
            at = -1
        if at >= 0 and _has_second_row(rows, at, merged):
            at += 1
    elif chosen == 0:
        at = -1
    else:
        at = next((n for n, (line, _) in enumerate(rows) if line >= chosen), len(rows))
    if at >= len(rows):
        return None
    below = [cells for _, cells in rows[at + 1 :]]
    names = _names(rows, at, merged) if at >= 0 else []
    if may_lack_first and names and below and all(len(cells) == len(names) + 1 for cells in below):
        names = ["", *names]
    width = max([len(names), *map(len, below)]) if is_sheet or at < 0 else len(names)
    names += [""] * (width - len(names))
    places = [
        place
        for place, name in enumerate(names)
        if name.strip() or any(place < len(cells) and cells[place] for cells in below)
    ]
    if at < 0:
        return Header(0, 0, width, _names_of_values(rows, places), places)
    columns = [names[place] if names[place].strip() else f"column {letters_of(place)}" for place in places]
    return Header(rows[at][0], at + 1, width, columns, places)


def numbered(columns: Iterable[str]) -> list[str]:
    """The names, with a number appended to each duplicate."""
    columns = [*columns]
    taken, seen, names = set(columns), Counter[str](), []
    for column in columns:
        seen[column] += 1
        name = column
        while seen[column] > 1 and name in taken:
            name = f"{column} ({seen[column]})"
            seen[column] += name in taken
        taken.add(name)
        names.append(name)
    return names


def _place_of_header(rows: Sequence[Record]) -> int:
    """The first row that is not a title; -1 if all rows are coders' codes, as in files without a header."""
    n_filled = [sum(map(bool, cells)) for _, cells in rows]
    fullest = max(n_filled, default=0)
    widest = max((len(cells) for _, cells in rows), default=0)
    if widest > 1 and all(len(cells) == widest and all(map(_WHOLE.fullmatch, cells)) for _, cells in rows):
        return -1
    for at, (_, cells) in enumerate(rows):
        is_title = n_filled[at] <= _FEW * fullest
        # pandas and R write the column of row numbers without a name.
        is_unnamed = n_filled[at] == fullest - 1 and len(cells) == widest and not cells[0] and fullest > 1
        if not is_title or is_unnamed:
            return at
    return len(rows)


def _is_of_values(rows: Sequence[Record]) -> bool:
    """Whether the first row has labels, not names: each of its cells is also in a row below, in the same column.

    One column may have keys of items instead, which are all different.
    """
    if not rows:
        return False
    (_, first), *below = rows
    if len(first) < 2 or len(below) < _FEWEST_BELOW or not all(first):
        return False
    columns = [*zip_longest(*(cells for _, cells in below), fillvalue="")]
    if len(columns) != len(first):
        return False
    others = [place for place, column in enumerate(columns) if first[place] not in column]
    return not others or (len(first) > 2 and len(others) == 1 and others[0] in _keys(rows))


def _keys(rows: Sequence[Record]) -> list[int]:
    """The columns in which no value is in two rows."""
    columns = [*zip_longest(*(cells for _, cells in rows), fillvalue="")]
    return [place for place, column in enumerate(columns) if len(set(column)) == len(column)]


def _names_of_values(rows: Sequence[Record], places: Sequence[int]) -> list[str]:
    """Names for the columns of a file without a header; the only one of keys is the item."""
    are_values = _is_of_values(rows)
    if not are_values and not all(_WHOLE.fullmatch(cell) for _, cells in rows for cell in cells):
        return [f"column {letters_of(place)}" for place in places]
    keys = _keys(rows) if are_values else []
    item = keys[0] if len(keys) == 1 else None
    coders = [place for place in places if place != item]
    return ["item" if place == item else f"coder {coders.index(place) + 1}" for place in places]


def _names(rows: Sequence[Record], at: int, merged: Merged) -> list[str]:
    """The cells of the header; a merged cell names each of its columns, in front of the names in the next row."""
    line, names = rows[at]
    is_beside = at > 0 and rows[at - 1][0] == line - 1
    is_narrow = any(len(cells) > len(names) for _, cells in rows[at + 1 :])
    if all(names) and not is_beside and not is_narrow:
        return [*names]
    ranges = {*merged()}
    names = _spread(line, names, ranges)
    grouped = {place for row, first, last in ranges if row == line - 1 for place in range(first, last + 1)}
    # A single merged cell above the header is the table's title; several are groups of columns.
    if is_beside and grouped and sum(map(bool, rows[at - 1][1])) > 1:
        above = _spread(line - 1, rows[at - 1][1], ranges)
        names += [""] * (len(above) - len(names))
        for place, group in enumerate(above):
            if group and (place in grouped or not names[place]):
                names[place] = " ".join(dict.fromkeys(part for part in (group, names[place]) if part))
    return names


def _has_second_row(rows: Sequence[Record], at: int, merged: Merged) -> bool:
    """Whether the next row names the columns under merged cells and is empty under the others."""
    if at + 2 >= len(rows) or rows[at + 1][0] != rows[at][0] + 1:
        return False
    (line, names), (_, below) = rows[at], rows[at + 1]
    if all(names) and len(below) <= len(names):
        return False
    ranges = {*merged()}
    wide = {
        place
        for row, first, last in ranges
        if row == line and first < last
        for place in range(first, last + 1)
    }
    alone = [place for place, name in enumerate(names) if name and place not in wide]
    return bool(wide and alone) and not any(place < len(below) and below[place] for place in alone)


def _spread(line: int, cells: Sequence[str], merged: Collection[tuple[int, int, int]]) -> list[str]:
    names = [*cells]
    for row, first, last in merged:
        if row == line and first < len(names) and names[first]:
            names += [""] * (last + 1 - len(names))
            names[first : last + 1] = [names[first]] * (last + 1 - first)
    return names
