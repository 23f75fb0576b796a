"""Recognizes the format of a file by its content; files that are no tables are refused with advice."""

import json
import re
import zipfile
from collections.abc import Mapping

from core.tables.encoding import UNMARKED_UTF16, UTF16_MARKS, Source, head
from core.tables.faults import Faults
from core.tables.seekable_files import as_file
from core.tables.unzipping import ZIP_MARK, opened_zip

CSV, JSON_LINES, JSON = "csv", "jsonl", "json"
XLSX, XLS, ODS = "xlsx", "xls", "ods"
SPSS, STATA = "sav", "dta"
SHEETS = (XLSX, XLS, ODS)

_BYTES_SAMPLED = 4_096
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Directory entries of OLE files are named in UTF-16.
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_BOOKS = ("Workbook".encode("utf-16-le"), "Book".encode("utf-16-le"))
# Before the XML-like header, Stata files began with version, byte order, and 1.
_OLD_STATA = re.compile(rb"[\x66-\x73][\x01\x02]\x01\x00", re.DOTALL)
_SPSS = (b"$FL2", b"$FL3")
_JSON_ARRAY = re.compile(r"\[\s*[{\]]")
# A key of an object, up to its value.
_MEMBER = re.compile(r'[\s,]*"(?:[^"\\]|\\.)*"\s*:\s*')
_decoder = json.JSONDecoder()
_CONTROLS = bytes([*range(9), 11, *range(14, 27), *range(28, 32)])
# Text has hardly any control characters.
_BINARY = 0.05

_AS_TABLE = "export the table as CSV or XLSX"
_FOREIGN: Mapping[bytes, str] = {
    b"%PDF": f"the file is a PDF document; {_AS_TABLE}",
    b"\x89PNG": f"the file is a picture; {_AS_TABLE}",
    b"\xff\xd8\xff": f"the file is a picture; {_AS_TABLE}",
    b"GIF8": f"the file is a picture; {_AS_TABLE}",
    b"II*\x00": f"the file is a picture; {_AS_TABLE}",
    b"MM\x00*": f"the file is a picture; {_AS_TABLE}",
    b"RIFF": f"the file is a picture, a sound, or a video; {_AS_TABLE}",
    b"{\\rtf": f"the file is a text document (RTF); {_AS_TABLE}",
    b"PAR1": "the file is a Parquet file; export it as CSV or JSON Lines",
    b"SQLite format 3": "the file is a database (SQLite); export the table as CSV",
    b"\x1f\x8b": "the file is compressed (gzip); unpack it first. If R wrote it, use write.csv instead",
    b"BZh": "the file is compressed (bzip2); unpack it first. If R wrote it, use write.csv instead",
    b"\xfd7zXZ": "the file is compressed (xz); unpack it first. If R wrote it, use write.csv instead",
    b"RDX": "the file is an R data file; in R, save the table with write.csv",
    b"7z\xbc\xaf": "the file is a 7-Zip archive; unpack it, or pack it as a ZIP archive",
    b"Rar!": "the file is a RAR archive; unpack it, or pack it as a ZIP archive",
    b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc2\xea\x81\x60": "the file is a SAS data set; export it as CSV",
}
_FOREIGN_TEXT: Mapping[str, str] = {
    "<!doctype html": f"the file is a web page; {_AS_TABLE}",
    "<html": f"the file is a web page; {_AS_TABLE}",
    "<table": f"the file is a web page; {_AS_TABLE}",
    "<?xml": f"the file is XML, not a table; {_AS_TABLE}",
}


def format_of(source: Source, faults: Faults) -> str:
    """One of the names above; raises FileRefused if the file is not a table."""
    start = head(source, _BYTES_SAMPLED)
    if not start:
        raise faults.refuse(0, "", "", "empty_file", "the file is empty")
    if start.startswith(ZIP_MARK):
        return _in_zip(source, faults)
    if start.startswith(_OLE):
        return _in_ole(source, faults)
    if start.startswith(_SPSS):
        return SPSS
    if start.startswith(b"<stata_dta>") or _OLD_STATA.match(start):
        return STATA
    for mark, rule in _FOREIGN.items():
        if start.startswith(mark):
            raise _not_a_table(rule, faults)
    return _of_text(start, faults)


def _of_text(start: bytes, faults: Faults) -> str:
    is_utf16 = start.startswith(UTF16_MARKS)
    if not is_utf16 and start.count(0) <= UNMARKED_UTF16 * len(start):
        n_controls = len(start) - len(start.translate(None, _CONTROLS))
        if n_controls > max(_BINARY * len(start), 2):
            raise _not_a_table(f"the file is neither text nor a workbook; {_AS_TABLE}", faults)
    text = start.decode("utf-16" if is_utf16 else "utf-8", "ignore").lstrip("\ufeff").lstrip()
    for mark, rule in _FOREIGN_TEXT.items():
        if text[: len(mark)].lower() == mark:
            raise _not_a_table(rule, faults)
    if text.startswith("{"):
        return JSON if _is_object_of_objects(text) else JSON_LINES
    return JSON if _JSON_ARRAY.match(text) else CSV


def _is_object_of_objects(start: str) -> bool:
    """Return whether the beginning of a file is one object whose members are objects, rather than a line per record."""
    line, _, rest = start.partition("\n")
    if rest.strip() and _is_json(line):
        return False
    n_members, at = 0, 1
    while found := _MEMBER.match(start, at):
        if start[found.end() : found.end() + 1] not in {"{", ""}:
            return False
        try:
            value, at = _decoder.raw_decode(start, found.end())
        except (ValueError, RecursionError):
            # Cut off where the sample ends.
            break
        if any(isinstance(part, dict) for part in value.values()):
            return False
        n_members += 1
    return n_members > 0


def _is_json(text: str) -> bool:
    try:
        _decoder.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _in_zip(source: Source, faults: Faults) -> str:
    with as_file(source) as file, opened_zip(file, faults) as archive:
        names = set(archive.namelist())
        if "xl/workbook.bin" in names:
            raise _not_a_table("the file is a binary workbook (XLSB); save it as XLSX", faults)
        if any(name.startswith("xl/") for name in names):
            return XLSX
        if "content.xml" in names and b"spreadsheet" in _kind_of_document(archive):
            return ODS
        if "content.xml" in names or "[Content_Types].xml" in names:
            raise _not_a_table(f"the file is a text document or a presentation; {_AS_TABLE}", faults)
    raise _not_a_table("the file is a ZIP archive, not a table; unpack it and import the files in it", faults)


def _kind_of_document(archive: zipfile.ZipFile) -> bytes:
    try:
        with archive.open("mimetype") as file:
            return file.read(200)
    except (KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        # Some programs omit it from their spreadsheets.
        return b"spreadsheet"


def _in_ole(source: Source, faults: Faults) -> str:
    has_book, before = False, b""
    for block in source():
        # A name may span two blocks.
        part = before + block
        if _ENCRYPTED in part:
            raise locked(faults)
        has_book = has_book or any(name in part for name in _BOOKS)
        before = block[-64:]
    if not has_book:
        raise _not_a_table(f"the file is not an Excel workbook, or was cut off; {_AS_TABLE}", faults)
    return XLS


def locked(faults: Faults) -> Exception:
    rule = "the file is protected by a password; save it without one"
    return faults.refuse(0, "", "", "encrypted", rule)


def damaged(faults: Faults, what: str) -> Exception:
    rule = (
        f"the file can’t be read as {what}: it is damaged or was cut off; save it again, or export it as CSV"
    )
    return faults.refuse(0, "", "", "damaged_file", rule)


def _not_a_table(rule: str, faults: Faults) -> Exception:
    return faults.refuse(0, "", "", "not_a_table", rule)
