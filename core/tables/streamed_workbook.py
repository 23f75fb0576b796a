"""Writes an Excel workbook as a stream: sheets of texts and numbers with a frozen header row.

It uses these parts of ECMA-376: the package of a workbook, its styles, and sheets of inline strings. Libraries that
write workbooks assemble the package at the end, so that nothing could be sent before.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from io import RawIOBase
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from core.tables.safe_cells import Cell, safe_cell

# Limits for the rows of a sheet, including its header, and for a text in a cell.
MAX_ROWS, MAX_COLUMNS, MAX_CELL = 1_048_576, 16_384, 32_767
# Characters of a sheet to compress at once. Level 1 takes half the time of level 6.
_BLOCK = 1 << 18
_LEVEL = 1
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
# Characters that XML can't contain are written as escapes, and so is text that looks like an escape.
_UNWRITABLE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]")
_STYLES = (
    f'{_HEAD}<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
_BEFORE = (
    f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>'
)
_AFTER = "</sheetData></worksheet>"


_CORE_TYPE = (
    '<Override PartName="/docProps/core.xml" '
    'ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>'
)
_CORE_RELATION = (
    f'<Relationship Id="rId2" Type="{_PACKAGE}/relationships/metadata/core-properties" '
    'Target="docProps/core.xml"/>'
)


class Sheet(NamedTuple):
    """rows: the header first. Texts are cut to `MAX_CELL` characters, and none is ever run as a formula.

    is_written_last: its rows are read after those of all others, wherever it is among the sheets.
    """

    name: str
    rows: Iterable[Iterable[Cell]]
    is_written_last: bool = False


class WorkbookProperties(NamedTuple):
    """What a workbook says of itself."""

    title: str
    description: str


class _OutputBuffer(RawIOBase):
    """Written output that is not sent yet. It can't seek, so sizes follow the data they describe."""

    def __init__(self) -> None:
        self.blocks: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, block: bytes) -> int:  # type: ignore[override]
        self.blocks.append(bytes(block))
        return len(block)

    def take(self) -> bytes:
        blocks, self.blocks = self.blocks, []
        return b"".join(blocks)


def workbook_of(sheets: Sequence[Sheet], properties: WorkbookProperties | None = None) -> Iterator[bytes]:
    """Raises ValueError for a sheet with more than `MAX_ROWS` rows."""
    sent = _OutputBuffer()
    with ZipFile(sent, "w", ZIP_DEFLATED, compresslevel=_LEVEL) as package:
        for name, content in _parts([sheet.name for sheet in sheets], properties):
            package.writestr(_part(name), content, compresslevel=_LEVEL)
        yield sent.take()
        numbered = sorted(enumerate(sheets, start=1), key=lambda pair: pair[1].is_written_last)
        for number, sheet in numbered:
            with package.open(_part(f"xl/worksheets/sheet{number}.xml"), "w", force_zip64=True) as part:
                for block in _blocks(sheet.rows):
                    part.write(block.encode())
                    if sent.blocks:
                        yield sent.take()
    yield sent.take()


def _part(name: str) -> ZipInfo:
    """Without a timestamp, so that equal sheets give equal files."""
    part = ZipInfo(name)
    part.compress_type, part._compresslevel = ZIP_DEFLATED, _LEVEL  # type: ignore[attr-defined]
    return part


def _parts(names: Sequence[str], properties: WorkbookProperties | None) -> Iterator[tuple[str, str]]:
    has_core = properties is not None
    numbers = range(1, len(names) + 1)
    sheets = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        for n in numbers
    )
    yield (
        "[Content_Types].xml",
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>{sheets}'
        f"{_CORE_TYPE if has_core else ''}</Types>",
    )
    yield (
        "_rels/.rels",
        f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/>'
        f"{_CORE_RELATION if has_core else ''}</Relationships>",
    )
    if properties is not None:
        yield "docProps/core.xml", _core(properties)
    listed = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{n}" r:id="rId{n}"/>'
        for n, name in zip(numbers, names, strict=True)
    )
    yield (
        "xl/workbook.xml",
        f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>{listed}</sheets></workbook>',
    )
    targets = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in numbers
    )
    yield (
        "xl/_rels/workbook.xml.rels",
        f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{targets}'
        f'<Relationship Id="rId{len(names) + 1}" Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>',
    )
    yield "xl/styles.xml", _STYLES


def _core(properties: WorkbookProperties) -> str:
    title, description = (escape(_UNWRITABLE.sub("", text)) for text in properties)
    return (
        f'{_HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title>'
        f"<dc:description>{description}</dc:description></cp:coreProperties>"
    )


def _blocks(rows: Iterable[Iterable[Cell]]) -> Iterator[str]:
    held, size, columns = [_BEFORE], 0, _Columns()
    for number, row in enumerate(rows, start=1):
        if number > MAX_ROWS:
            # Checked before, as far as the number of rows was known then.
            raise ValueError(f"a sheet has at most {MAX_ROWS:,} rows")
        style = ' s="1"' if number == 1 else ""
        cells = "".join(
            _cell(f"{columns[place]}{number}", cell, style)
            for place, cell in enumerate(row)
            if cell is not None and cell != ""
        )
        text = f'<row r="{number}">{cells}</row>'
        held.append(text)
        size += len(text)
        if size > _BLOCK:
            yield "".join(held)
            held, size = [], 0
    yield "".join([*held, _AFTER])


def _cell(at: str, cell: str | float, style: str) -> str:
    if not isinstance(cell, str):
        return f'<c r="{at}"><v>{+cell!r}</v></c>'
    text = _UNWRITABLE.sub(_by_number, safe_cell(cell)[:MAX_CELL])
    return f'<c r="{at}"{style} t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def _by_number(found: re.Match[str]) -> str:
    return f"_x{ord(found[0]):04X}_"


class _Columns(dict[int, str]):
    """The letters of a column by its position: A, B, …, Z, AA."""

    def __missing__(self, place: int) -> str:
        letters, rest = "", place + 1
        while rest:
            rest, letter = divmod(rest - 1, 26)
            letters = chr(ord("A") + letter) + letters
        self[place] = letters
        return letters
