"""Reads a JSON array of objects, or an object of objects, one at a time; numbers stay as they are written.

Each object is found by decoding it with Python's own decoder, which refuses deep nesting, where parsers in C have
crashed.
"""

import json
from collections.abc import Iterator

from core.tables.encoding import Source, decoded
from core.tables.faults import Faults
from core.tables.jsonlines import Cell, InvalidRecord, decoder_of

MAX_OBJECT = 50_000_000
# The column of keys of an object of objects.
KEY = "item"
_SPACE = " \t\r\n"
# An error this close to the end of the text read so far may come from an escape or word that is cut in two.
_NEAR_END = 16
_UNTERMINATED = "Unterminated string"


def array_objects(
    source: Source, encoding: str, cell: Cell, faults: Faults
) -> Iterator[tuple[int, dict[str, str]]]:
    """Each object with its position from 1; an invalid one is reported as a fault and skipped."""
    for place, value in array_values(source, encoding, faults, decoder=decoder_of(cell)):
        try:
            if not isinstance(value, dict):
                raise InvalidRecord("bad_json", "must be a JSON object, such as {…}")
            yield place, {key: cell(key, part) for key, part in value.items()}
        except InvalidRecord as wrong:
            faults.add(place, wrong.column, wrong.value, wrong.code, wrong.rule)


def array_values(
    source: Source, encoding: str, faults: Faults, *, decoder: json.JSONDecoder
) -> Iterator[tuple[int, object]]:
    """Each decoded value of the array with its position from 1; of an object of objects, each with its key as item."""
    text = _TextBuffer(decoded(source, encoding, faults))
    place = 1
    try:
        is_object = text.next() == "{"
        start, end = "{}" if is_object else "[]"
        text.expect(start)
        if text.next() == end:
            text.expect(end)
            text.expect("")
            return
        while True:
            yield place, _member(text, decoder) if is_object else text.value(decoder)
            if text.next() != ",":
                text.expect(end)
                text.expect("")
                return
            text.expect(",")
            place += 1
    except InvalidRecord as wrong:
        raise faults.refuse(place, wrong.column, wrong.value, wrong.code, wrong.rule) from None


def _member(text: "_TextBuffer", decoder: json.JSONDecoder) -> object:
    """Return an object with its key as item, which an item of its own replaces."""
    key = text.value(decoder)
    if not isinstance(key, str):
        raise InvalidRecord("bad_json", "each key of an object must be a string")
    text.expect(":")
    value = text.value(decoder)
    return {KEY: key, **value} if isinstance(value, dict) else value


class _TextBuffer:
    """Text that was read and is not decoded yet."""

    def __init__(self, blocks: Iterator[str]) -> None:
        self.blocks, self.read, self.at = blocks, "", 0

    def next(self) -> str:
        """The next character that is not white space, without consuming it; "" at the end."""
        while True:
            rest = self.read[self.at : self.at + 1]
            if rest and rest not in _SPACE:
                return rest
            if rest:
                self.at += 1
            elif not self._more(1):
                return ""

    def expect(self, character: str) -> None:
        if (found := self.next()) != character:
            if not found:
                raise InvalidRecord(
                    "bad_json", "the file ends in the middle; it was cut off. Export it again"
                )
            rule = f"invalid JSON: expected {character or 'the end of the file'} after an object"
            raise InvalidRecord("bad_json", rule, "", self.read[self.at : self.at + 100])
        self.at += len(character)

    def value(self, decoder: json.JSONDecoder) -> object:
        self.next()
        while True:
            try:
                value, end = decoder.raw_decode(self.read, self.at)
            except RecursionError:
                raise InvalidRecord("bad_json", "the record is nested too deeply") from None
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith(_UNTERMINATED) or error.pos >= len(self.read) - _NEAR_END
                # The amount read doubles, so that a large object is not decoded from its beginning for each block.
                if not is_cut or not self._more(len(self.read) - self.at):
                    rule = f"invalid JSON: {error.msg} at character {error.pos - self.at + 1} of the record"
                    raise InvalidRecord("bad_json", rule) from None
            else:
                # The number may continue.
                if end < len(self.read) or isinstance(value, dict) or not self._more(1):
                    self.at = end
                    return value

    def _more(self, wanted: int) -> bool:
        """Read at least this many more characters, if there are any; False at the end."""
        parts, n_read = [self.read[self.at :]], 0
        if len(parts[0]) > MAX_OBJECT:
            raise InvalidRecord("too_long", f"a record can have at most {MAX_OBJECT:,} characters")
        for block in self.blocks:
            parts.append(block)
            n_read += len(block)
            if n_read >= wanted:
                break
        self.read, self.at = "".join(parts), 0
        return n_read > 0
