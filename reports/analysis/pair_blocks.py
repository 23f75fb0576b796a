"""Pairs of raters in blocks, which can be computed by several workers, with what all raters' figures need of them."""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.blockwise import Blockwise, State
from reports.agreement.results import FloatArray
from reports.analysis.results import PairResult

# What is left of pairs, such as the rows that are stored.
Keep = Callable[[Iterable[PairResult]], bytes]
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class PairBlock:
    """Some pairs. kept: what `keep` returned for them. summary: what the figures of all raters need."""

    n_pairs: int
    kept: bytes
    summary: Arrays


def each(take: Callable[[PairResult], object]) -> Keep:
    """Keep nothing of the pairs but what `take` does with each."""

    def keep(pairs: Iterable[PairResult]) -> bytes:
        for pair in pairs:
            take(pair)
        return b""

    return keep


def ignore(pairs: Iterable[PairResult]) -> bytes:
    """Ignore the pairs, for analyses of all raters only."""
    return b""


@dataclass(frozen=True, slots=True, eq=False)
class PairBlocks(Blockwise[PairBlock]):
    """The pairs of a question, by their first raters. count: of the blocks. find: the blocks from one up to another,
    from the state of the first.

    sizes: how many pairs are in each block; None if they are about as many in all.
    states_at: the states of blocks; None if they have none.
    """

    count: Callable[[], int]
    find: Callable[[int, int, State], Iterator[PairBlock]]
    sizes: Callable[[], FloatArray] | None = None
    states_at: Callable[[Sequence[int]], list[State]] | None = None

    @property
    def key(self) -> str:
        return "pairs"

    @property
    def n_blocks(self) -> int:
        return self.count()

    @property
    def costs(self) -> FloatArray:
        return np.ones(self.n_blocks) if self.sizes is None else self.sizes()

    def states(self, starts: Sequence[int]) -> list[State]:
        return [None] * len(starts) if self.states_at is None else self.states_at(starts)

    def blocks(self, first: int, last: int, state: State) -> Iterator[PairBlock]:
        return self.find(first, last, state)

    def packed(self, block: PairBlock) -> bytes:
        sent = io.BytesIO()
        kept = np.frombuffer(block.kept, dtype=np.uint8)
        np.savez(sent, allow_pickle=False, n_pairs=block.n_pairs, kept=kept, **block.summary)
        return sent.getvalue()

    def unpacked(self, sent: bytes) -> PairBlock:
        with np.load(io.BytesIO(sent), allow_pickle=False) as found:
            arrays = dict(found)
        return PairBlock(int(arrays.pop("n_pairs")), arrays.pop("kept").tobytes(), arrays)
