"""Files that are stored completely or not at all, even after a crash."""

import os
import tempfile
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage


class DurableFiles(FileSystemStorage):
    """Writes a temporary file, syncs it to disk, and only then renames it."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        # A name is the digest of its content, so an existing file is identical.
        return name

    def _save(self, name: str, content: "File[Any]") -> str:
        path = Path(self.path(name))
        Path(self.location).mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
        try:
            with os.fdopen(handle, "wb") as file:
                for block in content.chunks():
                    file.write(block)
                file.flush()
                os.fsync(file.fileno())
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
        return name


def sync_folder(folder: Path) -> None:
    """So that new names in it survive a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
