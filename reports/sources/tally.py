"""Counts of the answers to each of some items."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray, IntArray
from reports.analysis.label_arrays import ABSTAINED
from reports.sources.packing import packed_columns, unpacked_columns
from reports.sources.rows import Rows

# Entropies are rounded to this many decimals, so that rounding errors of sums do not affect the order.
DIGITS = 9
# With more cells per label, a table of items × answers is mostly empty.
MOST_CELLS = 16

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class ItemDisagreement:
    """How much raters disagree on each of some items: all that finding and ordering the items of a list takes.

    items: (N,) IDs. n_labels, n_abstained: (N,). n_different: (N,) number of different answers. spreads, entropies:
    (N,) as in `Tally`.
    """

    items: IntArray
    n_labels: IntArray
    n_abstained: IntArray
    n_different: IntArray
    spreads: FloatArray
    entropies: FloatArray

    @property
    def packed(self) -> bytes:
        return packed_columns(self._columns)

    @classmethod
    def unpacked(cls, packed: bytes) -> Self:
        return cls(*unpacked_columns(packed))

    def at(self, which: BoolArray) -> "ItemDisagreement":
        return ItemDisagreement(
            self.items[which],
            self.n_labels[which],
            self.n_abstained[which],
            self.n_different[which],
            self.spreads[which],
            self.entropies[which],
        )

    def is_same(self, other: "ItemDisagreement") -> bool:
        """Return whether all counts are equal, and all measures up to rounding."""
        return all(
            len(a) == len(b) and np.allclose(a, b, rtol=1e-12, atol=10**-DIGITS, equal_nan=True)
            for a, b in zip(self._columns, other._columns, strict=True)
        )

    @property
    def _columns(self) -> tuple[IntArray | FloatArray, ...]:
        return self.items, self.n_labels, self.n_abstained, self.n_different, self.spreads, self.entropies


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """How many raters gave each answer to each of some items.

    items: (N,) IDs. places, codes, n: (T,) item, answer (ABSTAINED for "cannot tell"), and number of raters; is_answer:
    (T,) False for "cannot tell". n_labels, n_abstained: (N,). rows: the labels that count. row_places, row_codes: item
    and answer of each of these. numbers: (S,) by code, or None.
    """

    items: IntArray
    places: IntArray
    codes: IntArray
    n: IntArray
    is_answer: BoolArray
    n_labels: IntArray
    n_abstained: IntArray
    rows: Rows
    row_places: IntArray
    row_codes: IntArray
    numbers: FloatArray | None

    @classmethod
    def of(cls, rows: Rows) -> "Tally":
        """Count the answers in rows, which have at most one row for each item and rater."""
        is_new = np.ones(len(rows), dtype=bool)
        is_new[1:] = rows.items[1:] != rows.items[:-1]
        row_places, n_items = np.cumsum(is_new) - 1, int(is_new.sum())
        row_codes, numbers = rows.values, None
        if rows.values.dtype.kind == "f":
            numbers, found = np.unique(rows.values, return_inverse=True)
            row_codes = np.where(rows.has_value, found, ABSTAINED)
        width = int(row_codes.max(initial=ABSTAINED)) + 2
        cells = row_places * width + row_codes + 1
        if n_items * width <= MOST_CELLS * len(rows):
            counts = np.bincount(cells, minlength=n_items * width)
            used = np.flatnonzero(counts)
            n = counts[used]
        else:
            used, n = np.unique(cells, return_counts=True)
        places, codes = used // max(1, width), used % max(1, width) - 1
        is_answer = codes != ABSTAINED
        n_labels, n_abstained = (
            np.bincount(places, weights=n * which, minlength=n_items).astype(np.int64)
            for which in (is_answer, ~is_answer)
        )
        return cls(
            rows.items[is_new], places, codes, n, is_answer, n_labels, n_abstained,
            rows, row_places, row_codes, numbers,
        )  # fmt: skip

    @property
    def disagreement(self) -> ItemDisagreement:
        return ItemDisagreement(
            self.items, self.n_labels, self.n_abstained, self.n_different, self.spreads, self.entropies
        )

    @property
    def n_different(self) -> IntArray:
        return np.bincount(self.places, weights=self.is_answer, minlength=len(self.items)).astype(np.int64)

    def is_scattered(self) -> BoolArray:
        """Return whether no two labels are equal, (N,)."""
        return self.n_different == self.n_labels

    @property
    def entropies(self) -> FloatArray:
        """The entropy ln n - sum of n_k ln n_k / n, (N,); 0 if all agree, NaN without a label."""
        n = np.maximum(self.n_labels, 1)
        weights = (self.n * np.log(self.n) * self.is_answer).astype(np.float64)
        found = np.log(n) - np.bincount(self.places, weights=weights, minlength=len(self.items)) / n
        # Adding 0 turns -0 into 0.
        return np.where(self.n_labels > 0, np.round(found, DIGITS) + 0.0, np.nan)

    @property
    def spreads(self) -> FloatArray:
        """Half the range of the numbers, (N,), because the full range of the largest numbers would overflow; 0 for
        other kinds.
        """
        if self.numbers is None:
            return np.zeros(len(self.items))
        low, high = np.full(len(self.items), np.inf), np.full(len(self.items), -np.inf)
        values = self.numbers[self.codes[self.is_answer]]
        np.minimum.at(low, self.places[self.is_answer], values)
        np.maximum.at(high, self.places[self.is_answer], values)
        return np.where(self.n_labels > 0, high / 2 - low / 2, np.nan)

    @property
    def finished(self) -> IntArray:
        """The time of the last label in microseconds since 1970, (N,); the smallest integer without one."""
        last = np.full(len(self.items), np.iinfo(np.int64).min)
        keep = self.row_codes != ABSTAINED
        np.maximum.at(last, self.row_places[keep], self.rows.moments[keep])
        return last

    def has(self, category: int) -> BoolArray:
        """Return whether any rater chose the category, given by its position, (N,)."""
        return self._marked(self.places, self._holds(category, self.codes))

    def has_label(self, rater: int, category: int | None = None) -> BoolArray:
        """Return whether the rater has a label, optionally of one category, (N,)."""
        is_labeled = (self.rows.raters == rater) & (self.row_codes != ABSTAINED)
        if category is not None:
            is_labeled &= self._holds(category, self.row_codes)
        return self._marked(self.row_places, is_labeled)

    def could_not_tell(self, rater: int) -> BoolArray:
        return self._marked(self.row_places, (self.rows.raters == rater) & (self.row_codes == ABSTAINED))

    def is_tied(self) -> BoolArray:
        """Return whether several answers are tied for the most labels, (N,)."""
        return np.bincount(self.places, weights=self._is_first(), minlength=len(self.items)) > 1

    def is_decided(self, category: int | None = None) -> BoolArray:
        """Return whether one answer, optionally a given one, has more labels than any other, (N,)."""
        is_first = self._is_first()
        is_won: BoolArray = np.bincount(self.places, weights=is_first, minlength=len(self.items)) == 1
        if category is None:
            return is_won
        return is_won & self._marked(self.places, is_first & self._holds(category, self.codes))

    def answers(self, item: int, categories: Sequence[int]) -> list[tuple[Any, int]]:
        """Return each answer to the item at this position with its count: numbers in ascending order, else most common
        first.

        categories: their IDs, which are returned; a set is returned as a list of IDs.
        """
        of_item = np.flatnonzero((self.places == item) & self.is_answer)
        counts = list(zip(self.codes[of_item].tolist(), self.n[of_item].tolist(), strict=True))
        if self.numbers is not None:
            return sorted((float(self.numbers[code]), n) for code, n in counts)
        members = self.rows.members
        found: list[tuple[Any, int]] = (
            [(categories[code], n) for code, n in counts]
            if members is None
            else [
                (sorted(categories[k] for k in np.flatnonzero(members[code]).tolist()), n)
                for code, n in counts
            ]
        )
        return sorted(found, key=lambda each: (-each[1], each[0]))

    def _is_first(self) -> BoolArray:
        """Return which answers have the most labels of their item, including ties, (T,)."""
        n = self.n * self.is_answer
        most = np.zeros(len(self.items), dtype=np.int64)
        np.maximum.at(most, self.places, n)
        is_first: BoolArray = (n == most[self.places]) & (n > 0)
        return is_first

    def _holds(self, category: int, codes: IntArray) -> BoolArray:
        """Return which answers are this category, or a set that contains it."""
        members = self.rows.members
        if members is None:
            return codes == category
        # An answer that is not a set contains no category.
        holds = np.append(members[:, category], False)
        return holds[np.where(codes == ABSTAINED, len(members), codes)]

    def _marked(self, places: IntArray, which: BoolArray) -> BoolArray:
        """Return whether any selected entry belongs to the item, (N,)."""
        found = np.zeros(len(self.items), dtype=bool)
        found[places[which]] = True
        return found
