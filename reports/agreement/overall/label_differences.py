"""Krippendorff's alpha from the labels themselves, for questions with too many possible answers for a table.

For numbers and sets of categories: the distinct answers that were given, coded 0..S-1, are compared.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reports.agreement.overall.linearised_alpha import RankChange, linearised_alpha
from reports.agreement.results import FloatArray, IntArray, Reason, Undefined
from reports.agreement.sample import Scale

# Differences processed at a time, so that intermediate values stay in cache.
BLOCK_CELLS = 1 << 18
# Limit on differences between distinct answers, or labels of one item: some minutes of work.
MAX_DIFFERENCES = 1 << 34

# Limit on differences of distinct answers that are stored, for many samples at once.
MAX_TABLE = 1 << 22

# (..., ) codes and (..., ) codes -> the differences of the answers they represent; 0 where they are equal.
Difference = Callable[[IntArray, IntArray], FloatArray]


@dataclass(frozen=True, eq=False)
class LabeledItems:
    """The labels of items with two or more labels, as `ItemKinds` of a statistic: one kind for each such item.

    codes: (L,) int64, the answers, grouped by item. starts: (U,) where each item begins.
    n_answers: S, the number of distinct answers.
    """

    codes: IntArray
    starts: NDArray[np.int64]
    n_answers: int

    @cached_property
    def n_items(self) -> NDArray[np.int64]:
        return np.ones(len(self.starts), dtype=np.int64)

    @cached_property
    def n_labels(self) -> NDArray[np.int64]:
        """(U,) the number of labels of an item, two or more."""
        return np.diff(self.starts, append=len(self.codes))

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """(L,) the item of each label."""
        return np.repeat(np.arange(len(self.starts)), self.n_labels)

    def answer_counts(self, weights: FloatArray) -> FloatArray:
        """(B, S) the number n_c of labels with each answer, if item u occurs weights[b, u] times; weights: (B, U)."""
        counts = np.zeros((len(weights), self.n_answers))
        order = np.argsort(self.codes, kind="stable")
        present, starts = np.unique(self.codes[order], return_index=True)
        step = max(1, BLOCK_CELLS // max(1, len(self.codes)))
        for rows in (
            slice(start, start + step) for start in range(0, len(weights) if len(order) else 0, step)
        ):
            counts[rows, present] = np.add.reduceat(weights[rows][:, self.owners[order]], starts, axis=1)
        return counts

    def item_sums(self, of_labels: FloatArray) -> FloatArray:
        """(U,) the sums over an item's labels; of_labels: (L,)."""
        return np.add.reduceat(of_labels, self.starts) if len(self.starts) else np.empty(0)


class AnswerDifferences(Protocol):
    """A squared difference d of answers, with the sums that alpha needs."""

    def within(self, items: LabeledItems) -> FloatArray:
        """(U,) the sum of d over the ordered pairs of labels of an item."""
        ...

    def spread(self, counts: FloatArray) -> FloatArray:
        """(S,) sum_k n_k d_ck, for the counts n_k of the answers."""
        ...

    def expected(self, counts: FloatArray) -> FloatArray:
        """(B,) sum_ck n_c n_k d_ck of B samples; counts: (B, S)."""
        ...


@dataclass(frozen=True, slots=True)
class PairwiseDifference:
    """Any difference, by looping over the pairs: of labels within an item, and of distinct answers."""

    difference: Difference

    def within(self, items: LabeledItems) -> FloatArray:
        """Compare labels with those 1, 2, … positions after them in their item."""
        total = np.zeros(len(items.starts))
        left = items.n_labels[items.owners] - (np.arange(len(items.codes)) - items.starts[items.owners])
        if int((left - 1).sum()) > MAX_DIFFERENCES:
            raise Undefined(Reason.TOO_MANY_VALUES)
        firsts, step = np.flatnonzero(left > 1), 1
        while len(firsts):
            d = self.difference(items.codes[firsts], items.codes[firsts + step])
            total += np.bincount(items.owners[firsts], weights=d, minlength=len(total))
            step += 1
            firsts = firsts[left[firsts] > step]
        return 2 * total

    def spread(self, counts: FloatArray) -> FloatArray:
        n = len(counts)
        if n * n > MAX_DIFFERENCES:
            raise Undefined(Reason.TOO_MANY_VALUES)
        codes, step = np.arange(n), max(1, BLOCK_CELLS // max(1, n))
        blocks = [
            np.einsum("ck,k->c", self.difference(codes[start : start + step, None], codes[None, :]), counts)
            for start in range(0, n, step)
        ]
        return np.concatenate(blocks) if blocks else np.empty(0)

    def expected(self, counts: FloatArray) -> FloatArray:
        n = counts.shape[1]
        if len(counts) == 1 or n * n > MAX_TABLE:
            return np.array([(row * self.spread(row)).sum() for row in counts])
        codes = np.arange(n)
        table = self.difference(codes[:, None], codes[None, :])
        return np.einsum("bc,bc->b", np.einsum("bk,ck->bc", counts, table), counts)


def alpha_of_labels(
    items: LabeledItems, scale: Scale, weights: FloatArray, *, differences: AnswerDifferences
) -> FloatArray:
    """(B,) Krippendorff's alpha, 1 - (N - 1) sum o_ck d_ck / sum n_c n_k d_ck; NaN if the expected difference is 0.

    weights: (B, U), how often each item occurs in each of B samples. The coincidences o are those of
    `krippendorff.krippendorff_alpha`.
    Source: Krippendorff 2011, Computing Krippendorff's alpha-reliability.
    """
    if not len(items.starts):
        return np.full(len(weights), np.nan)
    n_c = items.answer_counts(weights)
    observed = np.einsum("bu,u->b", weights, differences.within(items) / (items.n_labels - 1))
    # Where only one answer is left, rounding must not pass for a difference.
    is_varied = (n_c > 0).sum(axis=1) >= 2
    expected = np.where(is_varied, differences.expected(n_c), 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - (n_c.sum(axis=1) - 1) * observed / expected, np.nan)


def item_alpha_of_labels(
    items: LabeledItems,
    scale: Scale,
    value: float,
    *,
    differences: AnswerDifferences,
    ranks: RankChange | None = None,
) -> FloatArray:
    """(U,) the linearized alpha of each item (`linearised_alpha`)."""
    used = items.n_items.astype(np.float64)
    return linearised_alpha(
        value,
        n_labels=items.n_labels,
        used=used,
        observed=differences.within(items) / (items.n_labels - 1),
        item_spread=items.item_sums(differences.spread(items.answer_counts(used[None, :])[0])[items.codes]),
        ranks=ranks,
    )
