"""Files that commands write: complete, or not there at all."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from django.core.management.base import CommandError


def write_new_file(target: Path, pieces: Iterable[bytes]) -> None:
    """Write a new file that only its owner can read, under a temporary name until it is complete.

    Raises CommandError, and then leaves no file.
    """
    if os.path.lexists(target):
        raise CommandError(f"{target} already exists. Choose another name.")
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        try:
            with open(part, "xb", opener=_private) as file:
                for piece in pieces:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            # Unlike a rename, a link does not replace a file that has appeared meanwhile.
            _publish(part, target)
        finally:
            part.unlink(missing_ok=True)
    except FileExistsError:
        raise CommandError(f"{target} already exists. Choose another name.") from None
    except OSError as error:
        raise CommandError(f"{target} was not written: {error.strerror or error}.") from error


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _publish(part: Path, target: Path) -> None:
    try:
        os.link(part, target)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems have no links.
        if os.path.lexists(target):
            raise FileExistsError from None
        part.rename(target)
