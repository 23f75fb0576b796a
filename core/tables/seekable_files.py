"""Files whose readers need a path or random access."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from core.tables.encoding import Source


@contextmanager
def as_file(source: Source) -> Iterator[IO[bytes]]:
    """The content in an unnamed temporary file."""
    with tempfile.TemporaryFile() as file:
        _copy(source, file)
        yield file


@contextmanager
def as_path(source: Source, suffix: str) -> Iterator[Path]:
    """The content at a temporary path."""
    with tempfile.NamedTemporaryFile(suffix=suffix) as file:
        _copy(source, file)
        yield Path(file.name)


def _copy(source: Source, file: IO[bytes]) -> None:
    for block in source():
        file.write(block)
    file.flush()
    file.seek(0)
