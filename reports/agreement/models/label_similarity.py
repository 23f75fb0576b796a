"""The similarity of two labels of one item, and a label's mean similarity to the labels of others."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray, IntArray
from reports.agreement.sets.distances import BitSets

# Pairs of sets compared at a time.
BLOCK_PAIRS = 1 << 20


class Similarity(Protocol):
    """The similarity for one kind of label. values: category positions, numbers, or rows of sets."""

    def similarity(self, some: NDArray[Any], others: NDArray[Any]) -> FloatArray:
        """Return the similarity of two labels; higher is more similar."""

    def totals(
        self, items: IntArray, values: NDArray[Any], asked: IntArray, asked_values: NDArray[Any]
    ) -> FloatArray:
        """(Q,) the sum of similarities of each asked value to all labels of its item.

        items, values: (L,) the labels, ordered by item. asked, asked_values: (Q,) items and values.
        """

    def score(self, mean: FloatArray) -> FloatArray:
        """Return the score of a mean similarity: the share that is equal, the negative root mean squared error, …"""


@dataclass(frozen=True, slots=True)
class CategorySimilarity:
    """1 for the same category, else 0: a score is the share of the others who chose it."""

    def similarity(self, some: NDArray[Any], others: NDArray[Any]) -> FloatArray:
        return (some == others).astype(np.float64)

    def totals(
        self, items: IntArray, values: NDArray[Any], asked: IntArray, asked_values: NDArray[Any]
    ) -> FloatArray:
        width = int(max(values.max(initial=0), asked_values.max(initial=0))) + 1
        keys, counts = np.unique(items * width + values, return_counts=True)
        wanted = asked * width + asked_values
        places = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
        if not len(keys):
            return np.zeros(len(asked))
        return np.where(keys[places] == wanted, counts[places], 0).astype(np.float64)

    def score(self, mean: FloatArray) -> FloatArray:
        return mean


@dataclass(frozen=True, slots=True)
class NumberSimilarity:
    """The negative squared difference: a score is the negative root mean squared difference from the others."""

    def similarity(self, some: NDArray[Any], others: NDArray[Any]) -> FloatArray:
        found: FloatArray = -((some - others) ** 2)
        return found

    def totals(
        self, items: IntArray, values: NDArray[Any], asked: IntArray, asked_values: NDArray[Any]
    ) -> FloatArray:
        n_items = int(max(items.max(initial=-1), asked.max(initial=-1))) + 1
        n = np.bincount(items, minlength=n_items)
        # Centered at each item's mean, so that squares of large numbers do not swamp the differences.
        middle = np.bincount(items, weights=values, minlength=n_items) / np.maximum(n, 1)
        own, x = values - middle[items], asked_values - middle[asked]
        sums = np.bincount(items, weights=own, minlength=n_items)[asked]
        squares = np.bincount(items, weights=own**2, minlength=n_items)[asked]
        found: FloatArray = -np.maximum(n[asked] * x**2 - 2 * x * sums + squares, 0)
        return found

    def score(self, mean: FloatArray) -> FloatArray:
        return -np.sqrt(np.maximum(-mean, 0))


@dataclass(frozen=True, slots=True)
class SetSimilarity:
    """|A n B| / |A u B|, 1 for two empty sets: a score is the mean over the others."""

    sets: BitSets

    def similarity(self, some: NDArray[Any], others: NDArray[Any]) -> FloatArray:
        return self.sets.jaccard(some, others)

    def totals(
        self, items: IntArray, values: NDArray[Any], asked: IntArray, asked_values: NDArray[Any]
    ) -> FloatArray:
        first, last = np.searchsorted(items, asked), np.searchsorted(items, asked, side="right")
        found = np.zeros(len(asked))
        for rows in _blocks(last - first):
            sizes = (last - first)[rows]
            queries = np.repeat(np.arange(len(sizes)), sizes)
            labels = np.arange(len(queries)) - np.repeat(np.cumsum(sizes) - sizes - first[rows], sizes)
            similarity = self.similarity(asked_values[rows][queries], values[labels])
            found[rows] = np.bincount(queries, weights=similarity, minlength=len(sizes))
        return found

    def score(self, mean: FloatArray) -> FloatArray:
        return mean


def _blocks(sizes: IntArray) -> Iterator[slice]:
    """Yield queries in blocks of about BLOCK_PAIRS pairs."""
    if not len(sizes):
        return
    blocks = np.cumsum(sizes) // BLOCK_PAIRS
    starts = np.flatnonzero(np.concatenate(([True], blocks[1:] != blocks[:-1]))).tolist()
    for start, stop in zip(starts, [*starts[1:], len(sizes)], strict=True):
        yield slice(start, stop)
