"""How far a computation of several steps is."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from reports.agreement.ticks import Tick, part_of

# Called with the stage in words and the share of all that is done; whatever it raises ends the computation.
Tell = Callable[[str, float], None]
T = TypeVar("T")


def silent(stage: str, share: float) -> None:
    """For computations that nobody follows."""


def phase(tell: Tell, words: str, start: float, end: float) -> Tick:
    """A tick for one stage, from one share of the whole to another."""
    tick = part_of(lambda share: tell(words, share), start, end)
    tick(0)
    return tick


def each_of(things: Sequence[T], tick: Tick) -> Iterator[tuple[T, Tick]]:
    """Each with a tick for the part of the work that is its own."""
    for place, thing in enumerate(things):
        part = part_of(tick, place / len(things), (place + 1) / len(things))
        part(0)
        yield thing, part
