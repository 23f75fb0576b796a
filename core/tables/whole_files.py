"""Files that can only be read from a disk, or by going back and forth in them."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from core.tables.encoding import Source


@contextmanager
def as_file(source: Source) -> Iterator[IO[bytes]]:
    """The file in a temporary one without a name."""
    with tempfile.TemporaryFile() as file:
        _copy(source, file)
        yield file


@contextmanager
def as_path(source: Source, suffix: str) -> Iterator[Path]:
    """The file at a path of its own."""
    with tempfile.NamedTemporaryFile(suffix=suffix) as file:
        _copy(source, file)
        yield Path(file.name)


def _copy(source: Source, file: IO[bytes]) -> None:
    for block in source():
        file.write(block)
    file.flush()
    file.seek(0)
