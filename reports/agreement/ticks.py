"""Progress of a computation."""

from collections.abc import Callable

# Called between blocks with the share of the work done, from 0 to 1; an exception from it ends the computation.
Tick = Callable[[float], None]


def no_progress(share: float) -> None:
    """Tell nobody how far the work is."""


def part_of(tick: Tick | None, start: float, end: float) -> Tick:
    """Return a tick for a part of the work, from one share of the whole to another; for None, one that does nothing."""
    if tick is None:
        return no_progress
    whole = tick
    return lambda share: whole(start + (end - start) * share)
