"""The labels of one question and their scale, from which every statistic of all raters is computed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reports.agreement.patterns import ItemPatterns, item_patterns
from reports.agreement.profiles import ItemProfiles, item_profiles
from reports.agreement.ratings import Ratings, only_raters
from reports.agreement.results import FloatArray, Size
from reports.agreement.weights import Level, Weighting, Weights, weighting


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The declared categories of a question: their number, level, values, and weights.

    values: one for each category, or None to use their ranks. custom: the (K, K) similarities of custom weights.
    """

    n_categories: int
    level: Level = Level.NOMINAL
    values: tuple[float, ...] | None = None
    weights: Weights = Weights.UNWEIGHTED
    custom: FloatArray | None = field(default=None, repr=False)

    @property
    def weighting(self) -> Weighting:
        return weighting(
            self.weights, n_categories=self.n_categories, values=self.values, similarity=self.custom
        )


@dataclass(frozen=True, eq=False)
class Sample:
    """The labels of one question; quantities shared by several statistics are computed once."""

    ratings: Ratings

    def of_raters(self, raters: Sequence[int]) -> "Sample":
        """Return the labels of some raters, by ascending columns, on the items that at least one of them labeled."""
        return Sample(only_raters(self.ratings, raters))

    @cached_property
    def labels_per_rater(self) -> NDArray[np.int64]:
        """(R,)"""
        return self.ratings.labels_per_rater()

    @cached_property
    def patterns(self) -> ItemPatterns:
        """Items by the number of labels per category, for statistics that do not distinguish raters."""
        return item_patterns(self.ratings)

    @cached_property
    def profiles(self) -> ItemProfiles:
        """Items by who chose what, for statistics that distinguish raters."""
        return item_profiles(self.ratings)

    @cached_property
    def size(self) -> Size:
        """The numbers of items with a label, their raters, and labels."""
        return self._size(least=1)

    @cached_property
    def pairable_size(self) -> Size:
        """The size limited to items with two or more labels."""
        return self._size(least=2)

    def _size(self, *, least: int) -> Size:
        n_items, n_raters, n_labels = self.ratings.extent(least=least)
        return Size(n_items=n_items, n_raters=n_raters, n_labels=n_labels)
