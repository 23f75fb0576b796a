"""Items grouped by the split of their labels across categories, which is all that most coefficients need."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reports.agreement.ratings import Ratings, run_bounds
from reports.agreement.results import FloatArray

BLOCK_CELLS = 1 << 18
# Up to this many distinct splits, merging before the end is not worthwhile.
FEW_PATTERNS = 1 << 14


@dataclass(frozen=True, eq=False)
class ItemPatterns:
    """Distinct splits of an item's labels across the categories, and the number of items with each.

    counts: (U, K) integers, r_ik; every row has at least one label. n_items: (U,) int64, summing to N.
    The order of rows depends neither on the order of items nor of raters: sums over them are the same to the last
    bit for any order of the data.
    """

    counts: NDArray[np.unsignedinteger]
    n_items: NDArray[np.int64]

    @property
    def n_categories(self) -> int:
        return self.counts.shape[1]

    @cached_property
    def n_labels(self) -> NDArray[np.int64]:
        """(U,) the number of labels of an item, r_i."""
        return self.counts.sum(axis=1, dtype=np.int64)

    @cached_property
    def n_agreeing(self) -> NDArray[np.int64]:
        """(U,) ordered pairs of labels of an item that agree, the sum over categories of r_ik (r_ik - 1)."""
        found = [np.empty(0, dtype=np.int64)]
        for rows in self._blocks():
            block = self.counts[rows].astype(np.int64)
            found.append(np.einsum("uk,uk->u", block, block))
        return np.concatenate(found) - self.n_labels

    @cached_property
    def pairable(self) -> "ItemPatterns":
        """Only items with two or more labels."""
        keep = self.n_labels >= 2
        return self if keep.all() else ItemPatterns(self.counts[keep], self.n_items[keep])

    @cached_property
    def prevalence(self) -> FloatArray:
        """(K,) the mean over items of the share of labels in each category, pi_k = (1/n) sum_i r_ik / r_i."""
        return self.prevalences(self.n_items[None, :].astype(np.float64))[0]

    def prevalences(self, weights: FloatArray) -> FloatArray:
        """(B, K) the same for B samples, each with weights[b, u] items of kind u; weights: (B, U)."""
        with np.errstate(invalid="ignore"):
            return self.category_sums(weights / self.n_labels) / weights.sum(axis=1, keepdims=True)

    def category_sums(self, factors: FloatArray) -> FloatArray:
        """(B, K) sum over kinds of items of factor_u r_uk; factors: (B, U)."""
        total = np.zeros((len(factors), self.n_categories))
        for rows in self._blocks():
            # With the kinds of items contiguous, einsum is three times as fast.
            by_category = np.ascontiguousarray(self.counts[rows].T, dtype=np.float64)
            total += np.einsum("bu,ku->bk", factors[:, rows], by_category)
        return total

    def item_sums(self, values: FloatArray) -> FloatArray:
        """(U,) sum over categories of r_ik values_k; values: (K,)."""
        return np.concatenate([np.einsum("uk,k->u", self.counts[rows], values) for rows in self._blocks()])

    def item_products(self, weights: FloatArray) -> FloatArray:
        """(U,) sum over both categories of r_ik weights_kl r_il; weights: (K, K).

        Sums are by einsum throughout: a product by BLAS would depend on its threads.
        """
        blocks = (self.counts[rows].astype(np.float64) for rows in self._blocks())
        return np.concatenate(
            [np.einsum("uk,uk->u", np.einsum("uk,kl->ul", block, weights), block) for block in blocks]
        )

    def _blocks(self) -> list[slice]:
        step = max(1, BLOCK_CELLS // max(1, self.n_categories))
        return [slice(start, start + step) for start in range(0, max(1, len(self.counts)), step)]


def item_patterns(ratings: Ratings) -> ItemPatterns:
    """Return the distinct splits of labels across categories among the items of a question."""
    kind = np.uint8 if ratings.n_raters <= 255 else np.uint16 if ratings.n_raters <= 65_535 else np.uint32
    found = [(np.empty((0, ratings.n_categories), dtype=kind), np.empty(0, dtype=np.int64))]
    pending = 0
    for counts in ratings.category_counts():
        rows, n_items = _distinct_of_block(counts)
        # A row of zeros is an item without a label.
        is_labeled = rows.any(axis=1)
        found.append((rows[is_labeled].astype(kind), n_items[is_labeled]))
        pending += len(found[-1][1])
        # Merging occasionally bounds the memory without merging the same rows repeatedly.
        if pending > 4 * max(len(found[0][1]), FEW_PATTERNS):
            found, pending = [_merged(found)], 0
    return ItemPatterns(*_merged(found))


Rows = tuple[NDArray[np.unsignedinteger], NDArray[np.int64]]


def _merged(found: list[Rows]) -> Rows:
    return _distinct(np.concatenate([rows for rows, _ in found]), np.concatenate([n for _, n in found]))


def _distinct_of_block(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct rows of a block of items, in any order, and the number of items with each."""
    bits = int(counts.max(initial=1)).bit_length()
    n_categories = counts.shape[1]
    if bits * n_categories > 64:
        rows, n_items = _distinct(counts.view(np.uint64), np.ones(len(counts), dtype=np.int64))
        return rows.view(np.int64), n_items
    # If the counts of an item fit into one number, sorting these numbers is many times faster.
    packed = np.zeros(len(counts), dtype=np.uint64)
    for column in counts.T:
        packed <<= np.uint64(bits)
        packed |= column.astype(np.uint64)
    packed.sort()
    bounds = run_bounds(packed)
    shifts = np.arange(n_categories - 1, -1, -1, dtype=np.uint64) * np.uint64(bits)
    rows = packed[bounds[:-1], None] >> shifts & np.uint64((1 << bits) - 1)
    return rows.astype(np.int64), np.diff(bounds)


def _distinct(rows: NDArray[np.unsignedinteger], n_items: NDArray[np.int64]) -> Rows:
    """Return distinct rows in the order of their keys, with their numbers of items summed."""
    if not len(rows):
        return rows, n_items
    keys = _row_keys(rows)
    order = np.argsort(keys, kind="stable")
    rows = rows[order]
    # The rows themselves are compared: rows with the same key would remain separate.
    is_new = np.concatenate(([True], (rows[1:] != rows[:-1]).any(axis=1)))
    starts = np.flatnonzero(is_new)
    return rows[starts], np.add.reduceat(n_items[order], starts)


def _row_keys(rows: NDArray[np.unsignedinteger]) -> NDArray[np.uint64]:
    """Return a number for each row: the sum of its counts times fixed odd multipliers, modulo 2^64."""
    # The multipliers are powers of an odd 64-bit constant (Knuth 1998, 3.3.4, table 1, line 26).
    multipliers = np.multiply.accumulate(np.full(rows.shape[1], 6364136223846793005, dtype=np.uint64))
    keys = np.zeros(len(rows), dtype=np.uint64)
    for column, multiplier in enumerate(multipliers):
        keys += rows[:, column].astype(np.uint64) * multiplier
    return keys
