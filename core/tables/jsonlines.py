"""JSON lines: one object per LF, with texts and numbers as they are written; nothing lost, nothing guessed."""

import json
import re
from collections.abc import Callable, Iterable, Iterator

from core.tables.delimited import Record
from core.tables.faults import Faults

_SURROGATE = re.compile("[\ud800-\udfff]")
# Separates the categories in a cell that contains several.
PART = "|"

# Key and value of a record -> cell of the table.
Cell = Callable[[str, object], str]


class NumberLiteral(str):
    """A number as written, so that 1.0 does not become 1 and no number is too long."""

    __slots__ = ()


class InvalidRecord(Exception):
    def __init__(self, code: str, rule: str, column: str = "", value: str = "") -> None:
        super().__init__(rule)
        self.code, self.rule, self.column, self.value = code, rule, column, value


def objects(
    lines: Iterable[str], faults: Faults, *, is_strict: bool = True
) -> Iterator[tuple[int, dict[str, str]]]:
    """Each record with its line; an invalid one is reported as a fault and skipped.

    is_strict: an object in a record, or a list of anything but texts, is invalid; otherwise its cell contains JSON.
    """
    cell = plain_cell if is_strict else json_cell
    decoder = decoder_of(cell)
    for line, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            yield line, _record(text, decoder, cell)
        except InvalidRecord as wrong:
            faults.add(line, wrong.column, wrong.value or text, wrong.code, wrong.rule)


def keys_in(records: Iterable[tuple[int, dict[str, str]]]) -> list[str]:
    """Every key, in the order of first appearance."""
    return list(dict.fromkeys(key for _, record in records for key in record))


def as_rows(
    records: Iterable[tuple[int, dict[str, str]]], columns: list[str], faults: Faults
) -> Iterator[Record]:
    """The cells of each record in the order of the columns; a missing key is an empty cell."""
    known = set(columns)
    for line, record in records:
        if not record.keys() <= known:
            for key in record.keys() - known:
                faults.add(
                    line, key, record[key], "unknown_column", "unknown key; it is not in the first records"
                )
            continue
        yield line, [record.get(column, "") for column in columns]


def decoder_of(cell: Cell) -> json.JSONDecoder:
    """The decoder for the values of such cells."""
    return _decoder if cell is plain_cell else number_decoder


def _record(text: str, decoder: json.JSONDecoder, cell: Cell) -> dict[str, str]:
    try:
        value = decoder.decode(text)
    except RecursionError:
        raise InvalidRecord("bad_json", "the record is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise InvalidRecord("bad_json", f"invalid JSON: {error.msg} at character {error.pos + 1}") from None
    if not isinstance(value, dict):
        raise InvalidRecord("bad_json", "must be a JSON object, such as {…}")
    return {key: cell(key, part) for key, part in value.items()}


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = next(key for key, _ in pairs if sum(other == key for other, _ in pairs) > 1)
        raise InvalidRecord("duplicate_key", "duplicate key", twice)
    return record


def _constant(name: str) -> object:
    raise InvalidRecord("bad_number", f"{name} is not a valid JSON number")


def plain_cell(key: str, value: object) -> str:
    """A text, a number, or the texts of a list."""
    if value is None:
        return ""
    if isinstance(value, list):
        return PART.join(_part(key, part) for part in value)
    return _text(key, value)


def json_cell(key: str, value: object) -> str:
    """A text, a number, or anything else as JSON without spaces."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _text(key, value)
    try:
        return _text(key, _compact(value))
    except RecursionError:
        raise InvalidRecord("bad_json", "the record is nested too deeply", key) from None


def _compact(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{_compact(key)}:{_compact(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_compact, value)) + "]"
    return str(value) if isinstance(value, NumberLiteral) else json.dumps(value, ensure_ascii=False)


def _part(key: str, value: object) -> str:
    text = _text(key, value)
    if PART in text or not text:
        raise InvalidRecord("bad_json", f"a category in a list can’t be empty or contain {PART}", key, text)
    return text


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidRecord(
            "bad_json", "must be a string, a number, null, or a list of strings", key, str(value)
        )
    # Only text with surrogates can't be encoded; ASCII, the common case, is free to check.
    if not (value.isascii() and key.isascii()) and _SURROGATE.search(key + value):
        raise InvalidRecord(
            "surrogate", "contains a lone surrogate, which is not a valid character", key, value
        )
    return value


# Numbers stay the text that was written: 1.0 is not 1, and no number is too long.
_decoder = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=str, parse_int=str, parse_constant=_constant
)
number_decoder = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=NumberLiteral, parse_int=NumberLiteral, parse_constant=_constant
)
