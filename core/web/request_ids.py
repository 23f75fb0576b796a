"""The id of the request that is being answered: in its answer, and in every log line written meanwhile."""

import secrets
from contextvars import ContextVar

_current: ContextVar[str] = ContextVar("request_id", default="")


def begin() -> str:
    """Give a new request its id. What a client sends as one is ignored, so that nobody can forge log lines."""
    request_id = secrets.token_hex(8)
    _current.set(request_id)
    return request_id


def end() -> None:
    _current.set("")


def current() -> str:
    """The id of this request; empty outside of one."""
    return _current.get()
