"""Short tasks that the dispatcher does every few seconds, registered by apps that `core` must not import."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chore:
    """work: called in the dispatcher between two polls, so it must take milliseconds only. every: seconds."""

    work: Callable[[], None]
    every: float


_chores: list[Chore] = []


def look_after(work: Callable[[], None], *, every: float) -> None:
    _chores.append(Chore(work, every))


def chores() -> Sequence[Chore]:
    return tuple(_chores)
