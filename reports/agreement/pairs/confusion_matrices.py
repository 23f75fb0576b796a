"""Confusion matrices of two raters, for a stack of pairs, with their margins."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reports.agreement.results import FloatArray, IntArray
from reports.agreement.weights import Weighting


@dataclass(frozen=True, eq=False)
class PairTables:
    """Confusion matrices over the declared categories, and the costs of disagreements.

    counts: (P, K, K) int, numbers of items; rows rater A's category, columns rater B's.
    Shares are NaN where no item is shared. Raises ValueError if shapes differ or a count is negative.
    """

    counts: IntArray
    weighting: Weighting

    def __post_init__(self) -> None:
        check_tables(self.counts)
        if self.weighting.costs.shape != self.counts.shape[1:]:
            raise ValueError(f"costs must be {self.counts.shape[1:]}, got shape {self.weighting.costs.shape}")

    @cached_property
    def n(self) -> FloatArray:
        """(P,) items that both labeled."""
        return self.counts.sum(axis=(1, 2), dtype=np.float64)

    @cached_property
    def proportions(self) -> FloatArray:
        """(P, K, K) shares of items."""
        with np.errstate(invalid="ignore"):
            return self.counts / self.n[:, None, None]

    @cached_property
    def rows(self) -> FloatArray:
        """(P, K) rater A's share of each category."""
        return self.proportions.sum(axis=2)

    @cached_property
    def columns(self) -> FloatArray:
        """(P, K) rater B's share of each category."""
        return self.proportions.sum(axis=1)

    @cached_property
    def prevalence(self) -> FloatArray:
        """(P, K) the share of each category among the labels of both."""
        return (self.rows + self.columns) / 2

    @cached_property
    def observed(self) -> FloatArray:
        """(P,) observed agreement, sum_kl w_kl p_kl, w the similarity of the weighting."""
        return 1 - np.einsum("pkl,kl->p", self.proportions, self.weighting.costs) / self.weighting.unit


def check_tables(counts: IntArray) -> None:
    """Raise ValueError unless this is a stack of square tables of counts."""
    if counts.ndim != 3 or counts.shape[1] != counts.shape[2]:
        raise ValueError(f"tables must be (P, K, K), got shape {counts.shape}")
    if counts.size and counts.min() < 0:
        raise ValueError(f"counts must not be negative, got {counts.min()}")
