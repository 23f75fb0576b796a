"""A block of pairs of raters with their confusion matrices."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import IntArray

# Cells of a block of tables: 4 bytes each, 32 MiB.
BLOCK_CELLS = 1 << 23


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """A block of pairs of raters, each once, rater_a before rater_b.

    rater_a, rater_b: (P,) positions of raters. n: (P,) items that both labeled.
    tables: (P, K, K) int32; numbers of items, rows by rater_a's category, columns by rater_b's.
    """

    rater_a: NDArray[np.int64]
    rater_b: NDArray[np.int64]
    n: NDArray[np.int64]
    tables: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.n)

    def only(self, keep: NDArray[np.bool_]) -> "PairCounts":
        return PairCounts(self.rater_a[keep], self.rater_b[keep], self.n[keep], self.tables[keep])


def pair_block(rater_a: IntArray, rater_b: IntArray, tables: IntArray) -> PairCounts:
    """Return a block from its tables; raises ValueError if a count does not fit into 32 bits."""
    n = tables.sum(axis=(1, 2), dtype=np.int64)
    if len(n) and n.max() > np.iinfo(np.int32).max:
        raise ValueError(f"at most {np.iinfo(np.int32).max} items, got {n.max()}")
    return PairCounts(
        rater_a.astype(np.int64, copy=False),
        rater_b.astype(np.int64, copy=False),
        n,
        tables.astype(np.int32, copy=False),
    )
