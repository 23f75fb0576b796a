"""Workbooks: XLSX, XLS and ODS; values, sheets, headers, and files made to do harm."""

import datetime
import io
import struct
import zipfile

import pytest

from core.tables import unzipping
from tests.core.tables.making import (
    OLD_EXCEL,
    cells,
    ods,
    ods_row,
    opened,
    read,
    refusal,
    xlsx,
    xlsx_by_hand,
    zipped,
)

ENTITY = '<!DOCTYPE x [<!ENTITY file SYSTEM "file:///etc/passwd">]>'
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'


def merge(*ranges):
    def change(sheet):
        for cells_ in ranges:
            sheet.merge_cells(cells_)

    return change


def test_values_of_excel_are_texts_as_people_write_them():
    when = datetime.datetime(2026, 2, 1, 3, 4, 5)  # noqa: DTZ001  Excel has no zones.
    row = ["001", 1.0, 4.6, True, datetime.date(2026, 2, 1), when, datetime.time(9, 30), "#N/A", "a_x0041_"]

    table = opened(xlsx(["id", "a", "b", "c", "d", "e", "f", "g", "h"], row))

    assert (table.format, table.sheet, table.sheets, table.header_line) == ("xlsx", "Data", ["Data"], 1)
    assert cells(table) == [
        ["001", "1", "4.6", "TRUE", "2026-02-01", "2026-02-01T03:04:05", "09:30:00", "#N/A", "aA"]
    ]
    assert table.date_columns == ["d", "e", "f"]


def test_a_label_that_excel_made_a_date_of_is_known():
    table = opened(xlsx(["item", "label"], ["a", "yes"], ["b", datetime.date(2026, 1, 2)]))

    list(table.rows)

    assert table.date_columns == ["label"]


def test_a_formula_is_its_stored_value_and_never_computed():
    header = f"<row>{cell('A1', 'item')}{cell('B1', 'n')}</row>"

    def with_formula(formula):
        return xlsx_by_hand(sheet_of(f"{header}<row>{cell('A2', 'a')}{formula}</row>"))

    assert read(with_formula("<c><f>1+1</f><v>2</v></c>"))[1] == [["a", "2"]]
    code, sentence = refusal(with_formula("<c><f>1+1</f></c>"))
    assert (code, sentence.startswith("line 2, column B")) == ("formula_without_value", True)


def test_texts_are_put_together_without_hints_of_pronunciation():
    sheet = (
        '<x:worksheet xmlns:x="m"><x:sheetData>'
        '<x:row r="2"><x:c r="B2" t="s"><x:v>0</x:v></x:c></x:row>'
        '<x:row r="4"><x:c r="B4" t="inlineStr"><x:is><x:t>in line</x:t></x:is></x:c></x:row>'
        "</x:sheetData></x:worksheet>"
    )
    hint = "<rPh sb='0' eb='2'><t>x</t></rPh>"
    texts = f"<sst><si><r><t>東</t></r><r><t xml:space='preserve'> 京</t></r>{hint}</si></sst>"

    table = opened(xlsx_by_hand(sheet, sharedStrings=texts))

    assert (table.columns, table.header_line) == (["東 京"], 2)
    assert list(table.rows) == [(4, ["in line"])]


def test_dates_count_from_1904_where_the_workbook_says_so():
    content = xlsx(["item", "when"], ["a", datetime.date(2026, 2, 1)])
    assert read(content)[1] == [["a", "2026-02-01"]]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["xl/workbook.xml"] = files["xl/workbook.xml"].replace(
        b"<workbookPr", b'<workbookPr date1904="1"', 1
    )

    assert read(zipped(files))[1] == [["a", "2030-02-02"]]


def test_titles_merged_groups_and_empty_edges():
    content = xlsx(
        ["Ratings of 2026"],
        [],
        ["item", "Anna", None, "Ben", None, None, None],
        [None, "tone", "food", "tone", "food"],
        ["a", 1, 2, 1, 1],
        [None, None],
        ["b", 1, None, 2, ""],
        [None],
        change=merge("A1:E1", "A3:A4", "B3:C3", "D3:E3"),
    )

    table = opened(content)

    assert table.columns == ["item", "Anna tone", "Anna food", "Ben tone", "Ben food"]
    assert table.header_line == 4
    assert list(table.rows) == [(5, ["a", "1", "2", "1", "1"]), (7, ["b", "1", "", "2", ""])]


def test_merged_cells_of_a_large_sheet_are_looked_for_behind_its_rows():
    rows = [[f"i{n}", 1, 2] for n in range(2_000)]

    assert read(xlsx(["item", "Anna", None], *rows, change=merge("B1:C1")))[0] == ["item", "Anna", "Anna (2)"]


def test_the_first_sheet_with_cells_is_read_or_the_one_that_is_chosen():
    content = xlsx(Notes=[], Anna=[["item", "label"], ["a", 1]], Ben=[["item", "label"], ["a", 2]])

    table = opened(content)

    assert (table.sheet, table.sheets, cells(table)) == ("Anna", ["Notes", "Anna", "Ben"], [["a", "1"]])
    assert read(content, sheet="Ben")[1] == [["a", "2"]]
    assert refusal(content, sheet="Cem")[0] == "unknown_sheet"
    assert refusal(content, sheet="Notes")[0] == "empty_file"


def test_notes_before_the_table_are_not_read():
    notes = [["How to use this workbook"], ["Code each document."], ["Questions: ask us."]]
    codes = [["Codes of 2026"], [], ["item", "Anna", "Ben"], ["a", 1, 2], ["b", 1, 1]]
    more = [["item", "Anna"], ["c", 2]]

    table = opened(xlsx(**{"Read me": notes, "Codes": codes, "More": more}))
    of_ods = opened(
        ods(Notes=ods_row("one") + ods_row("two"), A=ods_row("id", "x") + ods_row("a", "1", repeated=2))
    )

    assert (table.sheet, table.header_line, table.other_tables) == ("Codes", 3, ["More"])
    assert (of_ods.sheet, of_ods.columns, of_ods.other_tables) == ("A", ["id", "x"], [])
    assert opened(xlsx(Notes=notes, More=[["one"], ["two"]])).sheet == "Notes"


def test_a_sheet_that_cannot_be_read_is_not_skipped():
    wide = [["x"] * 2_001, ["y"] * 2_001]

    assert refusal(xlsx(Wide=wide, Small=[["item", "label"], ["a", "yes"]]))[0] == "too_many_columns"


def test_a_cell_outside_of_the_table_is_a_fault_of_its_row():
    rows = [[f"i{n}", "yes"] for n in range(1_500)]

    code, sentence = refusal(xlsx(["item", "label"], *rows, ["b", "no", None, "a remark"]))

    assert (code, sentence.startswith("line 1,502")) == ("extra_cells", True)


def test_old_excel():
    table = opened(OLD_EXCEL)

    assert (table.format, table.sheet, table.sheets) == ("xls", "Ratings", ["Ratings", "Empty"])
    assert table.columns == ["item", "Anna", "Anna (2)", "when", "sure"]
    assert list(table.rows) == [
        (2, ["001", "1", "4.6", "2026-02-01", "TRUE"]),
        (3, ["b", "2", "x", "2026-02-02", "FALSE"]),
    ]
    assert table.date_columns == ["when"]
    assert refusal(OLD_EXCEL, sheet="Other")[0] == "unknown_sheet"
    assert refusal(OLD_EXCEL, sheet="Empty")[0] == "empty_file"


def test_open_document():
    values = (
        '<table:table-row><table:table-cell office:value-type="float" office:value="1.0"><text:p>1</text:p>'
        '</table:table-cell><table:table-cell office:value-type="date" office:date-value="2026-02-01"/>'
        '<table:table-cell office:value-type="boolean" office:boolean-value="true"/>'
        '<table:table-cell office:value-type="time" office:time-value="PT09H30M00S"/>'
        '<table:table-cell office:value-type="string"><office:annotation><text:p>no</text:p></office:annotation>'
        '<text:p>two<text:s text:c="2"/>spaces</text:p><text:p>and <text:span>lines</text:span></text:p>'
        '</table:table-cell><table:table-cell table:number-columns-repeated="16379"/></table:table-row>'
    )
    empty = '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row>'

    table = opened(ods(ods_row("a", "b", "c", "d", "e"), values, ods_row("x", repeated=2), empty))

    assert (table.format, table.sheets, table.columns) == ("ods", ["Data"], ["a", "b", "c", "d", "e"])
    assert list(table.rows) == [
        (2, ["1", "2026-02-01", "TRUE", "09:30:00", "two  spaces\nand lines"]),
        (3, ["x", "", "", "", ""]),
        (4, ["x", "", "", "", ""]),
    ]
    assert table.date_columns == ["b"]


def test_a_sheet_of_open_document_is_chosen():
    content = ods(One="", Two=ods_row("item") + ods_row("a"), Three=ods_row("item") + ods_row("b"))

    assert (opened(content).sheet, read(content)[1]) == ("Two", [["a"]])
    assert read(content, sheet="Three")[1] == [["b"]]
    assert refusal(content, sheet="Four")[0] == "unknown_sheet"


def sheet_of(row: str) -> str:
    return f"<worksheet><sheetData>{row}</sheetData></worksheet>"


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="str"><v>{text}</v></c>'


GOOD = xlsx(["item", "label"], *[[f"i{n}", "yes"] for n in range(300)])
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
HARM = {
    "cut off": (GOOD[:-200], "damaged_file"),
    "cut off at the beginning": (GOOD[:100], "damaged_file"),
    "cut off, old Excel": (OLD_EXCEL[:2_000], "not_a_table"),
    "zeros in old Excel": (OLD_EXCEL[:512] + bytes(200) + OLD_EXCEL[712:], "damaged_file"),
    "bytes changed": (GOOD.replace(b"xl/worksheets", b"xl/workshoots", 1), "damaged_file"),
    "encrypted XLSX": (OLE + b"\0" * 500 + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
    "a document of Word": (OLE + b"\0" * 500 + "WordDocument".encode("utf-16-le"), "not_a_table"),
    "encrypted ODS": (ods(ods_row("a"), manifest="<m><encryption-data/></m>"), "encrypted"),
    "external entity": (xlsx_by_hand(ENTITY + sheet_of("<row/>")), "document_type"),
    "entities of entities": (
        xlsx_by_hand(sheet_of("<row/>"), sharedStrings=LAUGHS + "<sst/>"),
        "document_type",
    ),
    "external entity in ODS": (
        zipped(
            {"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": ENTITY + "<x/>"}
        ),
        "document_type",
    ),
    "no XML": (xlsx_by_hand("not XML"), "damaged_file"),
    "unknown shared text": (xlsx_by_hand(sheet_of('<row><c t="s"><v>7</v></c></row>')), "damaged_file"),
    "a cell far to the right": (
        xlsx_by_hand(sheet_of(f"<row>{cell('XFD1', 'x')}</row>")),
        "too_many_columns",
    ),
    "10,000 columns": (xlsx([f"c{n}" for n in range(10_000)]), "too_many_columns"),
    "10,000 columns in ODS": (
        ods(
            '<table:table-row><table:table-cell office:value-type="float" office:value="1" '
            'table:number-columns-repeated="10000"/></table:table-row>'
        ),
        "too_many_columns",
    ),
    "a million equal rows in ODS": (ods(ods_row("item"), ods_row("a", repeated=1_000_000)), "too_many_rows"),
    "a cell without end": (xlsx_by_hand(sheet_of(f"<row>{cell('A1', 'x' * 2_100_000)}</row>")), "too_long"),
    "empty workbook": (xlsx(), "empty_file"),
    "header only": (xlsx(["item", "label"]), "no_rows"),
    "nothing but a title": (ods(ods_row("item")), "no_rows"),
    "a ZIP archive": (zipped({"labels.csv": "item,label\n"}), "not_a_table"),
    "a text document": (zipped({"[Content_Types].xml": "", "word/document.xml": ""}), "not_a_table"),
    "a binary workbook": (zipped({"xl/workbook.bin": ""}), "not_a_table"),
    "gigabytes in little": (zipped({"xl/worksheets/sheet1.xml": b"\0" * 64 * 1024**2}), "zip_too_large"),
    "a PDF": (b"%PDF-1.7\n...", "not_a_table"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "not_a_table"),
    "noise": (bytes(range(256)) * 10, "not_a_table"),
    "a web page": (b" <html><table><tr><td>item", "not_a_table"),
    "gzip": (b"\x1f\x8b\x08" + b"\0" * 20, "not_a_table"),
}


@pytest.mark.parametrize("name", HARM)
def test_harm_is_refused_in_one_sentence(name):
    content, code = HARM[name]

    found, sentence = refusal(content)

    assert found == code
    assert "\n" not in sentence
    assert len(sentence) < 300


def test_a_directory_that_states_gigabytes_is_believed_before_anything_is_unpacked():
    content = bytearray(GOOD)
    at = content.rfind(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<L", 3 * 1024**3)

    assert refusal(bytes(content))[0] == "zip_too_large"


def test_a_directory_of_a_million_files_is_not_read(monkeypatch):
    monkeypatch.setattr(unzipping, "_MAX_DIRECTORY", 200)

    assert refusal(GOOD)[0] == "too_many_files"


def test_1e400_and_other_odd_numbers_stay_as_they_are():
    row = "".join(
        f"<c><v>{number}</v></c>" for number in ("1e400", "nan", "1.0", "4.5999999999999996", "1E3")
    )
    names = "".join(cell(f"{letter}1", letter) for letter in "abcde")

    content = xlsx_by_hand(sheet_of(f"<row>{names}</row><row>{row}</row>"))

    assert read(content)[1] == [["1e400", "nan", "1", "4.6", "1000"]]
