"""The tables of counts of all pairs of raters."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.ratings import DenseRatings, Ratings
from reports.agreement.results import IntArray

# Told the share of the work done, from 0 to 1, between blocks; whatever it raises ends the computation.
Tick = Callable[[float], None]


def part_of(tick: Tick | None, start: float, end: float) -> Tick:
    """A tick for a part of the work, from one share of the whole to another; one that does nothing for None."""
    if tick is None:
        return lambda share: None
    whole = tick
    return lambda share: whole(start + (end - start) * share)


# Cells of a block of tables: 4 bytes each, 32 MiB.
BLOCK_CELLS = 1 << 23
THREADS = 2


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """A block of pairs of raters, each once, rater_a before rater_b.

    rater_a, rater_b: (P,) positions of raters. n: (P,) items that both labelled.
    tables: (P, K, K) int32; items that rater_a put in the category of the row and rater_b in that of the
    column.
    """

    rater_a: NDArray[np.int64]
    rater_b: NDArray[np.int64]
    n: NDArray[np.int64]
    tables: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.n)

    def only(self, keep: NDArray[np.bool_]) -> "PairCounts":
        return PairCounts(self.rater_a[keep], self.rater_b[keep], self.n[keep], self.tables[keep])


def count_pairs(
    ratings: Ratings, *, min_shared: int = 1, threads: int = THREADS, tick: Tick | None = None
) -> Iterator[PairCounts]:
    """Tables of counts of all pairs that share at least min_shared items (0: of all pairs, of dense ratings
    only).

    The integers are the same for dense and sparse ratings and any number of threads; blocks and their order
    are not. A block has at most about BLOCK_CELLS cells, so that memory is bounded however many pairs there
    are.
    """
    from reports.agreement import counting_dense, counting_sparse

    if isinstance(ratings, DenseRatings):
        yield from counting_dense.count(ratings, min_shared=min_shared, threads=threads, tick=tick)
    else:
        yield from counting_sparse.count(ratings, min_shared=min_shared, tick=tick)


def all_pairs(ratings: Ratings, *, min_shared: int = 1) -> PairCounts:
    """All blocks as one, ordered by rater_a, then rater_b; for ratings of few pairs."""
    blocks = list(count_pairs(ratings, min_shared=min_shared))
    n_categories = ratings.n_categories
    nobody = np.empty(0, dtype=np.int64)
    none = PairCounts(nobody, nobody, nobody, np.empty((0, n_categories, n_categories), dtype=np.int32))
    joined = PairCounts(
        *(
            np.concatenate([getattr(block, name) for block in (none, *blocks)])
            for name in ("rater_a", "rater_b", "n", "tables")
        )
    )
    order = np.lexsort((joined.rater_b, joined.rater_a))
    return PairCounts(joined.rater_a[order], joined.rater_b[order], joined.n[order], joined.tables[order])


def pair_block(rater_a: IntArray, rater_b: IntArray, tables: IntArray) -> PairCounts:
    """A block from its tables; raises ValueError if a count does not fit 32 bits."""
    n = tables.sum(axis=(1, 2), dtype=np.int64)
    if len(n) and n.max() > np.iinfo(np.int32).max:
        raise ValueError(f"at most {np.iinfo(np.int32).max} items, got {n.max()}")
    return PairCounts(
        rater_a.astype(np.int64, copy=False),
        rater_b.astype(np.int64, copy=False),
        n,
        tables.astype(np.int32, copy=False),
    )
