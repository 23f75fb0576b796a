"""Progress of a computation with several steps."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from reports.agreement.ticks import Tick, part_of

# Called with the stage in words and the overall progress in [0, 1]; an exception from it ends the computation.
ReportStep = Callable[[str, float], None]
T = TypeVar("T")


def silent(stage: str, share: float) -> None:
    """Ignore progress."""


def phase(report_step: ReportStep, words: str, start: float, end: float) -> Tick:
    """Return a tick for one stage, which covers the overall progress from start to end."""
    tick = part_of(lambda share: report_step(words, share), start, end)
    tick(0)
    return tick


def each_of(things: Sequence[T], tick: Tick) -> Iterator[tuple[T, Tick]]:
    """Yield each thing with a tick for its part of the work."""
    for place, thing in enumerate(things):
        part = part_of(tick, place / len(things), (place + 1) / len(things))
        part(0)
        yield thing, part
