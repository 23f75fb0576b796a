"""The confusion matrices of all pairs of raters."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from reports.agreement.pair_counts import PairCounts
from reports.agreement.ratings import DenseRatings, Ratings

THREADS = 2


def count_pairs(
    ratings: Ratings,
    *,
    min_shared: int = 1,
    threads: int = THREADS,
    first: int = 0,
    last: int | None = None,
    place: Mapping[str, int] | None = None,
) -> Iterator[PairCounts]:
    """Yield the confusion matrices of pairs that share at least min_shared items (0: all pairs, dense ratings only).

    The counts are the same for dense and sparse ratings and any number of threads; blocks and their order are not.
    A block has at most about BLOCK_CELLS cells, so that memory is bounded for any number of pairs. first, last: only
    the blocks from `first` up to `last`; None for all of them. place: what `places_of_blocks` returns for `first`, if
    known, which saves counting the blocks before it.
    """
    from reports.agreement import counting_dense, counting_sparse

    if isinstance(ratings, DenseRatings):
        blocks = slice(first, last)
        yield from counting_dense.count(ratings, min_shared=min_shared, threads=threads, blocks=blocks)
    else:
        found = counting_sparse.count(ratings, min_shared=min_shared, first=first, place=place)
        yield from islice(found, None if last is None else last - first)


def n_blocks(ratings: Ratings) -> int:
    """Return the number of blocks that `count_pairs` yields, with pairs that share at least one item."""
    from reports.agreement import counting_dense, counting_sparse

    return (counting_dense if isinstance(ratings, DenseRatings) else counting_sparse).n_blocks(ratings)


def places_of_blocks(ratings: Ratings, firsts: Sequence[int]) -> list[Mapping[str, int] | None]:
    """Return where to find these blocks; None where no others have to be counted to find one."""
    from reports.agreement import counting_sparse

    if isinstance(ratings, DenseRatings):
        return [None] * len(firsts)
    return [*counting_sparse.places(ratings, firsts)]


def all_pairs(ratings: Ratings, *, min_shared: int = 1) -> PairCounts:
    """Return all blocks as one, ordered by rater_a, then rater_b; for ratings with few pairs."""
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
