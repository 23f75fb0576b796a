"""Columns of numbers as a few bytes, and back."""

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The kind of number, what is added to each, and how many there are.
HEADER = struct.Struct("<4sqq")
# Higher levels save little more and take many times as long.
LEVEL = 1


def packed(column: NDArray[Any]) -> bytes:
    """(n,) integers, bools or floats: small numbers in small types, equal bytes side by side, compressed."""
    base = 0
    if column.dtype.kind in "iu":
        base = int(column.min()) if len(column) else 0
        highest = int(column.max()) - base if len(column) else 0
        column = (column - base).astype(np.min_scalar_type(highest))
    little = np.ascontiguousarray(column.astype(column.dtype.newbyteorder("<")))
    # The high bytes of neighbors are alike: together they take next to no room.
    planes = little.view(np.uint8).reshape(len(little), little.itemsize).T
    head = HEADER.pack(little.dtype.str.encode(), base, len(little))
    return head + zlib.compress(planes.tobytes(), LEVEL)


def unpacked(kept: bytes) -> NDArray[Any]:
    """The same numbers; integers as int64."""
    name, base, n = HEADER.unpack_from(kept)
    kind = np.dtype(name.rstrip(b"\0").decode())
    planes = np.frombuffer(zlib.decompress(memoryview(kept)[HEADER.size :]), dtype=np.uint8)
    column = np.ascontiguousarray(planes.reshape(kind.itemsize, n).T).view(kind).ravel()
    if kind.kind not in "iu":
        return column
    found: NDArray[np.int64] = column.astype(np.int64)
    found += base
    return found
