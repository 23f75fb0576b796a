"""What the supervisor says to the person at the terminal."""

import errno
import sys
import time
from collections.abc import Iterator

# Nothing that takes longer than this is passed over in silence (seconds).
FIRST_WORD, NEXT_WORD = 4.0, 10.0


class StartRefused(Exception):
    """A reason not to start, in a sentence that says what to do."""


def say(text: str) -> None:
    _write(text, to_errors=False)


def warn(text: str) -> None:
    _write(f"WARNING: {text}", to_errors=True)


def waiting(what: str, *, seconds: float, pause: float = 0.05) -> Iterator[float]:
    """Go round until the time is over, with a pause each time; says now and then what is being waited for."""
    began = time.monotonic()
    say_at = FIRST_WORD
    while (passed := time.monotonic() - began) < seconds:
        if passed >= say_at:
            say(f"Waiting for {what} ({passed:.0f} s) …")
            say_at = passed + NEXT_WORD
        yield passed
        time.sleep(pause)


def _write(text: str, *, to_errors: bool) -> None:
    # A terminal that went away must not take the services with it.
    try:
        print(text, file=sys.stderr if to_errors else sys.stdout, flush=True)
    except (OSError, ValueError):
        return


def is_disk_full(error: OSError) -> bool:
    return error.errno in {errno.ENOSPC, errno.EDQUOT}


def disk_full(folder: object) -> StartRefused:
    return StartRefused(
        f"The disk that contains {folder} is full. Free some space and start again. No labels were lost."
    )
