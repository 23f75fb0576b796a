"""Agreement of all raters after a hypothetical change, compared with actual agreement, paired by item."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from reports.agreement.distinct import distinct_rows
from reports.agreement.intervals.difference import Difference
from reports.agreement.intervals.joint import JointKinds, SampleKinds
from reports.agreement.intervals.sample_difference import joint_difference
from reports.agreement.overall.chance_corrected import patterns_of
from reports.agreement.patterns import ItemPatterns
from reports.agreement.profiles import ItemProfiles
from reports.agreement.results import FloatArray, IntArray
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic

# A variance of shares below this is rounding error.
ROUNDING = 1e-12
# Equivalent to 20 items on which two raters differ: McNemar's test is then close to the exact one.
MIN_VARIANCE = 5.0


@dataclass(frozen=True, slots=True, eq=False)
class CategoryUseCounts:
    """One rater compared with the others on the n items that others labeled too; all but n have shape (K,).

    own: the rater's share of items with the category. others: the mean over the same items of the share of the others
    who chose it. low, high: CI limits of own - others. p_value: two-sided, for no difference; 1 where too few
    items are informative.
    """

    n: int
    own: FloatArray
    others: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray

    @property
    def difference(self) -> FloatArray:
        return self.own - self.others


@dataclass(frozen=True, slots=True, eq=False)
class CodedLabels:
    """codes: (N, R), n_categories where there is no label. kinds: (U, K) the distinct splits of items' labels across
    the categories. places: (N,) the index of each item's split.
    """

    codes: NDArray[np.unsignedinteger]
    n_categories: int
    kinds: IntArray
    places: IntArray

    @classmethod
    def of(cls, codes: NDArray[np.unsignedinteger], n_categories: int) -> "CodedLabels":
        counts = _split(codes, n_categories)
        first, places, _ = distinct_rows(counts)
        return cls(codes, n_categories, counts[first], places)

    @property
    def n_raters(self) -> int:
        return int(self.codes.shape[1])

    def splits_by_label(self, rater: int) -> tuple[IntArray, IntArray, NDArray[np.int64]]:
        """Group items by split and a rater's label: (J, K) splits, (J,) labels, (J,) numbers of items."""
        width = self.n_categories + 1
        cells = np.bincount(self.places * width + self.codes[:, rater], minlength=len(self.kinds) * width)
        found = np.flatnonzero(cells)
        return self.kinds[found // width], found % width, cells[found]


def _split(codes: NDArray[np.unsignedinteger], n_categories: int) -> IntArray:
    """Return (N, K) the number of labels of each category on each item."""
    width = n_categories + 1
    cells = np.arange(len(codes))[:, None] * width + codes
    counts = np.bincount(cells.ravel(), minlength=len(codes) * width).reshape(-1, width)
    return counts[:, :n_categories]


def of_one(codes: IntArray, n_categories: int) -> IntArray:
    """Return (J, K) 1 for the category of each label, all 0 for no label."""
    found: IntArray = (codes[:, None] == np.arange(n_categories)).astype(np.int64)
    return found


def without_rater(
    labels: CodedLabels, rater: int, statistic: Statistic, scale: Scale, *, confidence: float
) -> Difference:
    """Return the statistic without the rater's labels minus that with them; only for statistics of splits."""
    all_labels, own, n_items = labels.splits_by_label(rater)
    others = all_labels - of_one(own, labels.n_categories)
    joint = JointKinds(
        _sample_kinds(statistic, others, n_items), _sample_kinds(statistic, all_labels, n_items), n_items
    )
    return joint_difference(joint, scale, confidence=confidence)


def _sample_kinds(statistic: Statistic, counts: IntArray, n_items: NDArray[np.int64]) -> SampleKinds:
    """Return kinds of items by their splits, without those that have no label."""
    is_there = counts.any(axis=1)
    kinds = np.where(is_there, np.cumsum(is_there) - 1, -1)
    return SampleKinds(statistic, ItemPatterns(counts[is_there].astype(np.uint32), n_items[is_there]), kinds)


def use_of_categories(labels: CodedLabels, rater: int, *, confidence: float) -> CategoryUseCounts | None:
    """Return a rater's use of each category minus the others', as a paired mean over items; None for fewer than two.

    For item i and category k, d = [the rater chose k] - (share of the others who chose k); the interval is from t
    with n - 1 degrees of freedom. The test takes each label of an item as equally likely to be the rater's: with c of
    m labels in k, d has mean 0 and variance c (m - c) / (m - 1)^2. For two raters this is McNemar's test. Not tested
    where c (m - c) / m^2 sums to less than MIN_VARIANCE over items, as the normal approximation is then too poor.
    Sources: Student 1908, Biometrika 6, 1-25; McNemar 1947, Psychometrika 12, 153-157; Mantel & Haenszel 1959, Journal
    of the National Cancer Institute 22, 719-748.
    """
    counts, codes, n_items = labels.splits_by_label(rater)
    keep = (codes < labels.n_categories) & (counts.sum(axis=1) > 1)
    own, chosen = of_one(codes[keep], labels.n_categories), counts[keep]
    m = chosen.sum(axis=1, keepdims=True)
    others = (chosen - own) / (m - 1)
    weights = n_items[keep].astype(np.float64)
    n = int(weights.sum())
    if n < 2:
        return None
    d = own - others
    value = weights @ d / n
    variance = (weights @ d**2 - n * value**2) / (n - 1)
    se = np.sqrt(np.where(variance > ROUNDING, variance, 0) / n)
    variances = weights @ (chosen * (m - chosen) / m**2)
    spread = np.sqrt(weights @ (chosen * (m - chosen) / (m - 1) ** 2))
    is_informative = variances >= MIN_VARIANCE
    z = np.divide(n * np.abs(value), spread, out=np.zeros_like(spread), where=is_informative)
    reach = float(stdtrit(n - 1, (1 + confidence) / 2)) * se
    return CategoryUseCounts(
        n=n,
        own=weights @ own / n,
        others=weights @ others / n,
        low=np.maximum(value - reach, -1),
        high=np.minimum(value + reach, 1),
        p_value=2 * ndtr(-z),
    )


def merged(
    sample: Sample, a: int, b: int, statistic: Statistic, scale: Scale, *, confidence: float
) -> Difference:
    """Return the statistic with two categories merged minus that with them apart; a < b, a is the one that stays."""
    units = statistic.units(sample)
    one_less = replace(scale, n_categories=scale.n_categories - 1, values=None)
    together: ItemPatterns | ItemProfiles
    if isinstance(units, ItemPatterns):
        counts = units.counts.astype(np.uint32)
        counts[:, a] += counts[:, b]
        together = ItemPatterns(np.delete(counts, b, axis=1), units.n_items)
    else:
        names = np.arange(scale.n_categories + 1)
        names = np.where(names == b, a, names - (names > b))
        codes = names[units.codes].astype(np.uint16)
        together = ItemProfiles(codes, units.n_items, scale.n_categories - 1)
    kinds = np.arange(len(units.n_items))
    joint = JointKinds(
        SampleKinds(statistic, together, kinds), SampleKinds(statistic, units, kinds), units.n_items
    )
    return joint_difference(joint, one_less, second_scale=scale, confidence=confidence)


def relabeled(
    labels: CodedLabels, rater: int, codes: IntArray, statistic: Statistic, scale: Scale, *, confidence: float
) -> Difference:
    """Return the statistic with one rater's labels replaced, (N,), minus that with the labels they gave."""
    now, then = labels.codes, labels.codes.copy()
    then[:, rater] = codes
    n_items = np.ones(len(now), dtype=np.int64)
    first, second = (_items(statistic, each, labels.n_categories, n_items) for each in (then, now))
    return joint_difference(JointKinds(first, second, n_items), scale, confidence=confidence)


def _items(
    statistic: Statistic, codes: NDArray[np.unsignedinteger], n_categories: int, n_items: NDArray[np.int64]
) -> SampleKinds:
    if is_of_splits(statistic):
        return _sample_kinds(statistic, _split(codes, n_categories), n_items)
    is_there = (codes != n_categories).any(axis=1)
    units = ItemProfiles(codes[is_there], n_items[is_there], n_categories)
    return SampleKinds(statistic, units, np.where(is_there, np.cumsum(is_there) - 1, -1))


def is_of_splits(statistic: Statistic) -> bool:
    """Return whether the statistic depends only on the splits, not on who chose what."""
    return statistic.units is patterns_of


def expected_scattered(counts: IntArray, n_items: IntArray) -> float:
    """Return the expected number of items with three or more labels, all different, if all were equally difficult.

    A label is right with probability q, and otherwise a random one of all labels: with category shares p, two labels
    of an item agree with probability q^2 + (1 - q^2) sum p^2, which gives q. No two of r labels agree if at most one
    is right, and labels drawn at random are all different: [(1 - q)^r + r q (1 - q)^(r - 1)] r! e_r(p), where e_r is
    the r-th elementary symmetric polynomial.
    """
    sizes = counts.sum(axis=1)
    is_pair = sizes >= 2
    pairs = (sizes * (sizes - 1))[is_pair]
    if not pairs.sum():
        return 0.0
    agreeing = (counts * (counts - 1)).sum(axis=1)[is_pair]
    weights = n_items[is_pair]
    observed = float((agreeing * weights).sum() / (pairs * weights).sum())
    shares = (counts[is_pair] * weights[:, None]).sum(axis=0) / (sizes[is_pair] * weights).sum()
    chance = float((shares**2).sum())
    if chance >= 1:
        return 0.0
    q = float(np.sqrt(min(1.0, max(0.0, (observed - chance) / (1 - chance)))))
    # (K + 1,) e_r for every r, multiplied by r! along the way.
    different = np.zeros(len(shares) + 1)
    different[0] = 1
    for share in shares.tolist():
        different[1:] += share * different[:-1].copy()
    total, factorial = 0.0, 2.0
    for r in range(3, len(shares) + 1):
        factorial *= r
        unlike = (1 - q) ** r + r * q * (1 - q) ** (r - 1)
        total += int(n_items[sizes == r].sum()) * unlike * factorial * float(different[r])
    return total
