"""Common resamples of items for every figure of a model, so that figures can be compared pairwise."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.intervals.resampling import item_weights
from reports.agreement.results import FloatArray

N_REPLICATES = 2000
# More items than this are drawn in this many groups: the error is the same, with less work.
MOST_UNITS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class UnitWeights:
    """How often each of U groups of items is drawn in each of B resamples.

    unit_of: (N,) the group of each item; each item is its own group up to MOST_UNITS of them. weights: (B, U).
    """

    unit_of: NDArray[np.int64]
    weights: FloatArray

    @classmethod
    def drawn(cls, n_items: int, *, seed: int, n_replicates: int = N_REPLICATES) -> "UnitWeights":
        """Draw the resamples. Raises ValueError without items."""
        if n_items < 1:
            raise ValueError("there are no items to draw from")
        n_units = min(n_items, MOST_UNITS)
        blocks = item_weights(np.ones(n_units, dtype=np.int64), seed=seed, n_replicates=n_replicates)
        return cls(np.arange(n_items) % n_units, np.concatenate(list(blocks)))

    @property
    def n_units(self) -> int:
        return self.weights.shape[1]

    def grouped(self, by_item: FloatArray) -> FloatArray:
        """(U, S) sums over the items of each group; by_item: (N, S)."""
        found = np.zeros((self.n_units, by_item.shape[1]))
        for start in range(0, len(by_item), self.n_units):
            rows = by_item[start : start + self.n_units]
            found[: len(rows)] += rows
        return found

    def sums(self, by_unit: FloatArray) -> FloatArray:
        """(B, S) sums over the drawn items; by_unit: (U, S)."""
        return self.weights @ by_unit
