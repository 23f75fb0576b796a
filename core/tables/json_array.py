"""A JSON array of objects, one of them in memory at a time; numbers stay as they are written."""

from collections.abc import Iterator
from decimal import Decimal

import ijson

from core.tables.encoding import Source, decoded
from core.tables.faults import Faults
from core.tables.jsonlines import Cell, Number, WrongRecord

_READ = 64 * 1024


class _Unique(dict[str, object]):
    """An object whose keys are all different."""

    def __setitem__(self, key: str, value: object) -> None:
        if key in self:
            raise WrongRecord("duplicate_key", "duplicate key", key)
        super().__setitem__(key, value)


class _File:
    """What decoded blocks of text are to ijson: a file of UTF-8 without a byte order mark."""

    def __init__(self, blocks: Iterator[str]) -> None:
        self.blocks, self.rest = blocks, b""

    def read(self, size: int = _READ) -> bytes:
        while not self.rest and size:
            block = next(self.blocks, None)
            if block is None:
                return b""
            self.rest = block.encode("utf-8", "surrogatepass")
        part, self.rest = self.rest[:size], self.rest[size:]
        return part


def array_objects(
    source: Source, encoding: str, cell: Cell, faults: Faults
) -> Iterator[tuple[int, dict[str, str]]]:
    """Each object with its place from 1; a bad one is a fault and left out."""
    file = _File(decoded(source, encoding, faults))
    place = 0
    try:
        for value in ijson.items(file, "item", map_type=_Unique, buf_size=_READ):
            place += 1
            try:
                if not isinstance(value, dict):
                    raise WrongRecord("bad_json", "must be a JSON object, such as {…}")
                yield place, {key: cell(key, _as_written(part)) for key, part in value.items()}
            except WrongRecord as wrong:
                faults.add(place, wrong.column, wrong.value, wrong.code, wrong.rule)
    except WrongRecord as wrong:
        raise faults.refuse(place + 1, wrong.column, wrong.value, wrong.code, wrong.rule) from None
    except ijson.IncompleteJSONError:
        rule = "invalid JSON, or the file ends in the middle of it; save it again"
        raise faults.refuse(place + 1, "", "", "bad_json", rule) from None
    except (ijson.JSONError, ValueError, RecursionError) as error:
        rule = f"invalid JSON: {str(error).splitlines()[0][:200]}"
        raise faults.refuse(place + 1, "", "", "bad_json", rule) from None


def _as_written(value: object) -> object:
    """Numbers as text, in all depths."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | Decimal):
        return Number(str(value))
    if isinstance(value, list):
        return [_as_written(part) for part in value]
    return {key: _as_written(part) for key, part in value.items()} if isinstance(value, dict) else value
