"""Open files of other programs: the beginning, a table, or XML. Each fault names its file."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import iterparse  # type: ignore[import-untyped]

from core.tables.delimited import DelimitedReader, Record, separator_in
from core.tables.encoding import AUTO, UTF16_MARKS, Source, decoded, encoding_of
from core.tables.faults import Fault, Faults, FileRefused
from core.tables.lines import physical_lines
from core.tables.table_rows import width_rule
from raters.reading.records import Files, FormatChoice, InputFile

BEGINNING = 65_536
# Size limit of files read as a whole, such as the state of one rater or one document.
MAX_WHOLE = 64 * 1024 * 1024
MAX_COLUMNS = 2_000
# Far more than any program writes.
_MAX_DEPTH = 200


class FaultsOf(Faults):
    """Faults of one of several files, added to the faults of the import with the file's name."""

    def __init__(self, faults: Faults, name: str) -> None:
        self.whole, self.name = faults, name

    def __bool__(self) -> bool:
        return bool(self.whole)

    # Needed for reading a table.
    @property
    def n(self) -> int:  # type: ignore[override]
        return self.whole.n

    @property
    def listed(self) -> list[Fault]:  # type: ignore[override]
        return self.whole.listed

    def add(self, line: int, column: str, value: str, code: str, rule: str) -> None:
        self.whole.add(line, column, value, code, f"{self.name}: {rule}")

    def extend(self, faults: Iterable[Fault], *, n: int) -> None:
        self.whole.extend(faults, n=n)

    def refuse(self, line: int, column: str, value: str, code: str, rule: str) -> FileRefused:
        return self.whole.refuse(line, column, value, code, f"{self.name}: {rule}")


def faults_of(file: InputFile, files: Files, faults: Faults) -> Faults:
    """Return the faults to use for this file, which add its name if there are several."""
    return FaultsOf(faults, file.name) if len(files) > 1 else faults


def parts_of(file: InputFile) -> list[str]:
    """Return the folders and the name."""
    return [part for part in file.name.replace("\\", "/").split("/") if part not in ("", ".")]


def base_name(file: InputFile) -> str:
    return (parts_of(file) or [""])[-1]


def stem(file: InputFile) -> str:
    name = base_name(file)
    return name.rpartition(".")[0] or name


def extension(file: InputFile) -> str:
    return base_name(file).rpartition(".")[2].lower()


def brought(files: Files) -> list[InputFile]:
    """Return the files without those that macOS adds to archives."""
    return [
        file for file in files if "__MACOSX" not in parts_of(file) and not base_name(file).startswith("._")
    ]


def first_bytes(source: Source, most: int = BEGINNING) -> bytes:
    start = b""
    for block in source():
        start += block
        if len(start) >= most:
            break
    return start[:most]


def first_characters(file: InputFile, most: int = BEGINNING) -> str:
    """Return the first characters of any file."""
    start = first_bytes(file.source, most)
    encoding = "utf-16" if start.startswith(UTF16_MARKS) else "utf-8-sig"
    return start.decode(encoding, "replace")


def texts_of(file: InputFile, faults: Faults) -> Iterator[str]:
    """Yield the text of a file in parts."""
    return decoded(file.source, encoding_of(file.source, AUTO, faults), faults)


def read_text(file: InputFile, faults: Faults, most: int = MAX_WHOLE) -> str:
    """Return the text of a file small enough to be read as a whole."""
    parts: list[str] = []
    n_characters = 0
    for block in texts_of(file, faults):
        n_characters += len(block)
        if n_characters > most:
            rule = f"the file can have at most {most:,} characters; split it"
            raise faults.refuse(0, "", "", "too_long", rule)
        parts.append(block)
    return "".join(parts)


def unless_refused(
    choices: Callable[[Files], Sequence[FormatChoice]],
) -> Callable[[Files], Sequence[FormatChoice]]:
    """Decorator that returns no choices if the files cannot be read, which is reported when reading them."""

    @wraps(choices)
    def found(files: Files) -> Sequence[FormatChoice]:
        try:
            return choices(files)
        except FileRefused:
            return ()

    return found


# Tables


@dataclass(frozen=True, slots=True)
class DelimitedSheet:
    """columns: the header. rows: (physical line, cells), with as many cells as columns."""

    columns: list[str]
    rows: Iterator[Record]

    def by_name(self) -> Iterator[tuple[int, dict[str, str]]]:
        for line, cells in self.rows:
            yield line, dict(zip(self.columns, cells, strict=True))


def records_of(file: InputFile, faults: Faults) -> Iterator[Record]:
    """Return the records of a delimited file, including the header."""
    texts = texts_of(file, faults)
    separator = separator_in(first_line(first_characters(file)))
    lines = physical_lines(texts, faults)
    return DelimitedReader(lines, separator, faults).records()


def open_sheet(file: InputFile, faults: Faults) -> DelimitedSheet:
    """Open a table with a header. Trailing empty cells of a row may be missing, as some programs omit them."""
    records = records_of(file, faults)
    header = next(records, None)
    if header is None:
        raise FileRefused(faults) if faults else faults.refuse(0, "", "", "empty_file", "the file is empty")
    line, columns = header
    check_header(line, columns, faults)
    return DelimitedSheet(columns, padded(records, columns, faults))


def check_header(line: int, columns: Sequence[str], faults: Faults) -> None:
    if len(columns) > MAX_COLUMNS:
        rule = f"a file can have at most {MAX_COLUMNS:,} columns; this one has {len(columns):,}"
        raise faults.refuse(line, "", "", "too_many_columns", rule)
    seen: set[str] = set()
    for column in columns:
        if column in seen and column:
            raise faults.refuse(line, column, "", "duplicate_column", "duplicate column name")
        seen.add(column)


def padded(records: Iterator[Record], columns: Sequence[str], faults: Faults) -> Iterator[Record]:
    """Pad records to the number of columns. A record with more cells is a fault."""
    width = len(columns)
    for line, cells in records:
        if len(cells) > width:
            rule = width_rule(len(cells), width)
            faults.add(line, "", cells[width], "extra_cells", rule)
            continue
        yield line, [*cells, *[""] * (width - len(cells))]


def first_line(text: str) -> str:
    return next((line for line in re.split(r"\r\n|\n|\r", text) if line), "")


def first_records(file: InputFile, n: int) -> list[list[str]]:
    """Return the first records of a delimited file; empty if it cannot be read."""
    text = first_characters(file)
    separator = separator_in(first_line(text))
    found: list[list[str]] = []
    try:
        for _, cells in DelimitedReader(physical_lines([text], Faults()), separator, Faults()).records():
            found.append(cells)
            if len(found) == n:
                break
    except FileRefused:
        pass
    return found


def header_of(file: InputFile) -> list[str]:
    return (first_records(file, 1) or [[]])[0]


# XML


class SourceFile(io.RawIOBase):
    """A source as a file object."""

    def __init__(self, source: Source) -> None:
        self._blocks = source()
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest and (block := next(self._blocks, b"")):
            self._rest = block
        found, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(found)] = found
        return len(found)


def xml_events(
    file: InputFile, faults: Faults, *, is_done: Callable[[list[str]], bool]
) -> Iterator[tuple[str, list[str], Element]]:
    """Yield ("start" or "end", path of element names including its own, element), without namespaces.

    Elements for whose path is_done returns true are cleared after their end, to limit memory use.
    """
    path: list[str] = []
    parents: list[Element] = []
    try:
        for event, element in iterparse(SourceFile(file.source), events=("start", "end"), forbid_dtd=True):
            if event == "start":
                path.append(element.tag.rpartition("}")[2])
                parents.append(element)
                if len(path) > _MAX_DEPTH:
                    raise faults.refuse(0, path[0], "", "bad_xml", "the XML is nested too deeply")
                yield event, path, element
                continue
            yield event, path, element
            parents.pop()
            if is_done(path):
                element.clear()
                if parents:
                    parents[-1].remove(element)
            path.pop()
    except DefusedXmlException:
        rule = "XML with a document type or entities is not allowed; export the file again without them"
        raise faults.refuse(1, "", "", "bad_xml", rule) from None
    except ParseError as error:
        line = getattr(error, "position", (0, 0))[0]
        raise faults.refuse(line, "", "", "bad_xml", f"invalid XML: {error}") from None
    except (LookupError, ValueError) as error:
        raise faults.refuse(0, "", "", "encoding", f"the XML can’t be decoded: {error}") from None
