"""Where a file's bytes come from."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from core.tables.encoding import Source

BLOCK = 256 * 1024


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


def digest_of(source: Source) -> tuple[str, int]:
    """sha256 and number of bytes."""
    digest, n_bytes = hashlib.sha256(), 0
    for block in source():
        digest.update(block)
        n_bytes += len(block)
    return digest.hexdigest(), n_bytes
