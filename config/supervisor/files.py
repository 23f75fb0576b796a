"""Files that only we can read."""

import os
import secrets
import shutil
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Write or replace a file with mode 0600; readers see the old or the new text, never a part."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        write_new(draft, text)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_new(path: Path, text: str, *, owner: tuple[int, int] | None = None) -> None:
    """Create a file with mode 0600, owned by `owner` (uid, gid) if given; fails if it exists."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        if owner:
            os.fchown(file.fileno(), *owner)


def remove(path: Path) -> None:
    """Remove a file or a folder as far as possible; another process may be writing to it."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
