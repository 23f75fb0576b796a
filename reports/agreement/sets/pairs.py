"""Agreement of two raters' sets on the same items, for all pairs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from reports.agreement.numbers.shared_items import LabelsByRater, SharedLabels
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import FloatArray, IntArray, PairKappas
from reports.agreement.sets.distances import BitSets
from reports.agreement.sets.members import SetSample
from reports.agreement.weights import Weights, weighting


@dataclass(frozen=True, slots=True, eq=False)
class SetPairs:
    """Pairs of raters who share an item, each once, rater_a before rater_b.

    rater_a, rater_b: (P,). n: (P,) items that both labeled; means are over these. identical: (P,) share of equal sets.
    jaccard, masi: (P,) mean similarity, 1 - distance. tables: (P, K, 2, 2) int64, for each category the number of items
    for which rater_a left it out (row 0) or chose it (row 1), and rater_b likewise in columns.
    """

    rater_a: NDArray[np.int64]
    rater_b: NDArray[np.int64]
    n: NDArray[np.int64]
    identical: FloatArray
    jaccard: FloatArray
    masi: FloatArray
    tables: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.n)

    def kappas(self, *, confidence: float = 0.95) -> PairKappas:
        """(P K,) Cohen's kappa of each pair for each category, one against the rest; grouped by pair."""
        tables = self.tables.reshape(-1, 2, 2)
        return cohen_kappa(tables, weighting(Weights.UNWEIGHTED, n_categories=2), confidence=confidence)


def set_pairs(sample: SetSample) -> Iterator[SetPairs]:
    """Yield all pairs that share an item, in blocks of one rater_a and many rater_b, in ascending order."""
    of = set_pairs_of(sample)
    return chain.from_iterable(map(of, range(sample.ratings.n_raters - 1)))


def set_pairs_of(sample: SetSample) -> Callable[[int], Iterator[SetPairs]]:
    """Return a function that yields the pairs of a rater with later ones."""
    items, raters, codes = sample.labels
    sets, ratings = BitSets.of(sample.members), sample.ratings
    by_rater = LabelsByRater(items, raters, n_items=ratings.n_items, n_raters=ratings.n_raters)
    return lambda rater: (
        _pairs(shared, sets, sample.members, codes[shared.first], codes[shared.second])
        for shared in by_rater.shared(rater)
    )


def _pairs(
    shared: SharedLabels,
    sets: BitSets,
    members: NDArray[np.bool_],
    a: IntArray,
    b: IntArray,
) -> SetPairs:
    n = shared.n.astype(np.float64)
    return SetPairs(
        rater_a=np.full(len(n), shared.rater_a),
        rater_b=shared.rater_b,
        n=shared.n,
        identical=shared.sums((a == b).astype(np.float64)) / n,
        jaccard=shared.sums(sets.jaccard(a, b)) / n,
        masi=shared.sums(sets.masi(a, b)) / n,
        tables=_tables(shared, members, a, b),
    )


def _tables(shared: SharedLabels, members: NDArray[np.bool_], a: IntArray, b: IntArray) -> NDArray[np.int64]:
    n_categories = members.shape[1]
    tables = np.empty((len(shared.starts), n_categories, 2, 2), dtype=np.int64)
    pairs = shared.pairs * 4
    for category in range(n_categories):
        answers = members[:, category].astype(np.int64)
        cells = np.bincount(pairs + 2 * answers[a] + answers[b], minlength=4 * len(tables))
        tables[:, category] = cells.reshape(-1, 2, 2)
    return tables
