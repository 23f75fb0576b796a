"""How often the calculator is used from one address, and how many calculate at once."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from allauth.core.internal.ratelimit import consume
from django.conf import settings
from django.http import HttpRequest

from core.refusals import Refused

# So long does a request wait for the one before it, in seconds; more than a few waiting would hold up other pages.
PATIENCE, MOST_WAITING = 10.0, 3

_turn = threading.BoundedSemaphore(1)
_waiting = threading.BoundedSemaphore(MOST_WAITING)


class TooOften(Refused):
    code, status_code, retry_after = "too_often", 429, 60

    def __init__(self) -> None:
        super().__init__("You have used the calculator very often. Wait a minute, then try again.")


class Busy(Refused):
    code, status_code, retry_after = "calculator_busy", 429, 10

    def __init__(self) -> None:
        super().__init__("Others are calculating at the moment. Try again in a few seconds.")


def refuse_too_often(request: HttpRequest) -> None:
    """Raises TooOften. Only the address is counted, in the cache, and forgotten after an hour."""
    rates = {"calculate": settings.CALCULATOR_RATE}
    if consume(request, app="calculator", action="calculate", config=rates) is None:
        raise TooOften


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """In each process of the web server. Raises Busy."""
    if not _waiting.acquire(blocking=False):
        raise Busy
    try:
        has_turn = _turn.acquire(timeout=PATIENCE)
    finally:
        _waiting.release()
    if not has_turn:
        raise Busy
    try:
        yield
    finally:
        _turn.release()
