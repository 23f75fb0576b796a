"""The agreement of two raters as sums over items, so that resampling items only changes the weights."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray
from reports.agreement.sets.distances import BitSets


class PairwiseAgreement(Protocol):
    """The figure by which pairs of raters are compared, for one kind of label."""

    @property
    def n_sums(self) -> int:
        """S, the number of sums of a pair; the first is the number of items."""

    def sums(self, a: NDArray[Any], b: NDArray[Any], both: NDArray[np.bool_]) -> FloatArray:
        """(N, S) the sums of each item; a, b: (N,) labels of both, arbitrary where not both have one."""

    def value(self, sums: FloatArray) -> FloatArray:
        """(…) the value from sums (…, S); NaN where undefined."""


@dataclass(frozen=True, slots=True, eq=False)
class KappaAgreement:
    """Cohen's kappa, weighted by the agreement credited to each cell. similarity: (K, K), 1 on the diagonal.

    Undefined without items, or where expected agreement is 1.
    Source: Cohen 1968, Psychological Bulletin 70(4), 213-220.
    """

    similarity: FloatArray

    @property
    def n_sums(self) -> int:
        return 2 + 2 * len(self.similarity)

    def sums(self, a: NDArray[Any], b: NDArray[Any], both: NDArray[np.bool_]) -> FloatArray:
        k = len(self.similarity)
        found = np.zeros((len(a), self.n_sums))
        rows, first, second = np.flatnonzero(both), a[both], b[both]
        found[rows, 0] = 1
        found[rows, 1] = self.similarity[first, second]
        found[rows, 2 + first] = 1
        found[rows, 2 + k + second] = 1
        return found

    def value(self, sums: FloatArray) -> FloatArray:
        k = len(self.similarity)
        n, agreed = sums[..., 0], sums[..., 1]
        first, second = sums[..., 2 : 2 + k], sums[..., 2 + k :]
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = ((first @ self.similarity) * second).sum(axis=-1) / n**2
            found = (agreed / n - expected) / (1 - expected)
        return np.where((n > 0) & (1 - expected > 1e-12), found, np.nan)


@dataclass(frozen=True, slots=True)
class ConcordanceAgreement:
    """Lin's concordance of numbers, 1 - mean (x - y)² / (s_x² + s_y² + (mean x - mean y)²), moments divided by n.

    middle: a number close to all of them, about which squares are taken.
    Undefined without items, or where both always gave one and the same number.
    Source: Lin 1989, Biometrics 45, 255-268.
    """

    middle: float = 0.0

    @property
    def n_sums(self) -> int:
        return 6

    def sums(self, a: NDArray[Any], b: NDArray[Any], both: NDArray[np.bool_]) -> FloatArray:
        x, y = np.where(both, a - self.middle, 0.0), np.where(both, b - self.middle, 0.0)
        return np.stack((both.astype(np.float64), x, y, x**2, y**2, (x - y) ** 2), axis=1)

    def value(self, sums: FloatArray) -> FloatArray:
        n = sums[..., 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            x, y, xx, yy, apart = (sums[..., place] / n for place in range(1, 6))
            spread = (xx - x**2) + (yy - y**2) + (x - y) ** 2
            found = 1 - apart / spread
        return np.where((n > 0) & (spread > 1e-12 * (xx + yy)), found, np.nan)


@dataclass(frozen=True, slots=True)
class MasiAgreement:
    """The mean of 1 - the MASI distance of two sets.

    Undefined without items.
    Source: Passonneau 2006, LREC.
    """

    sets: BitSets

    @property
    def n_sums(self) -> int:
        return 2

    def sums(self, a: NDArray[Any], b: NDArray[Any], both: NDArray[np.bool_]) -> FloatArray:
        found = np.zeros((len(a), 2))
        found[both, 0] = 1
        found[both, 1] = self.sets.masi(a[both], b[both])
        return found

    def value(self, sums: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            found: FloatArray = sums[..., 1] / sums[..., 0]
        return found
