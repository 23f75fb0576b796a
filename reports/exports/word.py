"""Method, results, and the table of a report as a Word document."""

import io
import re
from typing import Any

from docx import Document
from docx.document import Document as WordDocument
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_COLOR_INDEX
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Inches, Pt
from docx.table import Table, _Row
from docx.text.paragraph import Paragraph

from reports.models import Report
from reports.results.marked import runs
from reports.results.paper import N_WORD_COLUMNS, PaperTable, table_of
from reports.results.prose import Style, prose_of

# Column widths in inches; together as wide as the text.
WIDTHS = (0.85, 1.3, 0.6, 1.2, 0.6, 0.65, 0.8)
# Characters that XML cannot contain.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def word_document(report: Report) -> bytes:
    document = Document()
    prose, table = prose_of(report, Style.APA), table_of(report)
    properties = document.core_properties
    properties.title, properties.language = _text(table.caption), "en"
    properties.author, properties.comments = "Interrater", f"digest {report.digest}"
    document.add_heading(_text(table.caption), level=0)
    for title, paragraphs in (("Method", prose.marked_methods), ("Results", prose.marked_results)):
        document.add_heading(title, level=1)
        for paragraph in paragraphs:
            _add_marked(document, paragraph)
    _add_table(document, table)
    document.add_heading("References", level=1)
    for work in prose.marked_references:
        _hang(_add_marked(document, work))
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


def _add_marked(document: WordDocument, marked: str) -> Paragraph:
    """Add a paragraph with its italics; gaps for the author to fill in are highlighted."""
    paragraph = document.add_paragraph()
    for part in runs(marked):
        run = paragraph.add_run(_text(part.text))
        run.italic = part.is_italic or None
        if part.is_gap:
            run.font.highlight_color = WD_COLOR_INDEX.YELLOW
    return paragraph


def _hang(paragraph: Paragraph) -> None:
    paragraph.paragraph_format.left_indent = Inches(0.5)
    paragraph.paragraph_format.first_line_indent = Inches(-0.5)


def _add_table(document: WordDocument, table: PaperTable) -> None:
    document.add_paragraph(_text(table.caption), style="Caption")
    made = document.add_table(rows=1, cols=len(table.columns))
    made.autofit = False
    for column, width in zip(made.columns, WIDTHS, strict=True):
        column.width = Inches(width)
    _fill(made.rows[0], table.columns)
    _repeat_on_each_page(made.rows[0])
    for row in table.rows:
        _fill(made.add_row(), row)
    _rule(made)
    document.add_paragraph(_text(table.note))


def _fill(row: _Row, cells: tuple[str, ...]) -> None:
    for place, (cell, text) in enumerate(zip(row.cells, cells, strict=True)):
        cell.width = Inches(WIDTHS[place])
        paragraph = cell.paragraphs[0]
        paragraph.paragraph_format.space_after = Pt(2)
        if place >= N_WORD_COLUMNS:
            paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
        paragraph.add_run(_text(text)).font.size = Pt(9)


def _rule(table: Table) -> None:
    """Draw lines above, below, and under the header only, as in APA style."""
    borders = _borders("w:tblBorders", "top", "bottom")
    # The format requires it before the layout of the columns.
    table._tbl.tblPr.find(qn("w:tblLayout")).addprevious(borders)
    for cell in table.rows[0].cells:
        cell._tc.get_or_add_tcPr().append(_borders("w:tcBorders", "bottom"))


def _borders(name: str, *sides: str) -> Any:
    borders = OxmlElement(name)
    for side in sides:
        line = OxmlElement(f"w:{side}")
        for attribute, value in (("val", "single"), ("sz", "6"), ("space", "0"), ("color", "auto")):
            line.set(qn(f"w:{attribute}"), value)
        borders.append(line)
    return borders


def _repeat_on_each_page(row: _Row) -> None:
    """Mark the row as a header, repeated on each page and visible to screen readers."""
    properties = row._tr.get_or_add_trPr()
    mark = OxmlElement("w:tblHeader")
    mark.set(qn("w:val"), "true")
    properties.append(mark)


def _text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
