"""Findings for numeric questions: everything beyond chance, sorted by the possible gain in agreement."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy.special import ndtr

from reports.agreement.few_items import LEAST_ITEMS
from reports.agreement.intervals.difference import Difference
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.results import FloatArray, IntArray
from reports.agreement.weights import Level
from reports.analysis.findings_gain import gain_of
from reports.analysis.findings_holm import is_gain, with_gain
from reports.analysis.findings_numbers_effects import (
    CorrectableErrors,
    difficult_items,
    error_rate_p_value,
    level_of,
    moved_points,
    others_means,
    others_medians,
    spread_of,
    swapped_digits,
)
from reports.analysis.findings_search import GainSearch
from reports.analysis.findings_tests import Candidates, Test, joined
from reports.analysis.label_arrays import LabelSubset
from reports.analysis.measure import RatingDesign, measure_for
from reports.analysis.question import QuestionScope
from reports.analysis.results import Finding, FindingKind
from reports.analysis.results.raters import SIGNIFICANT
from reports.analysis.suspicious_pairs import OFFSETS

# Limits on cells of a table of all numbers, and on numbers processed when each rater is left out once.
MAX_CELLS, MAX_STEPS = 50_000_000, 100_000_000
# The jackknife processes all numbers once for each item.
MAX_JACKKNIFED = 1_000_000_000
# Their value by chance depends on the number of raters, or they are too slow to compute without each rater.
SUBSTITUTES = dict.fromkeys(("kendall_w", "icc_a_1_reml", "icc_c_1_reml"), "krippendorff_alpha")
# A rater whose numbers correlate less than LITTLE with the others', but more than MUCH when shifted by some items.
LITTLE, MUCH = 0.1, 0.4


def coefficient_of(scope: QuestionScope, sample: NumberSample) -> str:
    n_compared = sample.pairable_size.n_items
    crossed = sample.complete_size.n_items / n_compared if n_compared else 1.0
    design = RatingDesign(n_raters=sample.size.n_raters, crossed=crossed)
    name = measure_for(scope.kind, str(scope.level), design, scope.measure).coefficient
    name = SUBSTITUTES.get(name, name)
    is_slow = (
        name.startswith("icc_") and sample.size.n_labels * sample.n_items * sample.n_raters > MAX_JACKKNIFED
    )
    return "krippendorff_alpha" if is_slow else name


@dataclass(frozen=True, eq=False)
class NumberSearch(GainSearch):
    """One numeric question. sample: the raters who count."""

    sample: NumberSample
    order: IntArray | None

    @cached_property
    def name(self) -> str:
        return coefficient_of(self.scope, self.sample)

    @cached_property
    def is_small(self) -> bool:
        sample = self.sample
        cells, steps = sample.n_items * sample.n_raters, len(sample.values) * sample.n_raters
        return cells <= MAX_CELLS and steps <= MAX_STEPS

    @cached_property
    def values(self) -> FloatArray:
        """(N, R), NaN for no label."""
        found = np.full((self.sample.n_items, self.sample.n_raters), np.nan)
        found[self.sample.items, self.sample.raters] = self.sample.values
        return found

    @cached_property
    def means(self) -> FloatArray:
        """(N, R) the mean of the others' numbers on each item."""
        return np.column_stack([others_means(self.values, rater) for rater in range(self.values.shape[1])])

    @cached_property
    def has_distances(self) -> bool:
        return self.scope.level in {Level.INTERVAL, Level.RATIO}

    @property
    def _rows(self) -> range:
        # With two raters, one is higher by as much as the other is lower.
        return range(self.sample.n_raters if self.sample.n_raters > 2 else 1)

    def _tests(self) -> list[Test]:
        if not self.is_small or self.sample.pairable_size.n_items < LEAST_ITEMS:
            return []
        of_raters: list[Test] = [partial(self._of_rater, rater) for rater in self._rows]
        return [*of_raters, self._difficult, self._digits] if self.has_distances else of_raters

    def _of_rater(self, rater: int) -> Candidates:
        if not self.has_distances:
            return self._without(rater)
        tests = (self._without, self._level, self._spread, self._shifted)
        return joined(test(rater) for test in tests)

    def _names(self, rater: int) -> tuple[str, ...]:
        keys = self.raters.counted_keys
        return (keys[rater],) if self.sample.n_raters > 2 else tuple(keys)

    def _shared_items(self, rater: int) -> IntArray:
        """Return the items that the rater and at least one other labeled."""
        found: IntArray = np.flatnonzero(~np.isnan(self.values[:, rater]) & ~np.isnan(self.means[:, rater]))
        return found

    def _without(self, rater: int) -> Candidates:
        if self.sample.n_raters < 3:
            return [], 0
        rest = self.values.copy()
        rest[:, rater] = np.nan
        gain = self._gain(rest)
        if gain is None or not is_gain(gain):
            return [], 1
        n_items = int(np.count_nonzero(~np.isnan(self.values[:, rater])))
        kind, p_value = str(FindingKind.RATER), gain.p_value or 0.0
        about = Finding(kind=kind, raters=self._names(rater), p_value=p_value, n_items=n_items)
        return [with_gain(about, gain)], 1

    def _level(self, rater: int) -> Candidates:
        rows = self._shared_items(rater)
        own, others = self.values[rows, rater], self.means[rows, rater]
        tested = level_of(own, others, confidence=self.confidence)
        if tested is None or tested.n < LEAST_ITEMS or tested.p_value >= SIGNIFICANT:
            return [], 1
        about = Finding(
            kind=str(FindingKind.LEVEL),
            raters=self._names(rater),
            p_value=tested.p_value,
            n_items=tested.n,
            contrast=tested.contrast,
        )
        return [self._corrected(about, rater, self.values[:, rater] - tested.contrast.effect)], 1

    def _spread(self, rater: int) -> Candidates:
        chosen = self._shared_items(rater)
        rest = self.values[chosen].copy()
        rest[:, rater] = np.nan
        rows, columns = np.nonzero(~np.isnan(rest))
        own = self.values[chosen, rater]
        tested = spread_of(own, rest[rows, columns], rows, columns, confidence=self.confidence)
        if tested is None or tested.n < LEAST_ITEMS or tested.p_value >= SIGNIFICANT:
            return [], 1
        about = Finding(
            kind=str(FindingKind.SPREAD),
            raters=self._names(rater),
            p_value=tested.p_value,
            n_items=tested.n,
            contrast=tested.contrast,
        )
        mean = float(own.mean())
        rescaled = mean + (self.values[:, rater] - mean) / tested.contrast.effect
        return [self._corrected(about, rater, rescaled)], 1

    def _shifted(self, rater: int) -> Candidates:
        """Find numbers that belong to earlier or later items: the best of the offsets that were tried."""
        order = np.arange(len(self.values)) if self.order is None else self.order
        others = self.means[:, rater][order]
        in_place = _correlation(self.values[:, rater][order], others)
        if in_place is None or in_place >= LITTLE:
            return [], 1
        found = []
        for offset in OFFSETS:
            moved = _moved(self.values[:, rater][order], offset)
            r, n = _correlation(moved, others), int(np.count_nonzero(~np.isnan(moved + others)))
            if r is not None and r >= MUCH:
                # Fisher's z test of no correlation, one-sided.
                p_value = len(OFFSETS) * float(ndtr(-math.atanh(min(r, 1 - 1e-12)) * math.sqrt(n - 3)))
                found.append((r, offset, n, min(1.0, p_value), moved))
        if not found:
            return [], 1
        r, offset, n, p_value, moved = max(found, key=lambda each: each[0])
        back = np.empty_like(moved)
        back[order] = moved
        about = Finding(
            kind=str(FindingKind.SHIFTED),
            raters=self._names(rater),
            p_value=p_value,
            n_items=n,
            offset=offset,
        )
        return [self._corrected(about, rater, back)], 1

    def _difficult(self) -> Candidates:
        """Remove raters' levels first: a rater who is higher than the others makes no item harder.

        On a ratio scale without zeros, differences are those of logarithms, since larger numbers differ more.
        """
        values, means = self.values, self.means
        if self.scope.level is Level.RATIO:
            if (self.sample.values <= 0).any():
                return [], 0
            values = np.log(values)
            means = np.column_stack([others_means(values, rater) for rater in range(values.shape[1])])
        gaps, is_beside = values - means, ~np.isnan(values + means)
        n = np.maximum(is_beside.sum(axis=0), 1)
        levels = np.where(is_beside, gaps, 0).sum(axis=0) / n
        tested = difficult_items(values - levels, confidence=self.confidence)
        if tested is None or tested.n < LEAST_ITEMS:
            return [], 1
        return [
            Finding(
                kind=str(FindingKind.DIFFICULT),
                p_value=tested.p_value,
                n_items=tested.n_items,
                contrast=tested.contrast,
            )
        ], 1

    def _digits(self) -> Candidates:
        return joined(self._digits_of_each())

    def _digits_of_each(self) -> Iterator[Candidates]:
        """Test twice and take the larger p: against numbers that are nearly right, and against the other raters."""
        if self.sample.n_raters < 3:
            return
        medians = others_medians(self.values)
        n_tried = (~np.isnan(medians)).sum(axis=0)
        columns = range(self.sample.n_raters)
        for find in (swapped_digits, moved_points):
            slips = [find(self.values[:, rater], medians[:, rater]) for rater in columns]
            n_all = sum(each.n for each in slips)
            for rater in columns:
                by_others = error_rate_p_value(slips[rater].n, int(n_tried[rater]), n_all, int(n_tried.sum()))
                yield self._digit_findings(rater, slips[rater], max(by_others, slips[rater].p_by_nearness)), 1

    def _digit_findings(self, rater: int, slips: CorrectableErrors, p_value: float) -> list[Finding]:
        if p_value >= SIGNIFICANT:
            return []
        about = Finding(
            kind=str(FindingKind.DIGITS),
            raters=self._names(rater),
            p_value=p_value,
            n_items=slips.n,
            expected=slips.expected,
        )
        numbers = np.where(slips.is_right, slips.corrected, self.values[:, rater])
        return [self._corrected(about, rater, numbers)]

    def _corrected(self, about: Finding, rater: int, numbers: FloatArray) -> Finding:
        """Add the gain if a rater's numbers were replaced, unless some would not fit the scale."""
        if self.scope.level is Level.RATIO and (numbers[~np.isnan(numbers)] < 0).any():
            return about
        changed = self.values.copy()
        changed[:, rater] = numbers
        gain = self._gain(changed)
        return about if gain is None or gain.value is None else with_gain(about, gain)

    def _gain(self, values: FloatArray) -> Difference | None:
        items = np.arange(self.sample.n_items)
        keep = ~np.isnan(values).all(axis=1)
        columns = ~np.isnan(values).all(axis=0)
        first = LabelSubset(NumberSample(values[keep][:, columns]), items[keep])
        return gain_of(
            self.kind, self.name, first, LabelSubset(self.sample, items), confidence=self.confidence
        )


def _correlation(a: FloatArray, b: FloatArray) -> float | None:
    """Return Pearson's correlation; None with too few numbers."""
    both = ~np.isnan(a + b)
    if both.sum() < LEAST_ITEMS:
        return None
    return float(np.corrcoef(a[both], b[both])[0, 1]) if a[both].std() and b[both].std() else 0.0


def _moved(values: FloatArray, by: int) -> FloatArray:
    """Shift the numbers: each is taken from `by` positions further on."""
    found = np.full(len(values), np.nan)
    places = np.arange(len(values)) + by
    is_inside = (places >= 0) & (places < len(values))
    found[is_inside] = values[places[is_inside]]
    return found
