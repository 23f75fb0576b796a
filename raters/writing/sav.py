"""SPSS files (.sav, uncompressed), written as a stream: first the dictionary of variables, then case by case.

Source of the layout: PSPP developer's guide, "System File Format". A string has at most 255 bytes here, because a
longer one would be split into several variables.
"""

import struct
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum

MAX_STRING, MAX_NAME, MAX_LABEL, MAX_VALUE_LABEL = 255, 64, 255, 120
_BLOCK = 1 << 16
_PRODUCT = b"@(#) SPSS DATA FILE Interrater"
_NO_VALUE = -sys.float_info.max
_NEXT_TO_LOWEST = -1.7976931348623155e308
_UTF8 = 65001
_NUMERIC_FORMAT, _STRING_FORMAT = 5, 1
# Each value is a text no wider than its variable, a number, or None for no value.
Case = Sequence[str | float | None]


class SpssMeasure(IntEnum):
    NOMINAL = 1
    ORDINAL = 2
    SCALE = 3


@dataclass(frozen=True, slots=True)
class Variable:
    """width: in bytes, 0 for a number. decimals: shown. values: value labels. missing: at most three numbers."""

    name: str
    label: str
    measure: SpssMeasure
    width: int = 0
    decimals: int = 0
    values: Mapping[float, str] = field(default_factory=dict)
    missing: tuple[float, ...] = ()

    @property
    def n_segments(self) -> int:
        return max(1, -(-self.width // 8))

    @property
    def format(self) -> int:
        if self.width:
            return _STRING_FORMAT << 16 | self.width << 8
        return _NUMERIC_FORMAT << 16 | (8 + self.decimals) << 8 | self.decimals


def sav_pieces(variables: Sequence[Variable], cases: Iterable[Case], *, at: datetime) -> Iterator[bytes]:
    """Yield the file in pieces. cases: each has one value per variable."""
    waiting = bytearray(b"".join(_dictionary(variables, at)))
    widths = [variable.width for variable in variables]
    for case in cases:
        for width, value in zip(widths, case, strict=True):
            waiting += _cell(width, value)
        if len(waiting) >= _BLOCK:
            yield bytes(waiting)
            waiting.clear()
    yield bytes(waiting)


def cut(text: str, n_bytes: int) -> bytes:
    """Return at most `n_bytes` bytes of UTF-8, without splitting a character."""
    return text.encode()[:n_bytes].decode(errors="ignore").encode()


def _cell(width: int, value: str | float | None) -> bytes:
    if width:
        return cut(str(value or ""), width).ljust(-(-width // 8) * 8)
    return struct.pack("<d", _NO_VALUE if value is None else float(value))


def _dictionary(variables: Sequence[Variable], at: datetime) -> Iterator[bytes]:
    n_segments = sum(variable.n_segments for variable in variables)
    # Layout 2, uncompressed, no weights, number of cases unknown.
    yield b"$FL2" + _PRODUCT.ljust(60) + struct.pack("<5i", 2, n_segments, 0, 0, -1)
    yield struct.pack("<d", 100) + at.strftime("%d %b %y%H:%M:%S").encode() + b" " * 64 + bytes(3)
    for number, variable in enumerate(variables, start=1):
        yield from _variable(variable, _short_name(number))
    place = 1
    for variable in variables:
        if variable.values:
            yield _value_labels(variable.values, place)
        place += variable.n_segments
    yield _extension(3, 4, struct.pack("<8i", 1, 0, 0, -1, 1, 1, 2, _UTF8))
    yield _extension(4, 8, struct.pack("<3d", _NO_VALUE, sys.float_info.max, _NEXT_TO_LOWEST))
    shown = [
        (each.measure, min(each.width, 32) or 8 + each.decimals, int(not each.width)) for each in variables
    ]
    yield _extension(11, 4, b"".join(struct.pack("<3i", *each) for each in shown))
    names = (f"{_short_name(number)}={each.name}" for number, each in enumerate(variables, start=1))
    yield _extension(13, 1, "\t".join(names).encode())
    yield _extension(20, 1, b"UTF-8")
    yield struct.pack("<2i", 999, 0)


def _short_name(number: int) -> str:
    return f"V{number}"


def _variable(variable: Variable, name: str) -> Iterator[bytes]:
    label = cut(variable.label, MAX_LABEL)
    head = (2, variable.width, int(bool(label)), len(variable.missing), variable.format, variable.format)
    yield struct.pack("<6i", *head) + name.encode().ljust(8)
    if label:
        yield struct.pack("<i", len(label)) + label.ljust(-(-len(label) // 4) * 4)
    yield struct.pack(f"<{len(variable.missing)}d", *variable.missing)
    yield (struct.pack("<6i", 2, -1, 0, 0, 0, 0) + b" " * 8) * (variable.n_segments - 1)


def _value_labels(values: Mapping[float, str], place: int) -> bytes:
    parts = [struct.pack("<2i", 3, len(values))]
    for value, text in values.items():
        label = cut(text, MAX_VALUE_LABEL)
        length = -(-(len(label) + 1) // 8) * 8
        parts.append(struct.pack("<d", value) + (bytes([len(label)]) + label).ljust(length))
    return b"".join([*parts, struct.pack("<3i", 4, 1, place)])


def _extension(subtype: int, size: int, content: bytes) -> bytes:
    return struct.pack("<4i", 7, subtype, size, len(content) // size) + content
