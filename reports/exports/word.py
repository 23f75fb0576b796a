"""Method, results and the table of a report as a Word document."""

import io
import re

from docx import Document
from docx.document import Document as WordDocument
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.table import _Row

from reports.exports.paper import PaperTable, table_of
from reports.exports.prose import Style, prose_of
from reports.exports.sources import reference
from reports.models import Report

# What XML cannot hold at all.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def word_document(report: Report) -> bytes:
    document = Document()
    prose, table = prose_of(report, Style.APA), table_of(report)
    properties = document.core_properties
    properties.title, properties.language = _text(table.caption), "en"
    properties.author, properties.comments = "Interrater", f"digest {report.digest}"
    document.add_heading(_text(table.caption), level=0)
    for title, paragraphs in (("Method", prose.methods), ("Results", prose.results)):
        document.add_heading(title, level=1)
        for paragraph in paragraphs:
            document.add_paragraph(_text(paragraph))
    _add_table(document, table)
    if prose.works:
        document.add_heading("Sources", level=1)
        for work in prose.works:
            document.add_paragraph(reference(work))
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


def _add_table(document: WordDocument, table: PaperTable) -> None:
    document.add_paragraph(_text(table.caption), style="Caption")
    made = document.add_table(rows=1, cols=len(table.columns))
    made.style = "Light List"
    _fill(made.rows[0], table.columns)
    _repeat_on_each_page(made.rows[0])
    for row in table.rows:
        _fill(made.add_row(), row)
    document.add_paragraph(_text(table.note))


def _fill(row: _Row, cells: tuple[str, ...]) -> None:
    for place, text in zip(row.cells, cells, strict=True):
        place.text = _text(text)


def _repeat_on_each_page(row: _Row) -> None:
    """It is a header, to readers of the page and of its structure alike."""
    properties = row._tr.get_or_add_trPr()
    mark = OxmlElement("w:tblHeader")
    mark.set(qn("w:val"), "true")
    properties.append(mark)


def _text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
