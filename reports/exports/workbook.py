"""All tables of a report as an Excel workbook without formulas, one sheet each, sent while it is made."""

from collections.abc import Iterable, Iterator
from itertools import islice

from core.tables.safe_cells import Cell
from core.tables.streamed_workbook import Sheet, WorkbookProperties, workbook_of
from reports.exports.result_tables import ResultTable, tables_of
from reports.models import Report

# A sheet could have ten times as many rows, but would take minutes to open; the CSV files have all rows.
MAX_ROWS = 100_000


def workbook(report: Report) -> Iterator[bytes]:
    title = f"Interrater agreement: {report.project_name}" + (f" – {report.name}" if report.name else "")
    tables = tables_of(report)
    cut: list[str] = []
    about = Sheet("about", _about_all(tables, cut), is_written_last=True)
    sheets = [about, *(Sheet(table.name, _rows(table, cut)) for table in tables)]
    yield from workbook_of(sheets, WorkbookProperties(title, f"digest {report.digest}"))


def _rows(table: ResultTable, cut: list[str]) -> Iterator[Iterable[Cell]]:
    """Yield the header and the rows of a table; if there are too many, its name is added to `cut`."""
    yield [column.name for column in table.columns]
    rows = iter(table.rows())
    yield from islice(rows, MAX_ROWS)
    if next(rows, None) is not None:
        cut.append(table.name)


def _about_all(tables: list[ResultTable], cut: list[str]) -> Iterator[tuple[str, str]]:
    yield "sheet or column", "description"
    for table in tables:
        yield from _about(table, is_cut=table.name in cut)


def _about(table: ResultTable, *, is_cut: bool) -> Iterator[tuple[str, str]]:
    rest = f" Limited to the first {MAX_ROWS:,} rows; the CSV files contain all rows." if is_cut else ""
    yield table.name, table.what + rest
    for column in table.columns:
        yield f"  {column.name}", column.what
