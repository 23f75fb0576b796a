"""Writes a ZIP archive as a stream, one block in memory at a time."""

import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

BLOCK = 1 << 16
# A fixed time, so that the same content gives the same bytes.
NO_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class ZipMember:
    """A file of the archive: its name, and its content in pieces."""

    name: str
    pieces: Iterable[bytes]


class _ArchiveBuffer(io.RawIOBase):
    """Holds what the archive writes until it is fetched; it can't seek, because a response can't."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, part: bytes) -> int:  # type: ignore[override]
        self._parts.append(bytes(part))
        self.size += len(part)
        return len(part)

    def taken(self) -> bytes:
        found = b"".join(self._parts)
        self._parts.clear()
        self.size = 0
        return found


def zip_pieces(members: Iterable[ZipMember]) -> Iterator[bytes]:
    """The archive in blocks; without the last one it is invalid, so that a broken transfer is noticed."""
    sink = _ArchiveBuffer()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for member in members:
            info = zipfile.ZipInfo(member.name, date_time=NO_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            with archive.open(info, "w", force_zip64=True) as file:
                for piece in member.pieces:
                    file.write(piece)
                    if sink.size >= BLOCK:
                        yield sink.taken()
    yield sink.taken()


def in_blocks(lines: Iterable[str], *, size: int = BLOCK) -> Iterator[bytes]:
    """Lines as UTF-8, in blocks."""
    waiting: list[str] = []
    length = 0
    for line in lines:
        waiting.append(line)
        length += len(line)
        if length >= size:
            yield "".join(waiting).encode()
            waiting.clear()
            length = 0
    if waiting:
        yield "".join(waiting).encode()
