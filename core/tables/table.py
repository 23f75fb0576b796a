"""A file opened as a table: its encoding, separator and columns seen, and its rows as a stream."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from core.tables import jsonlines
from core.tables.delimited import DelimitedReader, Record, separator_in
from core.tables.encoding import AUTO, Source, decoded, encoding_of, head
from core.tables.faults import Faults, FileRefused
from core.tables.lines import lf_lines, physical_lines

MAX_COLUMNS = 2_000
# The keys of JSON lines are gathered from this many records at the beginning.
_LOOKED_AT = 1_000


@dataclass(frozen=True, slots=True)
class Table:
    """columns: the header, or the keys of JSON lines. rows: (physical line, cells), as many cells as columns."""

    columns: list[str]
    rows: Iterator[Record]
    encoding: str
    separator: str


def open_table(
    source: Source, faults: Faults, *, encoding: str = AUTO, separator: str = AUTO, max_rows: int
) -> Table:
    """A file of separated values. Raises FileRefused where nothing can be read; other faults are gathered."""
    encoding = encoding_of(source, encoding, faults)
    lines = physical_lines(decoded(source, encoding, faults), faults)
    first, lines = _up_to_header(lines)
    if separator == AUTO:
        separator = separator_in(first)
    reader = DelimitedReader(lines, separator, faults)
    records = reader.records()
    header = next(records, None)
    if header is None:
        raise FileRefused(faults) if faults else faults.refuse(0, "", "", "empty_file", "the file is empty")
    line, columns = header
    _check_header(line, columns, faults)
    rows = _whole(_limited(records, max_rows, faults), columns, faults)
    return Table(columns, rows, encoding, separator)


def open_json_lines(source: Source, faults: Faults, *, encoding: str = AUTO, max_rows: int) -> Table:
    """A file of JSON lines; its columns are the keys of its first thousand records."""
    encoding = encoding_of(source, encoding, faults)
    start = islice(lf_lines(decoded(source, encoding, faults), faults), _LOOKED_AT)
    columns = jsonlines.keys_in(jsonlines.objects(start, Faults()))
    _check_header(1, columns, faults)
    records = jsonlines.objects(lf_lines(decoded(source, encoding, faults), faults), faults)
    rows = _limited(jsonlines.as_rows(records, columns, faults), max_rows, faults)
    return Table(columns, rows, encoding, "")


def open_either(
    source: Source, faults: Faults, *, is_json: bool, encoding: str, separator: str, max_rows: int
) -> Table:
    """A file of JSON lines, or of separated values."""
    if is_json:
        return open_json_lines(source, faults, encoding=encoding, max_rows=max_rows)
    return open_table(source, faults, encoding=encoding, separator=separator, max_rows=max_rows)


def looks_like_json_lines(source: Source) -> bool:
    return head(source).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


Line = tuple[str, str]


def _up_to_header(lines: Iterator[Line]) -> tuple[str, Iterator[Line]]:
    """The first line that is not blank, and all lines from the beginning."""
    passed: list[Line] = []
    for line in lines:
        passed.append(line)
        if line[0]:
            return line[0], chain(passed, lines)
        if len(passed) > _LOOKED_AT:
            break
    return "", chain(passed, lines)


def _check_header(line: int, columns: list[str], faults: Faults) -> None:
    if len(columns) > MAX_COLUMNS:
        rule = f"a file can have at most {MAX_COLUMNS:,} columns; this one has {len(columns):,}"
        raise faults.refuse(line, "", "", "too_many_columns", rule)
    seen: set[str] = set()
    for column in columns:
        if column in seen:
            faults.add(line, column, "", "duplicate_column", "duplicate column name")
        if "\0" in column:
            faults.add(line, column, "", "nul", "the column name contains a NUL character")
        seen.add(column)
    if faults:
        raise FileRefused(faults)


def _limited(records: Iterable[Record], max_rows: int, faults: Faults) -> Iterator[Record]:
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


def _whole(records: Iterable[Record], columns: list[str], faults: Faults) -> Iterator[Record]:
    """The records with as many cells as there are columns; the others are faults."""
    width = len(columns)
    for record in records:
        line, cells = record
        if len(cells) == width:
            yield record
        elif len(cells) > width:
            rule = f"the row has {len(cells):,} cells; the header has {width:,}"
            faults.add(line, "", cells[width], "extra_cells", rule)
        else:
            rule = f"the row has {len(cells):,} cells; the header has {width:,}"
            faults.add(line, columns[len(cells)], "", "missing_cells", rule)
