"""Workbooks that are sent while they are written, read by two programs that are not ours."""

import io
import zipfile
from itertools import repeat

import openpyxl
import pytest
from python_calamine import CalamineWorkbook

from core.tables.streamed_workbook import MAX_CELL, MAX_ROWS, Sheet, workbook_of
from tests.sizes import only_in_full

TEXTS = [
    "plain",
    " with spaces ",
    "a\nb",
    "a\tb",
    "<b>&amp;\"'",
    "日本語 🙂",
    "_x0041_",
    "a\rb",
    "\x01\x1f",
    "1",
    "#N/A",
]
NUMBERS = [0, 1, -1, 10**15, 0.1, -2.5e-7, 1e22, 123456789.123]


def written(*sheets: Sheet) -> bytes:
    return b"".join(workbook_of(sheets))


def opened(content: bytes):
    return openpyxl.load_workbook(io.BytesIO(content), read_only=False)


def test_texts_and_numbers_are_what_they_were():
    content = written(
        Sheet("texts", [["text"], *([text] for text in TEXTS)]), Sheet("numbers", [["n"], NUMBERS])
    )

    texts = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_name("texts")
    assert [row[0] for row in texts.to_python()[1:]] == TEXTS
    numbers = opened(content)["numbers"]
    assert next(numbers.iter_rows(min_row=2, values_only=True)) == tuple(NUMBERS)


def test_another_reader_sees_the_same():
    content = written(Sheet("mixed", [["a", "b", "c"], ["x", None, 2], [None, "", "y"]]))

    sheet = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_name("mixed")

    assert sheet.to_python() == [["a", "b", "c"], ["x", "", 2.0], ["", "", "y"]]


def test_the_head_is_bold_and_stays_in_view():
    sheet = opened(written(Sheet("labels", [["item"], ["1"]])))["labels"]

    assert sheet["A1"].font.bold
    assert not sheet["A2"].font.bold
    assert sheet.freeze_panes == "A2"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@sum(a)", "＝1"])
def test_no_text_is_a_formula(text):
    [cell] = opened(written(Sheet("s", [["head"], [text]])))["s"][2]

    assert cell.value == f"'{text}"
    assert cell.data_type != "f"


def test_wide_sheets_have_the_columns_of_a_spreadsheet():
    row = [f"c{n}" for n in range(1, 705)]
    sheet = opened(written(Sheet("wide", [row])))["wide"]

    assert [sheet[at].value for at in ("A1", "Z1", "AA1", "AZ1", "ZZ1", "AAA1")] == [
        "c1", "c26", "c27", "c52", "c702", "c703"
    ]  # fmt: skip


def test_a_text_is_cut_where_a_cell_ends():
    [cell] = opened(written(Sheet("s", [["head"], ["x" * (MAX_CELL + 5)]])))["s"][2]

    assert len(cell.value) == MAX_CELL


def test_it_is_sent_while_it_is_written():
    """The first bytes are there before the rows are, and what waits is never more than a few blocks."""
    asked = 0

    def rows():
        nonlocal asked
        for n in range(50_000):
            asked = n
            yield [f"item-{n}", n * n, "a text that does not compress to nothing"]

    blocks = workbook_of([Sheet("labels", rows())])
    first = next(blocks)

    assert first.startswith(b"PK")
    assert asked < 10_000
    content = first + b"".join(blocks)
    assert zipfile.ZipFile(io.BytesIO(content)).testzip() is None


def test_equal_sheets_are_equal_files():
    sheet = Sheet("labels", [["item"], ["1"]])

    assert written(sheet) == written(sheet)


@only_in_full
def test_more_rows_than_a_sheet_has_are_refused():
    with pytest.raises(ValueError, match="at most"):
        for _ in workbook_of([Sheet("long", repeat([1], MAX_ROWS + 1))]):
            pass
