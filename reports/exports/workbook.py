"""All tables of a report as an Excel workbook without formulas, one sheet each."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import xlsxwriter

from core.tables.safe_cells import Cell, safe_cell
from reports.exports.result_tables import ResultTable, tables_of
from reports.models import Report

# A sheet could have ten times as many rows, but would take minutes to write and open; the CSV files have all rows.
MAX_ROWS = 100_000
# The limit of a cell.
MAX_CELL = 32_767
BLOCK = 1 << 16
# Rows are written to a file as they come, and text is never interpreted as anything else.
OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def workbook(report: Report) -> Iterator[bytes]:
    with tempfile.TemporaryDirectory(prefix="workbook-") as folder:
        path = Path(folder) / "report.xlsx"
        _write(report, path, folder)
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                yield block


def _write(report: Report, path: Path, folder: str) -> None:
    with xlsxwriter.Workbook(str(path), {**OPTIONS, "tmpdir": folder}) as book:
        title = f"Interrater agreement: {report.project.name}" + (f" – {report.name}" if report.name else "")
        book.set_properties({"title": title, "comments": f"digest {report.digest}"})
        bold = book.add_format({"bold": True})
        tables = tables_of(report)
        about = book.add_worksheet("about")
        cut: list[str] = []
        for table in tables:
            if _write_sheet(book.add_worksheet(table.name), table, bold):
                cut.append(table.name)
        _write_about(about, tables, cut, bold)


def _write_sheet(sheet: Any, table: ResultTable, bold: Any) -> bool:
    """Write a table and return whether it had more rows than were written."""
    sheet.freeze_panes(1, 0)
    for place, column in enumerate(table.columns):
        sheet.write_string(0, place, column.name, bold)
    for n, row in enumerate(table.rows(), start=1):
        if n > MAX_ROWS:
            return True
        for place, cell in enumerate(row):
            _write_cell(sheet, n, place, cell)
    return False


def _write_cell(sheet: Any, row: int, column: int, cell: Cell) -> None:
    if isinstance(cell, str):
        if cell:
            sheet.write_string(row, column, safe_cell(cell)[:MAX_CELL])
    elif cell is not None:
        sheet.write_number(row, column, cell)


def _write_about(sheet: Any, tables: list[ResultTable], cut: list[str], bold: Any) -> None:
    rows = [(name, what) for table in tables for name, what in _about(table, is_cut=table.name in cut)]
    for place, name in enumerate(("sheet or column", "description")):
        sheet.write_string(0, place, name, bold)
    for n, (name, what) in enumerate(rows, start=1):
        sheet.write_string(n, 0, name)
        sheet.write_string(n, 1, what)


def _about(table: ResultTable, *, is_cut: bool) -> Iterator[tuple[str, str]]:
    rest = f" Limited to the first {MAX_ROWS:,} rows; the CSV files contain all rows." if is_cut else ""
    yield table.name, table.what + rest
    for column in table.columns:
        yield f"  {column.name}", column.what
