"""Checks the rows of a table: their width, and their number."""

from collections.abc import Iterable, Iterator
from operator import itemgetter

from core.tables.delimited import Record
from core.tables.faults import Faults, FileRefused
from core.tables.headers import Header
from core.tables.sheets import MAX_COLUMNS


def filled_rows(rows: Iterable[Record]) -> Iterator[Record]:
    """Rows with any filled cell; others are only separators."""
    return (row for row in rows if row[1][0] or any(row[1]))


def kept_cells(
    rows: Iterable[Record], header: Header, columns: list[str], faults: Faults
) -> Iterator[Record]:
    """The cells of the columns that contain anything; a row of another width is a fault."""
    width, places = header.width, header.places
    if len(places) == width:
        return whole_rows(rows, columns, faults)
    names = [""] * width
    for name, place in zip(columns, places, strict=True):
        names[place] = name
    return _of_places(whole_rows(rows, names, faults), header, faults)


def padded_rows(rows: Iterable[Record], header: Header, faults: Faults) -> Iterator[Record]:
    """Rows of a sheet, which end with their last filled cell, padded to the width of the table."""
    width = header.width
    squared = (
        (line, cells if len(cells) >= width else cells + [""] * (width - len(cells))) for line, cells in rows
    )
    return _of_places(squared, header, faults)


def _of_places(rows: Iterable[Record], header: Header, faults: Faults) -> Iterator[Record]:
    width, places = header.width, header.places
    is_whole = len(places) == width
    gaps = [place for place in range(width) if place not in set(places)]
    pick = itemgetter(*places) if len(places) > 1 else lambda cells: (cells[places[0]],)
    for line, cells in rows:
        extra = next((cell for cell in cells[width:] if cell), "") or next(
            (cells[place] for place in gaps if cells[place]), ""
        )
        if extra:
            rule = "the row has a cell outside the columns of the table"
            faults.add(line, "", extra, "extra_cells", rule)
        elif is_whole:
            yield line, cells[:width] if len(cells) > width else cells
        else:
            yield line, [*pick(cells)]


def check_header(line: int, columns: list[str], faults: Faults) -> None:
    if len(columns) > MAX_COLUMNS:
        rule = f"a file can have at most {MAX_COLUMNS:,} columns; this one has {len(columns):,}"
        raise faults.refuse(line, "", "", "too_many_columns", rule)
    before, seen = faults.n, set[str]()
    for column in columns:
        if column in seen:
            faults.add(line, column, "", "duplicate_column", "duplicate column name")
        if "\0" in column:
            faults.add(line, column, "", "nul", "the column name contains a NUL character")
        seen.add(column)
    if faults.n > before:
        raise FileRefused(faults)


def limited_rows(records: Iterable[Record], max_rows: int, faults: Faults) -> Iterator[Record]:
    n_rows = 0
    for record in records:
        n_rows += 1
        if n_rows > max_rows:
            raise faults.refuse(
                record[0], "", "", "too_many_rows", f"a file can have at most {max_rows:,} rows; split it"
            )
        yield record
    if n_rows == 0 and not faults:
        raise faults.refuse(0, "", "", "no_rows", "the file has a header but no rows")


def whole_rows(records: Iterable[Record], columns: list[str], faults: Faults) -> Iterator[Record]:
    """The records with as many cells as columns; others are faults."""
    width = len(columns)
    for record in records:
        line, cells = record
        if len(cells) == width:
            yield record
        elif len(cells) > width:
            rule = width_rule(len(cells), width)
            faults.add(line, "", cells[width], "extra_cells", rule)
        else:
            rule = width_rule(len(cells), width)
            faults.add(line, columns[len(cells)], "", "missing_cells", rule)


def width_rule(n_cells: int, width: int) -> str:
    """Say that a row has another number of cells than the header."""
    return f"the row has {n_cells:,} cell{'' if n_cells == 1 else 's'}; the header has {width:,}"
