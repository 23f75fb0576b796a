"""The labels of one multiple-choice question, from which every statistic of sets is computed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reports.agreement.building import build
from reports.agreement.overall.label_differences import LabeledItems
from reports.agreement.ratings import DenseRatings, Ratings, SparseRatings, only_raters
from reports.agreement.results import IntArray, Size
from reports.agreement.sample import Sample


@dataclass(frozen=True, eq=False)
class SetSample:
    """Labels that are sets of categories.

    ratings: labels whose codes 0..S-1 are the distinct sets in `members`. members: (S, K) bool, which of the K
    declared categories each set contains; a set may be empty.
    """

    ratings: Ratings
    members: NDArray[np.bool_]

    @classmethod
    def from_labels(cls, items: ArrayLike, raters: ArrayLike, chosen: ArrayLike) -> Self:
        """Create from (L,) IDs of items and raters, and (L, K) bool, the categories chosen; in any order."""
        members, codes = np.unique(np.asarray(chosen, dtype=bool), axis=0, return_inverse=True)
        rows, columns = np.asarray(items, dtype=np.int64), np.asarray(raters, dtype=np.int64)
        return cls(build(rows, columns, codes.ravel(), n_categories=max(1, len(members)))[0], members)

    def of_raters(self, raters: Sequence[int]) -> "SetSample":
        """Return the labels of some raters, by ascending columns, on the items that at least one of them labeled."""
        return SetSample(only_raters(self.ratings, raters), self.members)

    @property
    def size(self) -> Size:
        """The numbers of items with a label, their raters, and labels."""
        return self.sample.size

    @property
    def labels_per_rater(self) -> NDArray[np.int64]:
        """(R,)"""
        return self.sample.labels_per_rater

    @property
    def n_categories(self) -> int:
        return self.members.shape[1]

    @cached_property
    def sample(self) -> Sample:
        """The sets treated as nominal categories."""
        return Sample(self.ratings)

    @cached_property
    def labels(self) -> tuple[IntArray, IntArray, IntArray]:
        """(L,) row, column, and code of each label, ordered by item, then by rater."""
        layout = self.ratings.layout
        blocks = [np.empty(0, dtype=np.uint64), *self.ratings.packed_blocks()]
        keys = np.concatenate(blocks)
        return layout.items(keys), layout.raters(keys), layout.codes(keys)

    @cached_property
    def labeled_items(self) -> LabeledItems:
        """The labels of items with two or more labels."""
        items, _, codes = self.labels
        n_labels = np.bincount(items, minlength=self.ratings.n_items)
        is_used = n_labels >= 2
        sizes = n_labels[is_used]
        return LabeledItems(codes[is_used[items]], np.cumsum(sizes) - sizes, len(self.members))

    def one_against_rest(self, category: int) -> Ratings:
        """Return the same labels as yes (1) or no (0) to one category."""
        answers: NDArray[np.uint8] = self.members[:, category].astype(np.uint8)
        ratings = self.ratings
        if isinstance(ratings, DenseRatings):
            codes = np.append(answers, np.uint8(2))[ratings.codes]
            return DenseRatings(codes, 2, ratings.n_labels)
        items, raters, codes = self.labels
        binary = SparseRatings(np.empty(0, np.uint64), ratings.n_items, ratings.n_raters, 2)
        keys = binary.layout.pack(items, raters, answers[codes])
        return SparseRatings(keys, ratings.n_items, ratings.n_raters, 2)
