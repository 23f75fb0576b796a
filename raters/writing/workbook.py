"""Excel: a sheet of all rows, a wide one of labels, and the codebook; no formula in any of them."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import xlsxwriter

from core.tables.safe_cells import Cell, safe_cell
from raters.writing.contents import MAX_CELL, Contents
from raters.writing.records import What, written
from raters.writing.source import LiveLabels
from raters.writing.tables import item_columns, places_of, rows_of, whole, wide_head, wide_rows
from raters.writing.target import Loss, Target

# Of a sheet, with its head.
MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384
BLOCK = 1 << 16
# Rows go to a file as they are written, and a text stays a text, whatever it looks like.
OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
_CODEBOOK = ("question", "prompt", "kind", "level", "category", "name", "value", "missing")


def _workbook(live: LiveLabels) -> Iterator[bytes]:
    with tempfile.TemporaryDirectory(prefix="labels-") as folder:
        path = Path(folder) / "labels.xlsx"
        with xlsxwriter.Workbook(str(path), {**OPTIONS, "tmpdir": folder}) as book:
            _write(book, live)
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                yield block


def _write(book: Any, live: LiveLabels) -> None:
    bold = book.add_format({"bold": True})
    what = live.scope.what
    _write_sheet(
        book.add_worksheet("final labels" if what is What.FINAL else what.value), rows_of(live), bold
    )
    if what is What.LABELS and len(columns := live.columns()) < MAX_COLUMNS:
        rows = wide_rows(live.labels(), places_of(columns))
        _write_sheet(book.add_worksheet("wide"), _headed(wide_head(columns, live.n_questions), rows), bold)
    if what is not What.ITEMS:
        _write_sheet(book.add_worksheet("codebook"), _headed(_CODEBOOK, _codebook(live)), bold)


def _headed(head: Sequence[Cell], rows: Iterable[Sequence[Cell]]) -> Iterator[Iterable[Cell]]:
    yield head
    yield from rows


def _codebook(live: LiveLabels) -> Iterator[Sequence[Cell]]:
    for question in live.scope.questions:
        about = (question.key, question.prompt, question.kind, question.level)
        for key, title, value, is_missing in question.categories:
            yield *about, key, title, value, "yes" if is_missing else None
        if not question.categories:
            yield *about, None, None, None, " ".join(map(written, question.missing_numbers))


def _write_sheet(sheet: Any, rows: Iterable[Iterable[Cell]], bold: Any) -> None:
    sheet.freeze_panes(1, 0)
    for n, row in enumerate(rows):
        if n >= MAX_ROWS:
            # Refused before, as far as was known then.
            raise ValueError(f"a sheet has at most {MAX_ROWS:,} rows")
        for place, cell in enumerate(row):
            if isinstance(cell, str):
                if cell:
                    sheet.write_string(n, place, safe_cell(cell)[:MAX_CELL], bold if n == 0 else None)
            elif cell is not None:
                sheet.write_number(n, place, cell)


def _loses(contents: Contents) -> list[Loss]:
    losses = whole(contents)
    if contents.scope.what is What.ITEMS:
        cut = f"cut to {MAX_CELL:,} characters"
        losses.append(Loss(contents.counts["long_texts"], "long texts", cut))
    if len(contents.columns) >= MAX_COLUMNS:
        losses.append(Loss(1, "sheets with a column per rater", "left out, since there are too many columns"))
    return losses


def _refuses(contents: Contents) -> str:
    n_rows = contents.n
    if not contents.is_counted:
        # An item has one final label per question, and none without a label.
        n_rows = min(contents.counts["labels"], contents.counts["items"] * len(contents.questions))
    if n_rows >= MAX_ROWS:
        most = "" if contents.is_counted else "up to "
        return (
            f"A sheet of Excel has at most {MAX_ROWS:,} rows, and this would have {most}{n_rows + 1:,}. "
            "Select fewer rounds or questions, or another format."
        )
    if contents.scope.what is What.ITEMS and len(item_columns(contents.fields)) > MAX_COLUMNS:
        return f"A sheet of Excel has at most {MAX_COLUMNS:,} columns. Select another format."
    return ""


EXCEL = Target(
    "xlsx",
    "Excel",
    "A workbook with one row per label, final label, or item; of labels also a wide sheet, and the codebook.",
    "xlsx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    tuple(What),
    _loses,
    _workbook,
    _refuses,
    hint="Contains no formulas. Text that could be read as a formula starts with an apostrophe.",
)
