"""Read JSON record by record, safely for any size, number, or nesting depth."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

from core.shapes import Json
from core.tables.faults import Faults, FileRefused
from core.tables.jsonlines import NumberLiteral
from core.tables.lines import lf_lines
from raters.reading.formats.opening import first_bytes, first_characters, read_text, texts_of
from raters.reading.records import InputFile

# Sample before reading a file: bytes from its beginning, and records in them.
_FIRST = 256 * 1024
RECORDS_SAMPLED = 200
MAX_RECORD = 16_000_000
_SPACE = " \t\r\n"
_FEW = 1_000
# An error this close to the end of the buffer may only mean that more text must be read.
_CUT = 16


_decoder = json.JSONDecoder(
    strict=False, parse_int=NumberLiteral, parse_float=NumberLiteral, parse_constant=NumberLiteral
)


def objects(file: InputFile, faults: Faults) -> Iterator[tuple[int, Json]]:
    """Yield each object of a JSON array or JSON Lines with its first line; anything else is a fault."""
    start = _start(texts_of(file, faults))
    found = elements(file, faults) if start == "[" else _lines(file, faults)
    for line, value in found:
        if isinstance(value, dict):
            yield line, value
        else:
            rule = "must be a JSON object, such as {…}"
            faults.add(line, "", text_of(value), "bad_json", rule)


def elements(file: InputFile, faults: Faults) -> Iterator[tuple[int, Any]]:
    """Yield each element of a large array with its first line, keeping one in memory at a time."""
    scanner = _Scanner(file, faults)
    scanner.expect("[", "a JSON array")
    while not scanner.ends_with("]"):
        yield scanner.value()
    scanner.nothing_follows()


def entries(file: InputFile, faults: Faults) -> Iterator[tuple[int, str, Json]]:
    """Yield the line, key, and value of each entry of a large object of objects."""
    scanner = _Scanner(file, faults)
    scanner.expect("{", "a JSON object")
    while not scanner.ends_with("}"):
        line, key = scanner.value()
        if not isinstance(key, str) or isinstance(key, NumberLiteral):
            raise scanner.refuse("a key must be a text in quotes")
        scanner.expect(":", "a colon after the key")
        line, value = scanner.value()
        if isinstance(value, dict):
            yield line, key, value
        else:
            faults.add(line, key, text_of(value), "bad_json", "must be a JSON object")
    scanner.nothing_follows()


def first_objects(file: InputFile) -> list[Json]:
    """Return the objects at the beginning of a file; empty if it is not JSON. Never raises."""
    return [record for _, record in _first(objects, file)]


def first_entries(file: InputFile) -> list[tuple[str, Json]]:
    return [(key, record) for _, key, record in _first(entries, file)]


def first_text(file: InputFile) -> str:
    """Return the beginning of a file as text; "" if it cannot be decoded."""
    parts: list[str] = []
    with suppress(FileRefused):
        parts.extend(texts_of(_beginning(file), Faults()))
    return "".join(parts)


@contextmanager
def refusing_depth(faults: Faults) -> Iterator[None]:
    try:
        yield
    except RecursionError:
        rule = "a record is nested too deeply"
        raise faults.refuse(0, "", "", "bad_json", rule) from None


def text_of(value: object) -> str:
    """Return a value as text: numbers as written, "" for null, lists and objects as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False)


def decode(text: str) -> object:
    """Parse JSON in a cell; None if it is invalid."""
    try:
        return _decoder.decode(text)
    except (json.JSONDecodeError, RecursionError):
        return None


def _first(read: Callable[[InputFile, Faults], Iterator[Any]], file: InputFile) -> list[Any]:
    found: list[Any] = []
    if first_text(file)[:_FEW].lstrip("\ufeff" + _SPACE)[:1] not in {"{", "["}:
        return found
    # The sample usually ends in the middle of a record; the first record may be large, with an embedded picture.
    for n_bytes in (_FIRST, MAX_RECORD):
        with suppress(FileRefused, RecursionError):
            found.extend(islice(read(_beginning(file, n_bytes), Faults()), RECORDS_SAMPLED))
        if found or len(first_bytes(file.source, _FIRST + 1)) <= _FIRST:
            break
    return found


def _beginning(file: InputFile, n_bytes: int = _FIRST) -> InputFile:
    def blocks() -> Iterator[bytes]:
        left = n_bytes
        for block in file.source():
            yield block[:left]
            left -= len(block)
            if left <= 0:
                return

    return InputFile(file.name, blocks)


def _start(texts: Iterator[str]) -> str:
    return next((stripped[0] for text in texts if (stripped := text.lstrip(_SPACE))), "")


def _lines(file: InputFile, faults: Faults) -> Iterator[tuple[int, object]]:
    for line, text in enumerate(lf_lines(texts_of(file, faults), faults), start=1):
        if not text.strip():
            continue
        value, fault = _parsed(text)
        if fault is None:
            yield line, value
        else:
            faults.add(line, "", text[fault[1] :], "bad_json", fault[2])


def json_of(text: str, line: int, faults: Faults) -> Any:
    """Parse JSON. Raises FileRefused."""
    value, fault = _parsed(text)
    if fault is None:
        return value
    raise faults.refuse(line or fault[0], "", text[fault[1] : fault[1] + 40], "bad_json", fault[2])


def _parsed(text: str) -> tuple[Any, tuple[int, int, str] | None]:
    """Return the value, or else the line, position, and error message."""
    try:
        return _decoder.decode(text.strip() if text[:1].isspace() else text), None
    except RecursionError:
        return None, (1, 0, "the JSON is nested too deeply")
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
            return None, (error.lineno, error.pos, "the JSON ends too early; export the file again")
        return None, (error.lineno, error.pos, f"invalid JSON: {error.msg} at character {error.colno}")


def read_json(file: InputFile, faults: Faults) -> Any:
    return json_of(read_text(file, faults), 0, faults)


def json_head(file: InputFile, key: str) -> bool:
    """Return whether the beginning of a JSON file contains this key."""
    text = first_characters(file).lstrip()
    return text[:1] in ("{", "[") and f'"{key}"' in text


class _Scanner:
    """Scan a large JSON document value by value, buffering no more text than the largest value needs."""

    def __init__(self, file: InputFile, faults: Faults) -> None:
        self.file, self.faults = file, faults
        self.texts = texts_of(file, faults)
        self.text, self.place, self.line = "", 0, 1
        self.has_more, self.is_first = True, True

    def refuse(self, rule: str) -> FileRefused:
        near = self.text[self.place : self.place + 40]
        if not near:
            rule = "the file ends in the middle of a record; export it again"
        return self.faults.refuse(self.line, "", near, "bad_json", rule)

    def expect(self, sign: str, what: str) -> None:
        if self._next() != sign:
            raise self.refuse(f"not valid JSON: {what} is missing")
        self.place += 1

    def ends_with(self, sign: str) -> bool:
        """Return whether the document ends here; otherwise skip the comma before the next value."""
        found, is_first, self.is_first = self._next(), self.is_first, False
        if found == sign:
            self.place += 1
            return True
        if not is_first:
            self.expect(",", "a comma between two records")
        return False

    def nothing_follows(self) -> None:
        if self._next():
            raise self.refuse("text after the end of the JSON")

    def value(self) -> tuple[int, object]:
        self._next()
        wanted = 0
        while True:
            try:
                value, end = _decoder.raw_decode(self.text, self.place)
            except RecursionError:
                raise self.refuse("the record is nested too deeply") from None
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or error.pos >= len(self.text) - _CUT
                if not (self.has_more and is_cut):
                    if is_cut and self.text[error.pos : error.pos + 1] not in {"]", "}", ","}:
                        raise self._cut_short() from None
                    raise self.refuse(f"invalid JSON: {error.msg}") from None
            else:
                if end < len(self.text) or not self.has_more:
                    line = self.line
                    self._pass(end)
                    return line, value
            # Double the buffer, so that a large record takes time linear in its length.
            wanted = 2 * (len(self.text) - self.place)
            if wanted > 2 * MAX_RECORD:
                raise self.refuse(f"a record can have at most {MAX_RECORD:,} characters")
            self._read(wanted)

    def _cut_short(self) -> FileRefused:
        rule = "the file ends in the middle of a record, or a quote is missing; export it again"
        return self.faults.refuse(self.line, "", self.text[self.place :], "bad_json", rule)

    def _next(self) -> str:
        """Return the next non-space character; "" at the end."""
        while True:
            for place in range(self.place, len(self.text)):
                if self.text[place] not in _SPACE:
                    self._pass(place)
                    return self.text[place]
            self._pass(len(self.text))
            if not self.has_more:
                return ""
            self._read(1)

    def _pass(self, place: int) -> None:
        self.line += self.text.count("\n", self.place, place)
        self.place = place

    def _read(self, wanted: int) -> None:
        """Drop scanned text and buffer at least `wanted` characters, if available."""
        parts = [self.text[self.place :]]
        length = len(parts[0])
        while length < wanted or len(parts) == 1:
            part = next(self.texts, None)
            if part is None:
                self.has_more = False
                break
            parts.append(part)
            length += len(part)
        self.text, self.place = "".join(parts), 0
