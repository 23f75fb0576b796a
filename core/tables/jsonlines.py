"""Strict JSON lines: one object per LF, of texts and numbers as they are written; nothing lost, nothing guessed."""

import json
import re
from collections.abc import Iterable, Iterator

from core.tables.delimited import Record
from core.tables.faults import Faults

_SURROGATE = re.compile("[\ud800-\udfff]")
# Between the parts of a cell that holds several categories.
PART = "|"


class _Wrong(Exception):
    def __init__(self, code: str, rule: str, column: str = "", value: str = "") -> None:
        super().__init__(rule)
        self.code, self.rule, self.column, self.value = code, rule, column, value


def objects(lines: Iterable[str], faults: Faults) -> Iterator[tuple[int, dict[str, str]]]:
    """Each record with its line; a bad one is a fault and left out."""
    for line, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            yield line, _record(text)
        except _Wrong as wrong:
            faults.add(line, wrong.column, wrong.value or text, wrong.code, wrong.rule)


def keys_in(records: Iterable[tuple[int, dict[str, str]]]) -> list[str]:
    """Every key, in the order of first appearance."""
    return list(dict.fromkeys(key for _, record in records for key in record))


def as_rows(
    records: Iterable[tuple[int, dict[str, str]]], columns: list[str], faults: Faults
) -> Iterator[Record]:
    """The cells of each record in the order of the columns; a key that is left out is an empty cell."""
    known = set(columns)
    for line, record in records:
        if not record.keys() <= known:
            for key in record.keys() - known:
                faults.add(
                    line, key, record[key], "unknown_column", "unknown key; it is not in the first records"
                )
            continue
        yield line, [record.get(column, "") for column in columns]


def _record(text: str) -> dict[str, str]:
    try:
        value = _decoder.decode(text)
    except RecursionError:
        raise _Wrong("bad_json", "the record is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise _Wrong("bad_json", f"invalid JSON: {error.msg} at character {error.pos + 1}") from None
    if not isinstance(value, dict):
        raise _Wrong("bad_json", "must be a JSON object, such as {…}")
    return {key: _cell(key, part) for key, part in value.items()}


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = next(key for key, _ in pairs if sum(other == key for other, _ in pairs) > 1)
        raise _Wrong("duplicate_key", "duplicate key", twice)
    return record


def _constant(name: str) -> object:
    raise _Wrong("bad_number", f"{name} is not a valid JSON number")


def _cell(key: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return PART.join(_part(key, part) for part in value)
    return _text(key, value)


def _part(key: str, value: object) -> str:
    text = _text(key, value)
    if PART in text or not text:
        raise _Wrong("bad_json", f"a category in a list can’t be empty or contain {PART}", key, text)
    return text


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise _Wrong("bad_json", "must be a string, a number, null, or a list of strings", key, str(value))
    # Only a text with surrogates fails to encode; ASCII, the common case, is known at no cost.
    if not (value.isascii() and key.isascii()) and _SURROGATE.search(key + value):
        raise _Wrong("surrogate", "contains a lone surrogate, which is not a valid character", key, value)
    return value


# Numbers stay the text they are written as: 1.0 is not 1, and no number is too long.
_decoder = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=str, parse_int=str, parse_constant=_constant
)
