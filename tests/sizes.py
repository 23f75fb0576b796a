"""How much of what can be large `make test` runs; `make faults` runs all of it."""

import os
from collections.abc import Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")

FULL = os.environ.get("FAULTS") == "full"
only_in_full = pytest.mark.skipif(not FULL, reason="`make faults` runs it")


def size(full: int, short: int) -> int:
    return full if FULL else short


def some(cases: Iterable[T], *, every: int) -> list[T]:
    """All of them, or the first and each so-manieth after it."""
    return list(cases)[:: 1 if FULL else every]
