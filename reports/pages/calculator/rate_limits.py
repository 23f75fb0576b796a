"""Limits on calculations per IP address and at the same time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from allauth.core.internal.ratelimit import consume
from django.conf import settings
from django.http import HttpRequest

from core.refusals import Refused

# Seconds that a request waits for the previous one; more than a few waiting requests would block other pages.
PATIENCE, MOST_WAITING = 10.0, 3

_turn = threading.BoundedSemaphore(1)
_waiting = threading.BoundedSemaphore(MOST_WAITING)


class CalculatorRateLimited(Refused):
    code, status_code, retry_after = "too_often", 429, 60

    def __init__(self) -> None:
        super().__init__("You have used the calculator too often. Wait a minute, then try again.")


class CalculatorBusy(Refused):
    code, status_code, retry_after = "calculator_busy", 429, 10

    def __init__(self) -> None:
        super().__init__("Others are calculating at the moment. Try again in a few seconds.")


def refuse_too_often(request: HttpRequest) -> None:
    """Count a calculation. Raises CalculatorRateLimited. Only the IP address is kept, in the cache, for an hour."""
    rates = {"calculate": settings.CALCULATOR_RATE}
    if consume(request, app="calculator", action="calculate", config=rates) is None:
        raise CalculatorRateLimited


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Allow one calculation at a time in each web server process. Raises CalculatorBusy."""
    if not _waiting.acquire(blocking=False):
        raise CalculatorBusy
    try:
        has_turn = _turn.acquire(timeout=PATIENCE)
    finally:
        _waiting.release()
    if not has_turn:
        raise CalculatorBusy
    try:
        yield
    finally:
        _turn.release()
