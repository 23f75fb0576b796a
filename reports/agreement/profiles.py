"""Items grouped by who chose what, for statistics that distinguish raters."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reports.agreement.distinct import distinct_rows
from reports.agreement.patterns import ItemPatterns
from reports.agreement.ratings import Ratings, to_dense
from reports.agreement.results import FloatArray, IntArray, Reason, Undefined

# Limit on items x raters for profiles: two bytes each, with some copies, must fit into a small machine.
MOST_CELLS = 1 << 27
BLOCK_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class ItemProfiles:
    """Distinct rows of labels, and the number of items with each.

    codes: (U, R) integers, the declared position of the category, or n_categories where there is no label; every row
    has a label. n_items: (U,) int64. Rows are in ascending order, so that sums over them are the same to the last bit
    for any order of items.
    """

    codes: NDArray[np.unsignedinteger]
    n_items: NDArray[np.int64]
    n_categories: int

    @property
    def n_raters(self) -> int:
        return self.codes.shape[1]

    @cached_property
    def is_labeled(self) -> NDArray[np.bool_]:
        """(U, R) where there is a label."""
        return self.codes != self.n_categories

    @cached_property
    def n_labels(self) -> NDArray[np.int64]:
        """(U,) the number of labels of an item."""
        return self.is_labeled.sum(axis=1, dtype=np.int64)

    @cached_property
    def splits(self) -> ItemPatterns:
        """The same kinds of items, in the same order, by the number of labels per category."""
        k = self.n_categories
        counts = np.zeros(len(self.codes) * k, dtype=np.uint32)
        for rows, _, codes in self.labels():
            first, last = int(rows[0]), int(rows[-1]) + 1
            found = np.bincount((rows - first) * k + codes, minlength=(last - first) * k)
            counts[first * k : last * k] = found
        return ItemPatterns(counts.reshape(-1, k), self.n_items)

    @cached_property
    def _of_split(self) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int64], NDArray[np.int64]]:
        """The distinct splits, the rows in the order of their splits, and where each split begins among these."""
        first, kinds, _ = distinct_rows(self.splits.counts)
        order = np.argsort(kinds, kind="stable")
        return self.splits.counts[first], order, np.searchsorted(kinds[order], np.arange(len(first)))

    def split_weights(self, weights: FloatArray) -> tuple[ItemPatterns, FloatArray]:
        """Return the distinct splits and, for weights (B, U), the number of items with each, for any raters."""
        counts, order, starts = self._of_split
        n_items = np.add.reduceat(self.n_items[order], starts) if len(starts) else self.n_items
        summed = np.add.reduceat(weights[:, order], starts, axis=1) if len(starts) else weights
        return ItemPatterns(counts, n_items), summed

    @cached_property
    def complete(self) -> "ItemProfiles":
        """Only the items that all raters labeled."""
        keep = self.is_labeled.all(axis=1)
        return self if keep.all() else ItemProfiles(self.codes[keep], self.n_items[keep], self.n_categories)

    def labels(self) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
        """Yield row, rater, and category of all labels, in blocks of whole rows."""
        step = max(1, BLOCK_CELLS // max(1, self.n_raters))
        for start in range(0, len(self.codes), step):
            rows, raters = np.nonzero(self.is_labeled[start : start + step])
            rows += start
            yield rows, raters, self.codes[rows, raters].astype(np.int64)

    def rater_counts(self, weights: FloatArray) -> FloatArray:
        """(B, R, K) the number of items that each rater put in each category, in B samples; weights: (B, U).

        Exact, and so the same in any order, if the weights are integers: their products may use BLAS.
        """
        is_full = 2 * int(self.n_labels.sum()) > self.codes.size
        # One-hot products are worthwhile with many samples of full rows.
        is_worth_it = is_full and len(weights) > self.n_categories
        total = self._products(weights) if is_worth_it else self._sums(weights)
        return total.reshape(len(weights), self.n_raters, self.n_categories)

    def _products(self, weights: FloatArray) -> FloatArray:
        total = np.zeros((len(weights), self.n_raters * self.n_categories))
        step = max(1, BLOCK_CELLS // max(1, self.n_raters * self.n_categories))
        for start in range(0, len(self.codes), step):
            chosen = self.codes[start : start + step, :, None] == np.arange(self.n_categories)
            indicators = chosen.reshape(len(chosen), -1).astype(np.float64)
            total += weights[:, start : start + step] @ indicators
        return total

    def _sums(self, weights: FloatArray) -> FloatArray:
        total = np.zeros((len(weights), self.n_raters * self.n_categories))
        for rows, raters, codes in self.labels():
            cells = raters * self.n_categories + codes
            for sample, row in enumerate(weights):
                total[sample] += np.bincount(cells, weights=row[rows], minlength=total.shape[1])
        return total

    def rater_sums(self, values: FloatArray) -> FloatArray:
        """(U,) the sum over an item's labels of values[rater, category]; values: (R, K)."""
        total = np.zeros(len(self.codes))
        for rows, raters, codes in self.labels():
            total += np.bincount(rows, weights=values[raters, codes], minlength=len(total))
        return total


def item_profiles(ratings: Ratings) -> ItemProfiles:
    """Return the distinct rows of labels of a question; needs memory for items x raters codes.

    Raises Undefined (`too_large`) beyond MOST_CELLS of them.
    """
    if ratings.n_items * ratings.n_raters > MOST_CELLS:
        raise Undefined(Reason.TOO_LARGE)
    codes = to_dense(ratings).codes
    codes = codes[(codes != ratings.n_categories).any(axis=1)]
    first, _, n_items = distinct_rows(codes)
    return ItemProfiles(codes[first], n_items, ratings.n_categories)
