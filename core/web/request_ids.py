"""The ID of the current request: in its response, and in every log line written meanwhile."""

import secrets
from contextvars import ContextVar

_current: ContextVar[str] = ContextVar("request_id", default="")


def begin() -> str:
    """Give a new request its ID. An ID sent by a client is ignored, so that nobody can forge log lines."""
    request_id = secrets.token_hex(8)
    _current.set(request_id)
    return request_id


def end() -> None:
    _current.set("")


def current() -> str:
    """The ID of the current request; empty outside of one."""
    return _current.get()
