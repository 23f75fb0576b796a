"""Files with counts rather than labels: the confusion matrix of two raters, or counts per item and category."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from core.tables.delimited import Record
from core.tables.encoding import Source
from core.tables.faults import Faults
from core.tables.safe_cells import original_cell
from core.tables.table import Table, TableChoices, open_any
from reports.agreement.results import IntArray

# The rows of a table that are checked for a confusion matrix; none is larger.
MAX_CATEGORIES = 1_000
MAX_DIGITS = 9
MAX_LABELS = 20_000_000
TOTALS = frozenset({"total", "totals", "sum", "all", "row total", "column total"})
ITEM_NAMES = frozenset({"", "item", "items", "id", "subject", "case", "unit", "column a"})


class CountForm(StrEnum):
    """PAIR: rows are the categories of the first rater, columns those of the second. ITEMS: rows are items and columns
    are categories, as in Fleiss (1971), so that it is not known who gave which label.
    """

    PAIR = "pair"
    ITEMS = "items"


@dataclass(frozen=True, slots=True, eq=False)
class CountTable:
    """counts: (K, K) for a pair, (N, K) for items. rows: the names of the items, or of the two raters."""

    form: CountForm
    categories: list[str]
    rows: list[str]
    counts: IntArray
    table: Table


def read_counts(
    form: CountForm, source: Source, choices: TableChoices, faults: Faults, *, max_rows: int
) -> CountTable | None:
    """Return the counts of a file in this form; None, with errors in `faults`, if it has another form."""
    table = open_any(source, faults, choices=choices, max_rows=max_rows)
    rows = [(line, [original_cell(cell.strip()) for cell in cells]) for line, cells in table.rows]
    if faults:
        return None
    found = _pair(table, rows, faults) if form is CountForm.PAIR else _items(table, rows, faults)
    if found is not None and found.counts.sum() > MAX_LABELS:
        rule = f"the counts must add up to {MAX_LABELS:,} at most, got {int(found.counts.sum()):,}"
        faults.add(0, "", "", "too_many_labels", rule)
    return None if faults else found


def looks_like_pair(table: Table) -> bool:
    """Return whether the table can only be a confusion matrix: rows named like the columns, and whole numbers.

    Consumes the rows of the table.
    """
    if not table.has_header or not 3 <= len(table.columns) <= MAX_CATEGORIES + 2:
        return False
    rows: list[Record] = []
    for line, cells in table.rows:
        rows.append((line, [cell.strip() for cell in cells]))
        if len(rows) > len(table.columns):
            return False
    return _pair(table, rows, Faults()) is not None


def _pair(table: Table, rows: list[Record], faults: Faults) -> CountTable | None:
    if not table.has_header:
        columns = [str(place) for place in range(1, len(table.columns) + 1)]
        rows = [(line, [str(place), *cells]) for place, (line, cells) in enumerate(rows, start=1)]
        corner = ""
    else:
        corner, *columns = (column.strip() for column in table.columns)
    columns, rows = _without_totals(columns, rows)
    names = [cells[0] for _, cells in rows]
    if len(columns) < 2 or sorted(names) != sorted(columns) or len(set(names)) < len(names):
        rule = "a table of pairs must name the same two categories or more in its first row and first column"
        faults.add(table.header_line, "", ", ".join(names[:5]), "not_square", rule)
        return None
    counts = _numbers(columns, rows, faults)
    if counts is None:
        return None
    order = [names.index(name) for name in columns]
    return CountTable(CountForm.PAIR, columns, _raters_in(corner), counts[order], table)


def _items(table: Table, rows: list[Record], faults: Faults) -> CountTable | None:
    first, *categories = (column.strip() for column in table.columns)
    names = [cells[0] for _, cells in rows]
    if not table.has_header or len(set(names)) < len(names) or _is_counted(first, rows):
        rule = "the first row must name the categories, and the first column each item once"
        faults.add(table.header_line, first, "", "missing_column", rule)
        return None
    if categories and categories[-1].casefold() in TOTALS:
        categories, rows = categories[:-1], [(line, cells[:-1]) for line, cells in rows]
    if len(categories) < 2 or not rows:
        rule = (
            "a table of items must have a column for each of two or more categories, and a row for each item"
        )
        faults.add(table.header_line, "", "", "missing_column", rule)
        return None
    counts = _numbers(categories, rows, faults)
    return None if counts is None else CountTable(CountForm.ITEMS, categories, names, counts, table)


def _is_counted(first: str, rows: Sequence[Record]) -> bool:
    """Return whether the first column is a category, too: all rows have the same sum with it, but not without it."""
    cells = [[_number(cell) for cell in row] for _, row in rows]
    if first.casefold() in ITEM_NAMES or any(n is None for row in cells for n in row):
        return False
    sums = {(sum(n or 0 for n in row), sum(n or 0 for n in row[1:])) for row in cells}
    return len({each for each, _ in sums}) == 1 < len({each for _, each in sums})


def _without_totals(columns: list[str], rows: list[Record]) -> tuple[list[str], list[Record]]:
    """Drop a last column and a last row of totals."""
    names = {cells[0] for _, cells in rows[:-1]}
    if columns and columns[-1].casefold() in TOTALS and columns[-1] not in names:
        columns, rows = columns[:-1], [(line, cells[:-1]) for line, cells in rows]
    if rows and rows[-1][1][0].casefold() in TOTALS and rows[-1][1][0] not in columns:
        rows = rows[:-1]
    return columns, rows


def _raters_in(corner: str) -> list[str]:
    """Return both raters as named in the corner cell, such as Anna \\ Ben, the rater of the rows first."""
    for mark in ("\\", "/", "×"):
        names = [name.strip() for name in corner.split(mark)]
        if len(names) == 2 and all(names) and names[0] != names[1]:
            return names
    return ["rows", "columns"]


def _numbers(columns: Sequence[str], rows: Sequence[Record], faults: Faults) -> IntArray | None:
    """Return the counts after the first cell of each row, with shape (rows, columns); an empty cell is 0."""
    if len(set(columns)) < len(columns) or "" in columns:
        faults.add(1, "", "", "unknown_column", "each category must have a column with a name of its own")
        return None
    before = faults.n
    counts = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for place, (line, cells) in enumerate(rows):
        for at, cell in enumerate(cells[1:]):
            number = _number(cell)
            if number is None:
                rule = "counts must be whole numbers of 0 or more, of up to nine digits"
                faults.add(line, columns[at], cell, "bad_count", rule)
            else:
                counts[place, at] = number
    return None if faults.n > before else counts


def _number(cell: str) -> int | None:
    """Return a count, or None; spreadsheets write 3 as 3.0, and 0 as an empty cell."""
    whole, _, fraction = cell.partition(".")
    if not cell:
        return 0
    is_count = whole.isascii() and whole.isdigit() and len(whole) <= MAX_DIGITS and not fraction.strip("0")
    return int(whole) if is_count else None
