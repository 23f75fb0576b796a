"""The difference of Cohen's kappa between two pairs of raters, which may share items and raters."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.intervals.bootstrap import N_REPLICATES
from reports.agreement.intervals.difference import (
    ComparedValue,
    Difference,
    bootstrap_difference,
    linearised_difference,
    uncertain,
    with_error,
)
from reports.agreement.intervals.pairs import pair_replicates
from reports.agreement.intervals.resampling import item_weights, two_streams
from reports.agreement.pairs.cohen import kappa_with_normal_interval
from reports.agreement.pairs.linearised import linearised_kappa
from reports.agreement.ratings import Ratings, to_dense
from reports.agreement.results import REASONS, FloatArray, PairKappas
from reports.agreement.weights import Weighting

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class JointCells:
    """Kinds of items by their cells in the tables of both pairs.

    cells: (2, J), row * K + column, -1 where a rater of the pair gave no label. n_items: (J,). tables: (2, K, K).
    """

    cells: NDArray[np.int64]
    n_items: NDArray[np.int64]
    tables: NDArray[np.int64]

    def drawn(self, weights: FloatArray) -> NDArray[np.int64]:
        """(B, 2, K, K) tables from draws of the kinds of items, (B, J)."""
        n_cells = self.tables[0].size
        is_in = (self.cells[:, :, None] == np.arange(n_cells)).astype(np.float64)
        # All integers: the product is exact, with any number of threads.
        found = np.stack([weights @ some for some in is_in], axis=1)
        return found.reshape(-1, *self.tables.shape).astype(np.int64)


def pair_difference(
    ratings: Ratings, first: Pair, second: Pair, weighting: Weighting, *, confidence: float = 0.95
) -> Difference:
    """The first pair's kappa minus the second's, from their linearized values on items.

    first, second: positions of two raters each; a rater may be in both pairs. Each pair uses the items that both of its
    raters labeled; items that all of them labeled are shared, and paired. Without shared items, z and the normal
    interval come from both standard errors of Fleiss, Cohen & Everitt. See `linearised_difference` for the error and
    the test; the result is also undefined, or without interval, in the cases of `cohen_kappa` for one of the pairs.
    """
    joint = _joint(ratings, first, second)
    kappas = kappa_with_normal_interval(joint.tables, weighting, confidence=confidence)
    sides = _sides(joint, kappas, weighting)
    found = uncertain(*sides, joint.n_items)
    if found.reason or found.n_shared:
        return linearised_difference(*sides, joint.n_items, confidence=confidence)
    return with_error(
        found, sides[0].value - sides[1].value, math.hypot(*kappas.se), df=None, confidence=confidence
    )


def bootstrap_pair_difference(
    ratings: Ratings,
    first: Pair,
    second: Pair,
    weighting: Weighting,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
    confidence: float = 0.95,
) -> Difference:
    """Like `pair_difference`, by the bootstrap: both pairs are drawn together if they share items, else separately.

    See `bootstrap_difference`.
    """
    joint = _joint(ratings, first, second)
    kappas = kappa_with_normal_interval(joint.tables, weighting)
    found = uncertain(*_sides(joint, kappas, weighting), joint.n_items)
    if found.value is None:
        return found
    draw = _together if found.n_shared else _apart
    replicates = draw(joint, weighting, seed=seed, n_replicates=n_replicates)
    return bootstrap_difference(found, *replicates, confidence=confidence)


def _joint(ratings: Ratings, first: Pair, second: Pair) -> JointCells:
    dense = to_dense(ratings)
    k = dense.n_categories
    cells = []
    for pair in (first, second):
        rows, columns = dense.codes[:, list(pair)].astype(np.int64).T
        cells.append(np.where((rows < k) & (columns < k), rows * k + columns, -1))
    kinds, n_items = np.unique(np.stack(cells), axis=1, return_counts=True)
    used = (kinds >= 0).any(axis=0)
    kinds, n_items = kinds[:, used], n_items[used].astype(np.int64)
    tables = np.zeros((2, k * k), dtype=np.int64)
    for table, places in zip(tables, kinds, strict=True):
        np.add.at(table, places[places >= 0], n_items[places >= 0])
    return JointCells(kinds, n_items, tables.reshape(2, k, k))


def _sides(
    joint: JointCells, kappas: PairKappas, weighting: Weighting
) -> tuple[ComparedValue, ComparedValue]:
    linearised = linearised_kappa(joint.tables, weighting).reshape(2, -1)
    first, second = (
        ComparedValue(
            value=float(kappas.kappa[place]),
            item_values=np.where(joint.cells[place] >= 0, linearised[place][joint.cells[place]], np.nan),
            reason=REASONS[kappas.reason[place]],
        )
        for place in (0, 1)
    )
    return first, second


def _together(
    joint: JointCells, weighting: Weighting, *, seed: int, n_replicates: int
) -> tuple[FloatArray, FloatArray]:
    """(B,) kappas of both pairs, with the items of both drawn together."""
    weights = item_weights(joint.n_items, seed=seed, n_replicates=n_replicates)
    tables = np.concatenate([joint.drawn(some) for some in weights])
    first, second = (kappa_with_normal_interval(tables[:, place], weighting).kappa for place in (0, 1))
    return first, second


def _apart(
    joint: JointCells, weighting: Weighting, *, seed: int, n_replicates: int
) -> tuple[FloatArray, FloatArray]:
    """(B,) kappas of both pairs, each drawn separately, from independent streams of one seed."""
    first, second = (
        pair_replicates(
            table,
            lambda tables: kappa_with_normal_interval(tables, weighting).kappa,
            seed=stream,
            n_replicates=n_replicates,
        )
        for table, stream in zip(joint.tables, two_streams(seed), strict=True)
    )
    return first, second
