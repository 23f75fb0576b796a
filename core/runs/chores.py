"""What the dispatcher looks after every few seconds: short work of apps that this one must not import."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chore:
    """work: done in the dispatcher, between two looks at the runs, so it takes milliseconds. every: seconds."""

    work: Callable[[], None]
    every: float


_chores: list[Chore] = []


def look_after(work: Callable[[], None], *, every: float) -> None:
    _chores.append(Chore(work, every))


def chores() -> Sequence[Chore]:
    return tuple(_chores)
