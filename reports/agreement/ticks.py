"""How far a computation is."""

from collections.abc import Callable

# Told the share of the work done, from 0 to 1, between blocks; whatever it raises ends the computation.
Tick = Callable[[float], None]


def part_of(tick: Tick | None, start: float, end: float) -> Tick:
    """A tick for a part of the work, from one share of the whole to another; one that does nothing for None."""
    if tick is None:
        return lambda share: None
    whole = tick
    return lambda share: whole(start + (end - start) * share)
