"""The ID of the current request: in its response, the runs that it queues, and every log line written meanwhile."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LONGEST = 64
# Nothing that could look like another field of a log line.
_ACCEPTED = re.compile(r"[0-9A-Za-z_-]{8,64}")
_current: ContextVar[str] = ContextVar("request_id", default="")


def begin(sent: str = "") -> str:
    """Give a new request its ID. sent: what our own proxy sent as its ID, which is taken if it looks like one."""
    request_id = sent if _ACCEPTED.fullmatch(sent) else secrets.token_hex(8)
    _current.set(request_id)
    return request_id


def end() -> None:
    _current.set("")


@contextmanager
def resumed(request_id: str) -> Iterator[None]:
    """Within the block, a worker continues what this request began; empty if it was no request."""
    token = _current.set(request_id)
    try:
        yield
    finally:
        _current.reset(token)


def current() -> str:
    """The ID of the current request; empty outside of one."""
    return _current.get()
