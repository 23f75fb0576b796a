"""Replicates of statistics in blocks, which can be computed here, or some of them elsewhere, with the same bits."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from reports.agreement.results import FloatArray
from reports.agreement.sample import Scale
from reports.agreement.statistic import Statistic
from reports.agreement.ticks import Tick

# The state of a random generator before a block; None for the beginning, and for blocks that draw nothing.
State = Mapping[str, Any] | None


class Blockwise(Protocol):
    """Rows of values in blocks that are computed one by one, each of them always as a whole."""

    @property
    def key(self) -> str:
        """What is computed, unique within a question."""

    @property
    def n_blocks(self) -> int: ...

    @property
    def shape(self) -> tuple[int, int]:
        """The shape (B, K) of all blocks together."""

    def states(self, starts: Sequence[int]) -> list[State]:
        """Return what these blocks, in ascending order, start from."""

    def blocks(self, first: int, last: int, state: State) -> Iterator[FloatArray]:
        """Yield the blocks from `first` up to `last`, each (b, K). state: what `states` returns for `first`."""


# Returns (B, K), all blocks in order.
Compute = Callable[[Blockwise, Tick], FloatArray]


@dataclass(frozen=True, slots=True)
class Within:
    """Work on a part of a question, such as a category, whose name makes its key unique."""

    name: str
    work: Blockwise

    @property
    def key(self) -> str:
        return f"{self.name}: {self.work.key}"

    @property
    def n_blocks(self) -> int:
        return self.work.n_blocks

    @property
    def shape(self) -> tuple[int, int]:
        return self.work.shape

    def states(self, starts: Sequence[int]) -> list[State]:
        return self.work.states(starts)

    def blocks(self, first: int, last: int, state: State) -> Iterator[FloatArray]:
        return self.work.blocks(first, last, state)


def within(name: str, compute: Compute) -> Compute:
    """Compute work on a part of a question."""
    return lambda work, tick: compute(Within(name, work), tick)


def here(work: Blockwise, tick: Tick) -> FloatArray:
    """Compute all blocks, one after the other."""
    [state] = work.states([0])
    found = []
    for block in work.blocks(0, work.n_blocks, state):
        found.append(block)
        tick(len(found) / work.n_blocks)
    return np.concatenate(found)


@dataclass(slots=True)
class Piece:
    """Computes some blocks of one work, and leaves all others undefined, so that nothing else takes time.

    found: (b, K), the blocks from `first` up to `last`, once that work was asked for.
    """

    key: str
    first: int
    last: int
    state: State
    tick: Tick
    found: FloatArray | None = None

    def __call__(self, work: Blockwise, tick: Tick) -> FloatArray:
        if work.key == self.key:
            self.found = np.concatenate(list(self._ticking(work)))
        return np.full(work.shape, np.nan)

    def _ticking(self, work: Blockwise) -> Iterator[FloatArray]:
        for place, block in enumerate(work.blocks(self.first, self.last, self.state), start=1):
            yield block
            self.tick(place / (self.last - self.first))


def key_of(what: str, statistics: Sequence[Statistic], scale: Scale) -> str:
    names = "+".join(each.name for each in statistics)
    return f"{what} of {names}, {scale.level}, {scale.weights}, {scale.n_categories}"
