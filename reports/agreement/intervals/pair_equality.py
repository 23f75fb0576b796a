"""Test whether the kappas of several pairs of raters, which may share items and raters, are equal."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reports.agreement.intervals.difference import ComparedValue, why_uncertain
from reports.agreement.intervals.hotelling import EqualityTest, equality
from reports.agreement.pairs.cohen import kappa_with_normal_interval
from reports.agreement.pairs.linearised import linearised_kappa
from reports.agreement.ratings import Ratings, to_dense
from reports.agreement.results import REASONS, Reason
from reports.agreement.weights import Weighting

Pair = tuple[int, int]
# Limit on pairs x items in memory.
MAX_CELLS = 50_000_000


def kappas_equality(ratings: Ratings, pairs: Sequence[Pair], weighting: Weighting) -> EqualityTest:
    """Test that Cohen's kappas of these pairs are equal, such as those of several raters with one reference.

    pairs: positions of two raters each. Each pair uses the items that both of its raters labeled; pairs whose kappa
    has no value or no error are left out. See `equality` for the test, which is also undefined for more pairs and items
    than fit into memory (`too_large`).
    Source: Vanbelle & Albert 2008, Journal of Statistical Computation and Simulation 78, 1009-1015, with the errors of
    Fleiss, Cohen & Everitt 1969 instead of the bootstrap.
    """
    if len(pairs) * ratings.n_items > MAX_CELLS:
        return EqualityTest(n_values=len(pairs), n_units=0, reason=Reason.TOO_LARGE)
    dense = to_dense(ratings)
    n_items = np.ones(ratings.n_items, dtype=np.int64)
    found = [
        _compared(dense.codes[:, list(pair)].astype(np.int64), dense.n_categories, weighting)
        for pair in pairs
    ]
    values = [each for each in found if not (np.isnan(each.value) or why_uncertain(each, n_items))]
    n_left_out = len(found) - len(values)
    tested = equality(values if len(values) > 1 else found, n_items)
    return replace(tested, n_values=len(values), n_left_out=n_left_out)


def _compared(codes: NDArray[np.int64], n_categories: int, weighting: Weighting) -> ComparedValue:
    """Kappa of two raters with its linearized value on each item; codes: (N, 2)."""
    rows, columns = codes.T
    is_shared = (rows < n_categories) & (columns < n_categories)
    cells = (rows * n_categories + columns)[is_shared]
    table = np.bincount(cells, minlength=n_categories**2).reshape(1, n_categories, n_categories)
    kappas = kappa_with_normal_interval(table, weighting)
    item_values = np.full(len(codes), np.nan)
    item_values[is_shared] = linearised_kappa(table, weighting).ravel()[cells]
    return ComparedValue(
        value=float(kappas.kappa[0]), item_values=item_values, reason=REASONS[kappas.reason[0]]
    )
