"""Studies drawn at random from raters who err independently, and how often intervals hold the truth."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reports.agreement.patterns import ItemPatterns
from reports.agreement.results import FloatArray, IntArray, Size


@dataclass(frozen=True)
class Population:
    """Items of a prevalence (K,), and raters who are right this often and else choose any other category alike."""

    prevalence: tuple[float, ...]
    accuracy: float
    n_raters: int = 2

    @cached_property
    def confusion(self) -> FloatArray:
        """(K, K) chances of a label (column) by the true category (row)."""
        n = len(self.prevalence)
        wrong = (1 - self.accuracy) / (n - 1)
        return np.where(np.eye(n, dtype=bool), self.accuracy, wrong)

    @cached_property
    def cells(self) -> FloatArray:
        """(K, K) the shares of the table of two raters."""
        return np.einsum("t,tk,tl->kl", self.prevalence, self.confusion, self.confusion)

    @cached_property
    def splits(self) -> tuple[IntArray, FloatArray]:
        """(U, K) how an item's labels can split over the categories, and (U,) how likely each split is."""
        chances: dict[tuple[int, ...], float] = {}
        for codes in itertools.product(range(len(self.prevalence)), repeat=self.n_raters):
            split = tuple(np.bincount(codes, minlength=len(self.prevalence)).tolist())
            chance = float(np.dot(self.prevalence, np.prod(self.confusion[:, list(codes)], axis=1)))
            chances[split] = chances.get(split, 0) + chance
        return np.array(list(chances), dtype=np.uint8), np.array(list(chances.values()))

    def tables(self, n_items: int, n_studies: int, *, seed: int) -> IntArray:
        """(n_studies, K, K) tables of two raters."""
        random = np.random.default_rng(seed)
        drawn = random.multinomial(n_items, self.cells.ravel(), size=n_studies)
        return drawn.reshape(n_studies, *self.cells.shape)

    def samples(
        self, n_items: int, n_studies: int, *, seed: int, n_single: int = 0
    ) -> Iterator["DrawnSample"]:
        """n_single: items with one label, beside those that all raters label."""
        splits, chances = self.splits
        alone, shares = np.eye(len(self.prevalence), dtype=np.uint8), self.cells.sum(axis=1)
        random = np.random.default_rng(seed)
        of_all = random.multinomial(n_items, chances, size=n_studies)
        of_one = random.multinomial(n_single, shares, size=n_studies)
        for n_of_each in np.hstack((of_all, of_one)):
            occurs = n_of_each > 0
            yield DrawnSample(
                ItemPatterns(np.vstack((splits, alone))[occurs], n_of_each[occurs]), self.n_raters
            )


@dataclass(frozen=True)
class DrawnSample:
    """What a statistic asks of a `Sample`, without labels to count."""

    patterns: ItemPatterns
    n_raters: int

    @property
    def size(self) -> Size:
        n_items = int(self.patterns.n_items.sum())
        return Size(n_items=n_items, n_raters=self.n_raters, n_labels=n_items * self.n_raters)

    pairable_size = size


@dataclass(frozen=True, slots=True)
class Coverage:
    """held: the share of intervals that hold the truth; none: the share of studies without an interval."""

    held: float
    none: float


def coverage(low: FloatArray, high: FloatArray, truth: float) -> Coverage:
    """low, high: (n_studies,), NaN where there is no interval."""
    is_there = ~np.isnan(low)
    held = (low[is_there] <= truth) & (truth <= high[is_there])
    return Coverage(held=float(held.mean()), none=float(1 - is_there.mean()))
