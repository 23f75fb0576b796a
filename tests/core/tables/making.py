"""Files of every format, made for a test; and what becomes of them."""

import io
import zipfile
from pathlib import Path

import openpyxl
import pytest

from core.tables.faults import Faults, FileRefused
from core.tables.sources import bytes_of
from core.tables.table import Table, TableChoices, open_any

# Written by xlwt: a merged header over two columns, a date, whole and other numbers, booleans, and an empty sheet.
OLD_EXCEL = Path(__file__).with_name("ratings.xls").read_bytes()

_SHEET = '<sheet name="Data" r:id="r1"/>'
_ODS_NAMES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {"office": "office", "table": "table", "text": "text"}.items()
)


def opened(content: bytes, *, max_rows: int = 100_000, is_strict: bool = False, **choices: str) -> Table:
    source = bytes_of(content)
    return open_any(source, Faults(), choices=TableChoices(**choices), max_rows=max_rows, is_strict=is_strict)


def cells(table: Table) -> list[list[str]]:
    return [row for _, row in table.rows]


def read(content: bytes, **choices: str) -> tuple[list[str], list[list[str]]]:
    table = opened(content, **choices)
    return table.columns, cells(table)


def refusal(content: bytes, **options) -> tuple[str, str]:
    """Code and sentence of what stops the reading, be it at the beginning or later."""
    faults = Faults()
    with pytest.raises(FileRefused):
        read_strictly(in_blocks(content), faults, **options)
    fault = faults.listed[-1]
    return fault.code, str(fault)


def read_strictly(
    source, faults: Faults, *, max_rows: int = 100_000, is_strict: bool = False, **choices: str
) -> None:
    """All rows; raises FileRefused for gathered faults too, as imports do."""
    table = open_any(source, faults, choices=TableChoices(**choices), max_rows=max_rows, is_strict=is_strict)
    for _ in table.rows:
        pass
    if faults:
        raise FileRefused(faults)


def in_blocks(content: bytes):
    return lambda: (content[start : start + 65_536] for start in range(0, len(content), 65_536))


def xlsx(*rows, change=lambda sheet: None, **sheets) -> bytes:
    """A workbook with one sheet of these rows, or with several by name."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, content in (sheets or {"Data": rows}).items():
        sheet = book.create_sheet(name)
        for row in content:
            sheet.append(row)
        change(sheet)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def zipped(files: dict[str, str | bytes], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def xlsx_by_hand(sheet: str, **parts: str | bytes) -> bytes:
    """A workbook with the XML of its one sheet, and of other parts of xl/."""
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    links = "".join(
        f'<Relationship Id="{key}" Type="{relations}/{kind}" Target="{target}"/>'
        for key, kind, target in [
            ("r1", "worksheet", "worksheets/sheet1.xml"),
            ("r2", "sharedStrings", "sharedStrings.xml"),
            ("r3", "styles", "styles.xml"),
        ]
    )
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "xl/workbook.xml": f'<workbook xmlns:r="{relations}"><sheets>{_SHEET}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f"<Relationships>{links}</Relationships>",
            "xl/worksheets/sheet1.xml": sheet,
            **{f"xl/{name}.xml": content for name, content in parts.items()},
        }
    )


def ods(*rows: str, manifest: str = "<manifest/>", **tables: str) -> bytes:
    """An OpenDocument spreadsheet of rows in XML, or of several tables."""
    written = "".join(
        f'<table:table table:name="{name}">{content}</table:table>'
        for name, content in (tables or {"Data": "".join(rows)}).items()
    )
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "META-INF/manifest.xml": manifest,
            "content.xml": f"<office:document-content {_ODS_NAMES}><office:body><office:spreadsheet>{written}"
            "</office:spreadsheet></office:body></office:document-content>",
        }
    )


def ods_row(*texts: str, repeated: int = 1) -> str:
    row = "".join(
        f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
        for text in texts
    )
    return f'<table:table-row table:number-rows-repeated="{repeated}">{row}</table:table-row>'
