"""Distances between sets of categories."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray, IntArray


class SetDistance(StrEnum):
    JACCARD = "jaccard"
    MASI = "masi"


@dataclass(frozen=True, slots=True, eq=False)
class BitSets:
    """S sets of K categories as bits. words: (W, S) uint64, 64 categories each; sizes: (S,) int64."""

    words: NDArray[np.uint64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, members: NDArray[np.bool_]) -> "BitSets":
        """members: (S, K)."""
        n_sets, n_categories = members.shape
        padded = np.zeros((n_sets, 64 * max(1, -(-n_categories // 64))), dtype=bool)
        padded[:, :n_categories] = members
        words = np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)
        return cls(np.ascontiguousarray(words.T), members.sum(axis=1, dtype=np.int64))

    def shared(self, some: IntArray, others: IntArray) -> NDArray[np.int64]:
        """The number of categories that two sets have in common; codes of any shapes that broadcast."""
        counts = [np.bitwise_count(word[some] & word[others]).astype(np.int64) for word in self.words]
        return np.sum(counts, axis=0, dtype=np.int64)

    def jaccard(self, some: IntArray, others: IntArray) -> FloatArray:
        """|A n B| / |A u B|, in [0, 1]; 1 for two empty sets."""
        common = self.shared(some, others)
        either = self.sizes[some] + self.sizes[others] - common
        return np.divide(common, either, out=np.ones(common.shape), where=either > 0)

    def masi(self, some: IntArray, others: IntArray) -> FloatArray:
        """J M, with J from `jaccard`; 1 for two empty sets.

        M = 1 for equal sets, 2/3 if one contains the other, 1/3 for other overlapping sets, 0 for disjoint sets.
        Source: Passonneau 2006, LREC.
        """
        common = self.shared(some, others)
        sizes_a, sizes_b = self.sizes[some], self.sizes[others]
        either = sizes_a + sizes_b - common
        thirds = 3 * (common == either) + 2 * ((common == np.minimum(sizes_a, sizes_b)) & (common < either))
        thirds = np.where((thirds == 0) & (common > 0), 1, thirds)
        # An integer number of thirds over an integer: J M of equal sets is exactly 1.
        return np.divide(common * thirds, 3 * either, out=np.ones(common.shape), where=either > 0)


def similarity_of(sets: BitSets, distance: SetDistance) -> Callable[[IntArray, IntArray], FloatArray]:
    """Return the similarity of two sets, by their codes: 1 - the distance."""
    return sets.masi if distance is SetDistance.MASI else sets.jaccard
