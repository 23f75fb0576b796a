"""Each kind of file of a report in its own kind of reader; what it reads is text, or it fails."""

import ast
import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import PurePath

import docx
import openpyxl
from lxml import html
from pypdf import PdfReader


def words_in(name: str, content: bytes) -> str:
    """All text of a file, in the order in which its reader has it."""
    return READERS[PurePath(name).suffix](content)


def of_text(content: bytes) -> str:
    return content.decode()


def of_csv(content: bytes) -> str:
    rows = list(csv.reader(io.StringIO(content.decode(), newline=""), strict=True))
    assert {len(row) for row in rows} == {len(rows[0])}
    return "\n".join(" ".join(row) for row in rows)


def of_bare_csv(content: bytes) -> str:
    """A file without a header, which may be empty."""
    return of_csv(content) if content else ""


def of_zip(content: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return "\n".join(
            of_bare_csv(archive.read(name)) if name.endswith(".csv") else archive.read(name).decode()
            for name in archive.namelist()
        )


def of_workbook(content: bytes) -> str:
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    return " ".join(str(cell.value) for cell in cells)


def of_word(content: bytes) -> str:
    document = docx.Document(io.BytesIO(content))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def of_pdf(content: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)


def of_html(content: bytes) -> str:
    return str(html.fromstring(content.decode()).text_content())


def of_json(content: bytes) -> str:
    return str(json.loads(content, parse_constant=_refuse))


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def of_python(content: bytes) -> str:
    ast.parse(content)
    return content.decode()


def of_latex(content: bytes) -> str:
    text = content.decode()
    assert text.count(r"\begin{") == text.count(r"\end{") == 2
    return text


READERS: dict[str, Callable[[bytes], str]] = {
    ".bib": of_text,
    ".csv": of_csv,
    ".docx": of_word,
    ".html": of_html,
    ".json": of_json,
    ".pdf": of_pdf,
    ".py": of_python,
    ".R": of_text,
    ".tex": of_latex,
    ".txt": of_text,
    ".xlsx": of_workbook,
    ".zip": of_zip,
}
