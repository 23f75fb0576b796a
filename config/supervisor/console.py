"""What the supervisor says to the person at the terminal."""

import errno
import sys


class Refusal(Exception):
    """A reason not to start, in a sentence that says what to do."""


def say(text: str) -> None:
    _write(text, to_errors=False)


def warn(text: str) -> None:
    _write(f"WARNING: {text}", to_errors=True)


def _write(text: str, *, to_errors: bool) -> None:
    # A terminal that went away must not take the services with it.
    try:
        print(text, file=sys.stderr if to_errors else sys.stdout, flush=True)
    except (OSError, ValueError):
        return


def is_disk_full(error: OSError) -> bool:
    return error.errno in {errno.ENOSPC, errno.EDQUOT}


def disk_full(folder: object) -> Refusal:
    return Refusal(
        f"The disk that holds {folder} is full. Free some space there and start again; no label is lost."
    )
