"""The supervisor's messages on the terminal."""

import errno
import sys
import time
from collections.abc import Iterator

# Anything that takes longer than this is reported (seconds).
FIRST_WORD, NEXT_WORD = 4.0, 10.0


class StartError(Exception):
    """A reason not to start, with a message that says what to do."""


def say(text: str) -> None:
    _write(text, to_errors=False)


def warn(text: str) -> None:
    _write(f"WARNING: {text}", to_errors=True)


def waiting(what: str, *, seconds: float, pause: float = 0.05) -> Iterator[float]:
    """Iterate with a pause until the time is over; reports now and then what it is waiting for."""
    began = time.monotonic()
    say_at = FIRST_WORD
    while (passed := time.monotonic() - began) < seconds:
        if passed >= say_at:
            say(f"Waiting for {what} ({passed:.0f} s) …")
            say_at = passed + NEXT_WORD
        yield passed
        time.sleep(pause)


def _write(text: str, *, to_errors: bool) -> None:
    # Losing the terminal must not end the services.
    try:
        print(text, file=sys.stderr if to_errors else sys.stdout, flush=True)
    except (OSError, ValueError):
        return


def is_disk_full(error: OSError) -> bool:
    return error.errno in {errno.ENOSPC, errno.EDQUOT}


def disk_full(folder: object) -> StartError:
    return StartError(
        f"The disk that contains {folder} is full. Free some space and start again. No labels were lost."
    )
