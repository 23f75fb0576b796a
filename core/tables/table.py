"""A file as a table: its detected format, encoding, separator and columns, and its rows as a stream."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import chain, islice
from typing import Any, Self

from core.shapes import Json
from core.tables import jsonlines
from core.tables.delimited import SEPARATORS, DelimitedReader, Record, separator_in
from core.tables.encoding import AUTO, ENCODINGS, Source, decoded, encoding_of
from core.tables.faults import Faults, FileRefused
from core.tables.formats import CSV, JSON, JSON_LINES, ODS, SPSS, STATA, XLS, XLSX, format_of
from core.tables.headers import ROWS_SAMPLED, Header, Merged, header_of, numbered
from core.tables.json_array import array_objects
from core.tables.lines import lf_lines, physical_lines
from core.tables.ods import ods_rows
from core.tables.reader_processes import output_of_program
from core.tables.seekable_files import as_path
from core.tables.sheets import Rows, SheetProperties, no_such_sheet
from core.tables.table_rows import (
    check_header,
    filled_rows,
    kept_cells,
    limited_rows,
    padded_rows,
    whole_rows,
)
from core.tables.xlsx import xlsx_rows

# The separator of a file is detected from this many lines.
_SEPARATED = 50
# GNU iconv's names of encodings, where they differ from ours.
_ICONV = {"latin-1": "ISO-8859-1", "mac_roman": "MACINTOSH"}


@dataclass(frozen=True, slots=True)
class TableChoices:
    """How to read a file, as far as it can be chosen. header_line: its physical line or row, "0" for none."""

    encoding: str = AUTO
    separator: str = AUTO
    sheet: str = AUTO
    header_line: str = AUTO

    def __post_init__(self) -> None:
        if self.encoding not in {AUTO, *ENCODINGS}:
            raise ValueError(
                f"encoding must be one of {', '.join((AUTO, *ENCODINGS))}, got {self.encoding!r}"
            )
        if self.separator not in {AUTO, *SEPARATORS}:
            raise ValueError(
                f"separator must be one of {', '.join((AUTO, *SEPARATORS))}, got {self.separator!r}"
            )
        if self.header_line != AUTO and not (self.header_line.isdecimal() and len(self.header_line) < 8):
            raise ValueError(f"header_line must be auto, 0 or the number of a line, got {self.header_line!r}")

    def as_json(self) -> Json:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**stored)

    @property
    def header(self) -> int | None:
        return None if self.header_line == AUTO else int(self.header_line)


AUTOMATIC = TableChoices()


@dataclass(frozen=True, slots=True)
class Table:
    """columns: the header, or the keys of JSON. rows: (physical line, cells), with as many cells as columns.

    sheet, sheets: of a workbook; other_tables: its other sheets that hold a table. header_line: 0 if there is no header
    (has_header is then False). n_rows: None if the file does not say. value_labels: by column, the name of each value;
    missing: the values that the file declares missing; titles and levels: by column, what it says of the column and its
    scale.
    """

    columns: list[str]
    rows: Iterator[Record]
    encoding: str
    separator: str
    format: str = CSV
    sheet: str = ""
    sheets: Sequence[str] = ()
    other_tables: Sequence[str] = ()
    header_line: int = 0
    has_header: bool = True
    n_rows: int | None = None
    value_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    missing: Mapping[str, Set[str]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    places: Sequence[int] = ()
    dates: Set[int] = frozenset()

    @property
    def date_columns(self) -> list[str]:
        """Columns with a date among the rows read so far: Excel turns labels such as 1-2 into dates."""
        return [name for name, place in zip(self.columns, self.places, strict=False) if place in self.dates]


def open_any(
    source: Source,
    faults: Faults,
    *,
    choices: TableChoices = AUTOMATIC,
    max_rows: int,
    is_strict: bool = False,
) -> Table:
    """Open any file that contains a table, recognized by its content. Raises FileRefused if it can't be read.

    is_strict: for text formats, duplicate column names and nested JSON values are faults; otherwise such columns get
    numbers, and such values become cells of JSON.
    """
    found = format_of(source, faults)
    opened = _TableOpener(source, faults, choices, max_rows, is_strict)
    return _OPEN[found](opened)


@dataclass(frozen=True, slots=True)
class _TableOpener:
    source: Source
    faults: Faults
    choices: TableChoices
    max_rows: int
    is_strict: bool

    def text(self) -> Table:
        faults = self.faults
        encoding = encoding_of(self.source, self.choices.encoding, faults)
        lines = physical_lines(decoded(self.source, encoding, faults), faults)
        first = [*islice(lines, _SEPARATED)]
        separator = self.choices.separator
        if separator == AUTO:
            separator = _separator_of(first)
        records = DelimitedReader(chain(first, lines), separator, faults).records()
        looked_at = [*islice(records, ROWS_SAMPLED)]
        header = self._header(looked_at, list, is_sheet=False)
        columns = self._named(header)
        rows = filled_rows(limited_rows(chain(looked_at[header.n_before :], records), self.max_rows, faults))
        return Table(
            columns,
            kept_cells(rows, header, columns, faults),
            encoding,
            separator,
            header_line=header.line,
            has_header=header.line > 0,
        )

    def json_lines(self) -> Table:
        faults, is_strict = self.faults, self.is_strict
        encoding = encoding_of(self.source, self.choices.encoding, faults)
        lines = lf_lines(decoded(self.source, encoding, faults), faults)
        start = jsonlines.objects(islice(lines, ROWS_SAMPLED), Faults(), is_strict=is_strict)
        columns = jsonlines.keys_in(start)
        lines = lf_lines(decoded(self.source, encoding, faults), faults)
        records = jsonlines.objects(lines, faults, is_strict=is_strict)
        return self._of_objects(columns, records, encoding, JSON_LINES)

    def json_array(self) -> Table:
        cell = jsonlines.plain_cell if self.is_strict else jsonlines.json_cell
        encoding = encoding_of(self.source, self.choices.encoding, self.faults)
        start = islice(array_objects(self.source, encoding, cell, Faults()), ROWS_SAMPLED)
        try:
            columns = jsonlines.keys_in(start)
        except FileRefused as refused:
            self.faults.extend(refused.faults.listed, n=refused.faults.n)
            raise FileRefused(self.faults) from None
        records = array_objects(self.source, encoding, cell, self.faults)
        return self._of_objects(columns, records, encoding, JSON)

    def _of_objects(
        self, columns: list[str], records: Iterator[tuple[int, dict[str, str]]], encoding: str, format: str
    ) -> Table:
        check_header(1, columns, self.faults)
        rows = limited_rows(jsonlines.as_rows(records, columns, self.faults), self.max_rows, self.faults)
        return Table(columns, rows, encoding, "", format=format)

    def xlsx(self) -> Table:
        seen = SheetProperties()
        return self._sheet(xlsx_rows(self.source, self.choices.sheet, seen, self.faults), seen, XLSX)

    def ods(self) -> Table:
        seen = SheetProperties()
        return self._sheet(ods_rows(self.source, self.choices.sheet, seen, self.faults), seen, ODS)

    def xls(self) -> Table:
        seen = SheetProperties()
        return self._sheet(self._xls_rows(seen), seen, XLS)

    def _xls_rows(self, seen: SheetProperties) -> Rows:
        with as_path(self.source, ".xls") as path:
            output = output_of_program(
                "read_xls", [str(path), self.choices.sheet], "an Excel workbook", self.faults
            )
            sheets: Json = next(output, {"names": [], "tables": []})
            seen.names, seen.tables = sheets["names"], sheets["tables"]
            if self.choices.sheet not in {AUTO, *seen.names}:
                raise no_such_sheet(self.choices.sheet, seen.names, self.faults)
            about: Json = next(output, {"name": "", "merged": []})
            seen.name = about["name"]
            seen.merged = lambda: [(line, first, last) for line, first, last in about["merged"]]
            for block in output:
                seen.dates.update(block["dates"])
                for line, cells in block["rows"]:
                    while cells and not cells[-1]:
                        cells.pop()
                    if cells:
                        yield line, cells

    def _sheet(self, records: Rows, seen: SheetProperties, format: str) -> Table:
        looked_at = [*islice(records, ROWS_SAMPLED)]
        if not looked_at:
            rule = (
                "the sheet has no cells" if len(seen.names) == 1 else "the workbook has no sheet with cells"
            )
            raise self.faults.refuse(0, "", "", "empty_file", rule)
        header = self._header(looked_at, lambda: seen.merged(), is_sheet=True)
        columns = numbered(header.columns)
        check_header(header.line, columns, self.faults)
        rows = limited_rows(chain(looked_at[header.n_before :], records), self.max_rows, self.faults)
        return Table(
            columns,
            padded_rows(rows, header, self.faults),
            "",
            "",
            format=format,
            sheet=seen.name,
            sheets=[*seen.names],
            other_tables=[name for name in seen.tables if name != seen.name],
            header_line=header.line,
            has_header=header.line > 0,
            places=header.places,
            dates=seen.dates,
        )

    def spss(self) -> Table:
        return self._statistics(SPSS, "an SPSS file")

    def stata(self) -> Table:
        return self._statistics(STATA, "a Stata file")

    def _statistics(self, format: str, what: str) -> Table:
        about: Json = {}
        dates: set[int] = set()
        records = self._statistics_rows(format, what, about, dates)
        first = [*islice(records, 1)]
        columns: list[str] = about["columns"]
        check_header(0, columns, self.faults)
        return Table(
            columns,
            limited_rows(chain(first, records), self.max_rows, self.faults),
            about["encoding"],
            "",
            format=format,
            n_rows=about["n_rows"],
            value_labels=about["value_labels"],
            missing={column: frozenset(values) for column, values in about["missing"].items()},
            titles=about["titles"],
            levels=about["levels"],
            places=range(len(columns)),
            dates=dates,
        )

    def _statistics_rows(self, format: str, what: str, about: Json, dates: set[int]) -> Rows:
        encoding = self.choices.encoding
        encoding = _ICONV.get(encoding, encoding.upper() if encoding != AUTO else encoding)
        with as_path(self.source, f".{format}") as path:
            output = output_of_program("read_statistics", [str(path), format, encoding], what, self.faults)
            about.update(next(output))
            for block in output:
                dates.update(block["dates"])
                yield from map(tuple, block["rows"])

    def _header(self, looked_at: list[Record], merged: Merged, *, is_sheet: bool) -> Header:
        header = header_of(
            looked_at,
            self.choices.header,
            merged,
            is_sheet=is_sheet,
            may_lack_first=not is_sheet and not self.is_strict,
        )
        if header is not None:
            return header
        if looked_at:
            rule = f"line {self.choices.header_line} is not a header"
            raise self.faults.refuse(0, "", "", "no_header", rule)
        if self.faults:
            raise FileRefused(self.faults)
        raise self.faults.refuse(0, "", "", "empty_file", "the file is empty")

    def _named(self, header: Header) -> list[str]:
        columns = header.columns if self.is_strict else numbered(header.columns)
        check_header(header.line or 1, columns, self.faults)
        return columns


_OPEN: Mapping[str, Callable[[_TableOpener], Table]] = {
    CSV: _TableOpener.text,
    JSON_LINES: _TableOpener.json_lines,
    JSON: _TableOpener.json_array,
    XLSX: _TableOpener.xlsx,
    XLS: _TableOpener.xls,
    ODS: _TableOpener.ods,
    SPSS: _TableOpener.spss,
    STATA: _TableOpener.stata,
}


def _separator_of(lines: Sequence[tuple[str, str]]) -> str:
    """The separator that splits the most records into the same number of cells, and among those into the most cells."""

    def how_well(separator: str) -> tuple[int, int]:
        records: list[Record] = []
        # The last record may continue beyond these lines.
        with suppress(FileRefused):
            records.extend(DelimitedReader(iter(lines), separator, Faults()).records())
        widths = [len(cells) for _, cells in records if len(cells) > 1]
        most = max(set(widths), key=lambda width: (widths.count(width), width), default=0)
        return widths.count(most), most

    return max(SEPARATORS, key=how_well)


def open_table(
    source: Source, faults: Faults, *, encoding: str = AUTO, separator: str = AUTO, max_rows: int
) -> Table:
    """Open a delimited file. Raises FileRefused if it can't be read; other faults are collected."""
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
    check_header(line, columns, faults)
    rows = whole_rows(limited_rows(records, max_rows, faults), columns, faults)
    return Table(columns, rows, encoding, separator)


def open_json_lines(source: Source, faults: Faults, *, encoding: str = AUTO, max_rows: int) -> Table:
    """Open a file of JSON lines; its columns are the keys of the first thousand records."""
    choices = TableChoices(encoding=encoding)
    return _TableOpener(source, faults, choices, max_rows, is_strict=True).json_lines()


Line = tuple[str, str]


def _up_to_header(lines: Iterator[Line]) -> tuple[str, Iterator[Line]]:
    """The first line that is not blank, and all lines from the start."""
    passed: list[Line] = []
    for line in lines:
        passed.append(line)
        if line[0]:
            return line[0], chain(passed, lines)
        if len(passed) > ROWS_SAMPLED:
            break
    return "", chain(passed, lines)
