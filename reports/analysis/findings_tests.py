"""The tests of a search for findings, which can be computed by several workers."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from reports.agreement.blockwise import Blockwise, State
from reports.analysis.results import Finding, read_json, to_json

# Findings of one or more tests, before correction, and the number of tests among which they are.
Candidates = tuple[list[Finding], int]
Test = Callable[[], Candidates]


@dataclass(frozen=True, slots=True, eq=False)
class Tests(Blockwise[Candidates]):
    """The tests of a question. Each block is one of them, or all of one rater. every: returns them all."""

    every: Callable[[], Sequence[Test]]

    @property
    def key(self) -> str:
        return "findings"

    @property
    def n_blocks(self) -> int:
        return len(self.every())

    def blocks(self, first: int, last: int, state: State) -> Iterator[Candidates]:
        return (test() for test in self.every()[first:last])

    def packed(self, block: Candidates) -> bytes:
        found, n = block
        return json.dumps([to_json(found), n]).encode()

    def unpacked(self, sent: bytes) -> Candidates:
        found, n = json.loads(sent)
        return [read_json(Finding, each) for each in found], n


def joined(each: Iterable[Candidates]) -> Candidates:
    candidates: list[Finding] = []
    n_tested = 0
    for some, n in each:
        candidates += some
        n_tested += n
    return candidates, n_tested
