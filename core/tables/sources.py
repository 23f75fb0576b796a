"""Where a file's bytes come from."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from core.tables.encoding import Source

BLOCK = 256 * 1024
# How exactly a metered source knows what has been read.
_STEP = 64 * 1024


def file_at(path: Path) -> Source:
    """The file at a path, in blocks."""

    def blocks() -> Iterator[bytes]:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                yield block

    return blocks


def bytes_of(content: bytes) -> Source:
    """A file whose content is in memory."""
    return lambda: iter([content] if content else [])


class MeteredSource:
    """A source that knows how much of it has been read since it was last opened."""

    def __init__(self, source: Source) -> None:
        self.source, self.n_read = source, 0

    def __call__(self) -> Iterator[bytes]:
        self.n_read = 0
        for block in self.source():
            for at in range(0, len(block), _STEP):
                self.n_read += len(part := block[at : at + _STEP])
                yield part


def digest_of(source: Source) -> tuple[str, int]:
    """sha256 and number of bytes."""
    digest, n_bytes = hashlib.sha256(), 0
    for block in source():
        digest.update(block)
        n_bytes += len(block)
    return digest.hexdigest(), n_bytes
