"""Work in blocks, which can be computed here, or some of them elsewhere, with the same bits."""

import io
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from reports.agreement.progress_callbacks import ReportProgress
from reports.agreement.results import FloatArray
from reports.agreement.sample import Scale
from reports.agreement.statistic import Statistic

# Of a result that one worker sends another; the report's worker computes larger ones itself, as it needs them.
MOST_BYTES = 1 << 28

# What a block starts from, such as the state of a random generator; None if from nothing.
State = Mapping[str, Any] | None

T = TypeVar("T")


class Blockwise(ABC, Generic[T]):
    """Blocks that are computed one by one, each of them always as a whole: replicates, pairs of raters, or findings."""

    @property
    @abstractmethod
    def key(self) -> str:
        """What is computed, unique within a question."""

    @property
    @abstractmethod
    def n_blocks(self) -> int: ...

    @property
    def costs(self) -> FloatArray:
        """(n_blocks,) how much work each block is, in any unit."""
        return np.ones(self.n_blocks)

    @property
    def left_out(self) -> list[T]:
        """What takes the place of all blocks where none is computed."""
        return []

    def states(self, starts: Sequence[int]) -> list[State]:
        """Return what these blocks, in ascending order, start from."""
        return [None] * len(starts)

    @abstractmethod
    def blocks(self, first: int, last: int, state: State) -> Iterator[T]:
        """Yield the blocks from `first` up to `last`. state: what `states` returns for `first`."""

    @abstractmethod
    def packed(self, block: T) -> bytes:
        """Return a block as it is sent to another worker."""

    @abstractmethod
    def unpacked(self, sent: bytes) -> T:
        """Return the block that was packed, equal to the last bit."""


class ComputeBlocks(Protocol):
    """Computes all blocks of a work and yields them in order; `here`, or on several workers."""

    def __call__(self, work: Blockwise[T], report_progress: ReportProgress) -> Iterator[T]: ...


class Replicates(Blockwise[FloatArray]):
    """Rows of values, (B, K) all together and (b, K) in a block."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """The shape (B, K) of all blocks together."""

    @property
    def left_out(self) -> list[FloatArray]:
        return [np.full(self.shape, np.nan)]

    def packed(self, block: FloatArray) -> bytes:
        sent = io.BytesIO()
        np.save(sent, block, allow_pickle=False)
        return sent.getvalue()

    def unpacked(self, sent: bytes) -> FloatArray:
        found: FloatArray = np.load(io.BytesIO(sent), allow_pickle=False)
        return found


def all_rows(work: Replicates, compute: ComputeBlocks, report_progress: ReportProgress) -> FloatArray:
    """Return (B, K), all blocks in order."""
    return np.concatenate(list(compute(work, report_progress)))


@dataclass(frozen=True, slots=True)
class NamedWork(Blockwise[T]):
    """Work on a part of a question, such as a category, whose name makes its key unique."""

    name: str
    work: Blockwise[T]

    @property
    def key(self) -> str:
        return f"{self.name}: {self.work.key}"

    @property
    def n_blocks(self) -> int:
        return self.work.n_blocks

    @property
    def costs(self) -> FloatArray:
        return self.work.costs

    @property
    def left_out(self) -> list[T]:
        return self.work.left_out

    def states(self, starts: Sequence[int]) -> list[State]:
        return self.work.states(starts)

    def blocks(self, first: int, last: int, state: State) -> Iterator[T]:
        return self.work.blocks(first, last, state)

    def packed(self, block: T) -> bytes:
        return self.work.packed(block)

    def unpacked(self, sent: bytes) -> T:
        return self.work.unpacked(sent)


def named(name: str, compute: ComputeBlocks) -> ComputeBlocks:
    """Compute work on a part of a question."""

    def found(work: Blockwise[T], report_progress: ReportProgress) -> Iterator[T]:
        return compute(NamedWork(name, work), report_progress)

    return found


def here(work: Blockwise[T], report_progress: ReportProgress) -> Iterator[T]:
    """Compute all blocks, one after the other."""
    n_blocks = work.n_blocks
    for n_done, block in enumerate(work.blocks(0, n_blocks, *work.states([0])), start=1):
        yield block
        report_progress(n_done / n_blocks)


@dataclass(slots=True)
class ShardBlocks:
    """Computes some blocks of one work, and leaves out all others, so that nothing else takes time.

    found: the blocks from `first` up to `last`, packed, once that work was asked for; empty if they are too large to be
    sent.
    """

    key: str
    first: int
    last: int
    state: State
    report_progress: ReportProgress
    found: list[bytes] | None = None
    is_too_large: bool = False

    def __call__(self, work: Blockwise[T], report_progress: ReportProgress) -> Iterator[T]:
        if work.key == self.key:
            found = list(self._packed(work))
            self.found = [] if self.is_too_large else found
        return iter(work.left_out)

    def _packed(self, work: Blockwise[T]) -> Iterator[bytes]:
        size = 0
        for n_done, block in enumerate(work.blocks(self.first, self.last, self.state), start=1):
            packed = work.packed(block)
            size += len(packed)
            if size > MOST_BYTES:
                self.is_too_large = True
                return
            yield packed
            self.report_progress(n_done / (self.last - self.first))


def key_of(what: str, statistics: Sequence[Statistic], scale: Scale) -> str:
    names = "+".join(each.name for each in statistics)
    return f"{what} of {names}, {scale.level}, {scale.weights}, {scale.n_categories}"
