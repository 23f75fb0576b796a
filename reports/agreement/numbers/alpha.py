"""Krippendorff's alpha of numbers, with up to as many distinct values as labels."""

from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.overall.label_differences import (
    AnswerDifferences,
    LabeledItems,
    PairwiseDifference,
    alpha_of_labels,
    item_alpha_of_labels,
)
from reports.agreement.overall.linearised_alpha import RankChange, rank_slopes, ranked_spread_pulls
from reports.agreement.overall.statistic import estimate
from reports.agreement.results import Coefficient, FloatArray, IntArray, Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level, far_exponent, times_power


def number_alpha(
    sample: NumberSample, level: Level | str = Level.INTERVAL, *, confidence: float = 0.95
) -> Coefficient:
    """Krippendorff's alpha of numbers, with the squared difference of the level and a t interval over items.

    Over items with two or more numbers: alpha = 1 - (N - 1) sum o_ck d_ck / sum n_c n_k d_ck.
    d: nominal 1[c != k]; ordinal the squared difference of mid-ranks; interval (c - k)^2; ratio
    ((c - k) / (c + k))^2, 0 where both are 0.
    Undefined: `no_items`; `no_overlap`; `no_variation`, all numbers equal; on the ratio level `negative_values`, and
    `too_many_values` if there are too many distinct numbers for pairwise comparison (some 130,000).
    Sources: Krippendorff 2011, Computing Krippendorff's alpha-reliability; its error: Gwet 2011, On the Krippendorff's
    alpha coefficient.
    """
    name = Level(level)
    if name is Level.RATIO and (sample.values < 0).any():
        return _undefined(sample, Reason.NEGATIVE_VALUES)
    statistic = number_alpha_statistic(sample, name)
    # An estimate uses only the sizes of the sample itself.
    return estimate(statistic, cast(Sample, sample), Scale(1, name), confidence=confidence)


def number_alpha_statistic(sample: NumberSample, level: Level) -> Statistic:
    """Return alpha as a statistic of this sample. On the ordinal level, each replicate is ranked separately."""
    values, items = labeled_items(sample)
    differences = _differences(level, values, items)
    is_ordinal = level is Level.ORDINAL
    return Statistic(
        name="krippendorff_alpha",
        units=lambda of: items,
        values=alpha_of_ranks if is_ordinal else partial(alpha_of_labels, differences=differences),
        item_values=item_alpha_of_ranks
        if is_ordinal
        else partial(item_alpha_of_labels, differences=differences),
        method=lambda scale: str(level),
    )


def _undefined(sample: NumberSample, reason: Reason) -> Coefficient:
    used = sample.pairable_size
    left_out = sample.size.without(used)
    return Coefficient(value=None, reason=reason, used=used, left_out=left_out, method=str(Level.RATIO))


def labeled_items(sample: NumberSample) -> tuple[FloatArray, LabeledItems]:
    """Return the distinct numbers on items with two or more, ascending, and those items with numbers as codes.

    The numbers are divided by a power of two if their squares would exceed the range of floats: alpha is the same.
    """
    is_used = (sample.labels_per_item >= 2)[sample.items]
    values, codes = np.unique(sample.values[is_used], return_inverse=True)
    n_labels = sample.labels_per_item[sample.labels_per_item >= 2]
    values = times_power(values, -far_exponent(values))
    return values, LabeledItems(codes.astype(np.int64), np.cumsum(n_labels) - n_labels, len(values))


def _differences(level: Level, values: FloatArray, items: LabeledItems) -> AnswerDifferences:
    match level:
        case Level.NOMINAL:
            return NominalDifference()
        case Level.ORDINAL:
            return SquaredDifference(_middle_ranks(items, np.ones((1, len(items.starts)))))
        case Level.INTERVAL:
            return SquaredDifference(values)
        case _:
            return PairwiseDifference(partial(_ratio_difference, values))


def alpha_of_ranks(items: LabeledItems, scale: Scale, weights: FloatArray) -> FloatArray:
    """(B,) alpha on the ordinal level, with the answers ranked in each of B samples; weights: (B, U)."""
    found = [
        alpha_of_labels(items, scale, sample, differences=SquaredDifference(_middle_ranks(items, sample)))
        for sample in np.split(weights, len(weights))
    ]
    return np.concatenate(found) if found else np.empty(0)


def item_alpha_of_ranks(items: LabeledItems, scale: Scale, value: float) -> FloatArray:
    """(U,) the linearized ordinal alpha of each item, which also shifts the ranks of all answers."""
    one_each = np.ones((1, len(items.starts)))
    counts, ranks = items.answer_counts(one_each)[0], _middle_ranks(items, one_each)
    # Numbers close to 0 lose fewer digits, and differences do not depend on the origin.
    ranks = ranks - counts.sum() / 2
    m, r = ranks[items.codes], items.n_labels[items.owners]
    pull = (r * m - items.item_sums(m)[items.owners]) / (r - 1)
    pulls = np.bincount(items.codes, weights=pull, minlength=items.n_answers).astype(np.float64)
    observed = rank_slopes(pulls)
    expected = rank_slopes(ranked_spread_pulls(counts, ranks)) / 2
    change = RankChange(items.item_sums(observed[items.codes]), items.item_sums(expected[items.codes]))
    return item_alpha_of_labels(items, scale, value, differences=SquaredDifference(ranks), ranks=change)


def _middle_ranks(items: LabeledItems, weights: FloatArray) -> FloatArray:
    """(S,) mid-ranks: the number of smaller labels of one sample, plus half of the equal ones; weights: (1, U)."""
    counts = items.answer_counts(weights)[0]
    return np.cumsum(counts) - counts / 2


def _ratio_difference(values: FloatArray, some: IntArray, others: IntArray) -> FloatArray:
    v, w = values[some], values[others]
    gaps = v - w
    return np.divide(gaps, v + w, out=np.zeros_like(gaps), where=gaps != 0) ** 2


@dataclass(frozen=True, slots=True)
class SquaredDifference:
    """(v_c - v_k)^2 without looping over the pairs, from sums of squares around means."""

    values: FloatArray

    def within(self, items: LabeledItems) -> FloatArray:
        """2 r sum_j (v_j - mean)^2, over the r labels of an item."""
        v = self.values[items.codes]
        gaps = v - (items.item_sums(v) / items.n_labels)[items.owners]
        # Labels that are all equal have no spread, despite the rounding of their mean.
        changes = items.item_sums((items.codes != items.codes[items.starts][items.owners]).astype(np.float64))
        return np.where(changes > 0, 2 * items.n_labels * items.item_sums(gaps**2), 0)

    def spread(self, counts: FloatArray) -> FloatArray:
        """sum_k n_k (v_c - v_k)^2 = N (v_c - mean)^2 + sum_k n_k (v_k - mean)^2."""
        n = counts.sum()
        gaps = self.values - float((counts * self.values).sum()) / n
        if np.count_nonzero(counts) < 2:
            return n * (self.values - self.values[counts.argmax()]) ** 2
        return n * gaps**2 + float((counts * gaps**2).sum())

    def expected(self, counts: FloatArray) -> FloatArray:
        """2 (N sum_k n_k v_k^2 - (sum_k n_k v_k)^2); for one sample, another form is used that loses no digits."""
        if len(counts) == 1:
            return np.array([(counts[0] * self.spread(counts[0])).sum()])
        v = self.values - self.values.mean()
        squares, sums = np.einsum("bk,k->b", counts, v**2), np.einsum("bk,k->b", counts, v)
        return 2 * (counts.sum(axis=1) * squares - sums**2)


@dataclass(frozen=True, slots=True)
class NominalDifference:
    """1[c != k]."""

    def within(self, items: LabeledItems) -> FloatArray:
        order = np.lexsort((items.codes, items.owners))
        codes, owners = items.codes[order], items.owners[order]
        is_first = np.concatenate(([True], (codes[1:] != codes[:-1]) | (owners[1:] != owners[:-1])))
        sizes = np.diff(np.flatnonzero(is_first), append=len(codes)).astype(np.float64)
        n_equal = np.bincount(owners[is_first], weights=sizes**2, minlength=len(items.starts))
        return items.n_labels.astype(np.float64) ** 2 - n_equal

    def spread(self, counts: FloatArray) -> FloatArray:
        return counts.sum() - counts

    def expected(self, counts: FloatArray) -> FloatArray:
        return counts.sum(axis=1) ** 2 - (counts**2).sum(axis=1)
