"""Pairs of raters that suggest a mistake, and the evidence for it in the labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.pair_counts import PairCounts
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.pairs.mistakes import best_relabeling, shifted_tables
from reports.agreement.ratings import DenseRatings, Ratings
from reports.agreement.results import IntArray, PairKappas, number
from reports.agreement.weights import Weights, weighting
from reports.analysis.pair_blocks import Arrays
from reports.analysis.results import IdenticalPair, LowPair, PairCheckResults, RelabeledKappa, ShiftedKappa

# With fewer shared items, identical labels or a kappa below 0 are not surprising.
LEAST_ITEMS = 10
# Number of pairs of each kind that are examined and stored: those with the most items.
MOST_PAIRS = 20
# Kappa of a shifted column is near 0, as often above as below.
NEAR_CHANCE = 0.1
# A mistake explains the disagreement if undoing it raises kappa to at least this value.
EXPLAINED = 0.4
OFFSETS = (-3, -2, -1, 1, 2, 3)
# With more categories, no reassignment of categories is searched for.
MAX_CATEGORIES = 300


@dataclass(frozen=True, slots=True, eq=False)
class SuspectPair:
    rater_a: int
    rater_b: int
    n: int
    kappa: float
    table: IntArray


class PairChecks:
    """The suspicious pairs among all pairs, independent of the order of the blocks."""

    def __init__(self) -> None:
        self.n_identical, self.n_below = 0, 0
        self._identical: list[SuspectPair] = []
        self._low: list[SuspectPair] = []

    def add(self, counts: PairCounts, kappas: PairKappas) -> None:
        """kappas: of these pairs, in their order."""
        enough = counts.n >= LEAST_ITEMS
        with np.errstate(invalid="ignore"):
            agreeing = np.einsum("pkk->p", counts.tables)
            is_identical = enough & (agreeing == counts.n) & ~np.isnan(kappas.kappa)
            is_low = enough & (kappas.kappa < NEAR_CHANCE)
            self.n_below += int(np.count_nonzero(enough & (kappas.kappa < 0)))
        self.n_identical += int(np.count_nonzero(is_identical))
        self._identical = _most(self._identical + _suspects(counts, kappas, is_identical), by_kappa=False)
        self._low = _most(self._low + _suspects(counts, kappas, is_low), by_kappa=True)

    @property
    def arrays(self) -> Arrays:
        """What `merge` adds to the checks of other blocks."""
        return {
            "n_identical": np.array(self.n_identical),
            "n_below": np.array(self.n_below),
            **_to_arrays("identical", self._identical),
            **_to_arrays("low", self._low),
        }

    def merge(self, found: Arrays) -> None:
        self.n_identical += int(found["n_identical"])
        self.n_below += int(found["n_below"])
        self._identical = _most([*self._identical, *_from_arrays("identical", found)], by_kappa=False)
        self._low = _most([*self._low, *_from_arrays("low", found)], by_kappa=True)

    def found(
        self, ratings: Ratings, raters: Sequence[str], *, order: IntArray | None = None
    ) -> PairCheckResults:
        """raters: their names in the order of the columns of the ratings. order: (N,) the rows of the ratings in the
        order of the items, None if they are already in order.
        """
        places = np.arange(ratings.n_items) if order is None else order
        n_labels = ratings.labels_per_rater().tolist()
        return PairCheckResults(
            n_identical=self.n_identical,
            n_below=self.n_below,
            identical=tuple(
                IdenticalPair(
                    rater_a=raters[pair.rater_a],
                    rater_b=raters[pair.rater_b],
                    n_items=pair.n,
                    n_labels=(n_labels[pair.rater_a], n_labels[pair.rater_b]),
                )
                for pair in self._identical
            ),
            low=tuple(_examined(pair, ratings, raters, places) for pair in self._low),
        )


def _suspects(counts: PairCounts, kappas: PairKappas, chosen: NDArray[np.bool_]) -> list[SuspectPair]:
    places = np.flatnonzero(chosen)
    if len(places) > MOST_PAIRS:
        # All that could be among those kept, as `_most` orders them, so that no others are copied.
        few = np.lexsort((counts.rater_b[places], counts.rater_a[places], -counts.n[places]))
        low = np.lexsort((counts.rater_b[places], counts.rater_a[places], kappas.kappa[places]))
        places = np.unique(np.concatenate((places[few[:MOST_PAIRS]], places[low[:MOST_PAIRS]])))
    return [
        SuspectPair(
            int(counts.rater_a[place]),
            int(counts.rater_b[place]),
            int(counts.n[place]),
            float(kappas.kappa[place]),
            counts.tables[place].astype(np.int64),
        )
        for place in places.tolist()
    ]


def _to_arrays(name: str, pairs: Sequence[SuspectPair]) -> Arrays:
    raters = [(pair.rater_a, pair.rater_b, pair.n) for pair in pairs]
    return {
        f"{name}_raters": np.array(raters, dtype=np.int64).reshape(-1, 3),
        f"{name}_kappas": np.array([pair.kappa for pair in pairs], dtype=np.float64),
        f"{name}_tables": np.array([pair.table for pair in pairs], dtype=np.int64),
    }


def _from_arrays(name: str, found: Arrays) -> Iterator[SuspectPair]:
    raters, kappas, tables = (found[f"{name}_{part}"] for part in ("raters", "kappas", "tables"))
    for (a, b, n), kappa, table in zip(raters.tolist(), kappas.tolist(), tables, strict=True):
        yield SuspectPair(a, b, n, kappa, table)


def _most(pairs: list[SuspectPair], *, by_kappa: bool) -> list[SuspectPair]:
    """Sort the pairs in an order that does not depend on the order of the blocks."""

    def order(pair: SuspectPair) -> tuple[float, int, int]:
        return (pair.kappa if by_kappa else -pair.n, pair.rater_a, pair.rater_b)

    return sorted(pairs, key=order)[:MOST_PAIRS]


def _examined(pair: SuspectPair, ratings: Ratings, raters: Sequence[str], order: IntArray) -> LowPair:
    """Examine a pair at or below chance for an explanation: swapped categories, or shifted items."""
    return LowPair(
        rater_a=raters[pair.rater_a],
        rater_b=raters[pair.rater_b],
        n_items=pair.n,
        kappa=pair.kappa,
        relabelled=_relabeled(pair.table),
        shifted=_shifted(pair, ratings, order),
    )


def _relabeled(table: IntArray) -> RelabeledKappa | None:
    if len(table) > MAX_CATEGORIES:
        return None
    order = best_relabeling(table)
    kappa = _kappas(table[:, order][None])[0]
    if not kappa >= EXPLAINED:
        return None
    return RelabeledKappa(kappa=number(kappa), categories=tuple(order.tolist()))


def _shifted(pair: SuspectPair, ratings: Ratings, order: IntArray) -> ShiftedKappa | None:
    a, b = (labels_of_rater(ratings, rater)[order] for rater in (pair.rater_a, pair.rater_b))
    tables = shifted_tables(a, b, OFFSETS, n_categories=ratings.n_categories)
    n = tables.sum(axis=(1, 2))
    kappas = np.where(n >= LEAST_ITEMS, np.nan_to_num(_kappas(tables), nan=-1.0), -1.0)
    best = int(kappas.argmax())
    if not kappas[best] >= EXPLAINED:
        return None
    return ShiftedKappa(by=OFFSETS[best], kappa=float(kappas[best]), n_items=int(n[best]))


def _kappas(tables: IntArray) -> NDArray[np.float64]:
    plain = weighting(Weights.UNWEIGHTED, n_categories=tables.shape[1])
    return cohen_kappa(tables, plain).kappa


def labels_of_rater(ratings: Ratings, rater: int) -> NDArray[np.int64]:
    """Return (N,) the labels of one rater in the order of the items, n_categories where there is none."""
    if isinstance(ratings, DenseRatings):
        return ratings.codes[:, rater].astype(np.int64)
    layout = ratings.layout
    found = np.full(ratings.n_items, ratings.n_categories, dtype=np.int64)
    for keys in ratings.packed_blocks():
        own = keys[layout.raters(keys) == rater]
        found[layout.items(own)] = layout.codes(own)
    return found
