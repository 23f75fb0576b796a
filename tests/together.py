"""Doing something many times at the same moment, each on a connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connection

T = TypeVar("T")
PATIENCE = 240


def at_once(n: int, do: Callable[[int], T]) -> list[T]:
    """What `do` returns for 0 to n - 1, when all start together."""
    barrier = Barrier(n)

    def one(number: int) -> T:
        try:
            barrier.wait(PATIENCE)
            return do(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(one, range(n)))
