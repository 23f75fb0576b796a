"""Packing columns of numbers into few bytes, and unpacking them."""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The type of the numbers, the base added to each, and their number.
HEADER = struct.Struct("<4sqq")
# Of a column packed together with others.
LENGTH = struct.Struct("<q")
# Higher levels save little and take many times as long.
LEVEL = 1


def packed(column: NDArray[Any]) -> bytes:
    """Pack (n,) integers, bools, or floats: in the smallest type, bytes grouped by significance, compressed."""
    base = 0
    if column.dtype.kind in "iu":
        base = int(column.min()) if len(column) else 0
        highest = int(column.max()) - base if len(column) else 0
        column = (column - base).astype(np.min_scalar_type(highest))
    little = np.ascontiguousarray(column.astype(column.dtype.newbyteorder("<")))
    # The high bytes of neighboring numbers are alike, and compress to almost nothing if they are stored together.
    planes = little.view(np.uint8).reshape(len(little), little.itemsize).T
    head = HEADER.pack(little.dtype.str.encode(), base, len(little))
    return head + zlib.compress(planes.tobytes(), LEVEL)


def packed_columns(columns: Sequence[NDArray[Any]]) -> bytes:
    """Pack several columns into one, each after its length."""
    found = [packed(column) for column in columns]
    return b"".join(part for column in found for part in (LENGTH.pack(len(column)), column))


def unpacked_columns(packed: bytes) -> list[NDArray[Any]]:
    """Unpack what `packed_columns` packed."""
    found, start = [], 0
    while start < len(packed):
        [length] = LENGTH.unpack_from(packed, start)
        start += LENGTH.size + length
        found.append(unpacked(packed[start - length : start]))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class CompactArray:
    """(n,) numbers in their stored type. base: added to each integer; 0 for other types."""

    base: int
    values: NDArray[Any]

    @property
    def wide(self) -> NDArray[Any]:
        """All integers as int64, (n,)."""
        return self._widened(self.values)

    def at(self, places: NDArray[np.int64]) -> NDArray[Any]:
        """Return the numbers at some positions, which may be any index of an array."""
        return self._widened(self.values[places])

    def is_one_of(self, wanted: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether each integer is among `wanted`, (n,), by a lookup table if the type is small."""
        if self.values.dtype.itemsize > 2:
            return np.isin(self.wide, wanted)
        table = np.zeros(np.iinfo(self.values.dtype).max + 1, dtype=bool)
        places = wanted - self.base
        table[places[(places >= 0) & (places < len(table))]] = True
        return table[self.values]

    def _widened(self, values: NDArray[Any]) -> NDArray[Any]:
        if values.dtype.kind not in "iu":
            return values
        found: NDArray[np.int64] = values.astype(np.int64)
        found += self.base
        return found


def has_any(packed: bytes, wanted: NDArray[np.int64]) -> bool:
    """Return whether any of these integers is among those packed; often the bounds in the header tell."""
    name, base, n = HEADER.unpack_from(packed)
    highest = base + int(np.iinfo(np.dtype(name.rstrip(b"\0").decode())).max)
    near = wanted[(wanted >= base) & (wanted <= highest)]
    return n > 0 and len(near) > 0 and bool(unpack(packed).is_one_of(near).any())


def unpacked(packed: bytes) -> NDArray[Any]:
    """Unpack the numbers; integers as int64."""
    return unpack(packed).wide


def unpack(packed: bytes) -> CompactArray:
    """Unpack the numbers in their stored type."""
    name, base, n = HEADER.unpack_from(packed)
    kind = np.dtype(name.rstrip(b"\0").decode())
    planes = np.frombuffer(zlib.decompress(memoryview(packed)[HEADER.size :]), dtype=np.uint8)
    return CompactArray(base, np.ascontiguousarray(planes.reshape(kind.itemsize, n).T).view(kind).ravel())
