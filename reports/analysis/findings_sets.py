"""Findings for multiple-choice questions: everything beyond chance, sorted by the possible gain in agreement."""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from reports.agreement.few_items import LEAST_ITEMS
from reports.agreement.intervals.difference import Difference
from reports.agreement.pairs.estimates import reasons, wilson_estimates
from reports.agreement.results import FloatArray, Reason
from reports.agreement.sets.members import SetSample
from reports.analysis.findings_effects import CodedLabels, use_of_categories
from reports.analysis.findings_gain import gain_of
from reports.analysis.findings_holm import is_gain, with_gain
from reports.analysis.findings_search import GainSearch
from reports.analysis.findings_tests import Candidates, Test, joined
from reports.analysis.label_arrays import LabelSubset
from reports.analysis.measure import RatingDesign, measure_for
from reports.analysis.results import CategoryUse, Finding, FindingKind
from reports.analysis.results.raters import SIGNIFICANT

# A category chosen less often says nothing about who chooses it.
LEAST_CHOSEN = 5
# Number of pairs of categories for which merging is tried: those most often chosen instead of each other.
MOST_MERGED = 20
# Limits on choices of all raters and categories, and on comparisons of sets when each rater is left out once.
MAX_CELLS, MAX_STEPS = 50_000_000, 100_000_000


@dataclass(frozen=True, eq=False)
class SetSearch(GainSearch):
    """One multiple-choice question. sample: the raters who count."""

    sample: SetSample

    @cached_property
    def name(self) -> str:
        design = RatingDesign(n_raters=self.sample.size.n_raters)
        return measure_for(self.scope.kind, str(self.scope.level), design, self.scope.measure).coefficient

    @cached_property
    def is_small(self) -> bool:
        n_raters, n_items = self.sample.ratings.n_raters, self.sample.ratings.n_items
        n_labels, n_sets = len(self.sample.labels[0]), len(self.sample.members)
        cells = n_items * n_raters * self.sample.n_categories
        return cells <= MAX_CELLS and (n_raters + MOST_MERGED) * (n_labels + n_sets**2) <= MAX_STEPS

    @cached_property
    def chosen(self) -> NDArray[np.bool_]:
        """(N, R, K) whether a rater chose a category; False for no label."""
        rows, columns, codes = self.sample.labels
        shape = (self.sample.ratings.n_items, self.sample.ratings.n_raters, self.sample.n_categories)
        found = np.zeros(shape, dtype=bool)
        found[rows, columns] = self.sample.members[codes]
        return found

    @cached_property
    def is_there(self) -> NDArray[np.bool_]:
        """(N, R) whether there is a label."""
        rows, columns, _ = self.sample.labels
        found = np.zeros((self.sample.ratings.n_items, self.sample.ratings.n_raters), dtype=bool)
        found[rows, columns] = True
        return found

    def _tests(self) -> list[Test]:
        if not self.is_small or self.sample.sample.pairable_size.n_items < LEAST_ITEMS:
            return []
        n_raters, k = self.sample.ratings.n_raters, self.sample.n_categories
        return [
            *(partial(self._without, rater) for rater in (range(n_raters) if n_raters > 2 else ())),
            *(partial(self._category, place) for place in range(k)),
            *(partial(self._replaced, *pair) for pair in self._exclusive),
            # Pairs not tried because they replace each other less often count as tests.
            lambda: ([], k * (k - 1) // 2 if k > 2 else 0),
        ]

    def _names(self, rater: int) -> tuple[str, ...]:
        keys = self.raters.counted_keys
        return (keys[rater],) if len(keys) > 2 else tuple(keys)

    def _without(self, rater: int) -> Candidates:
        rows, columns, codes = self.sample.labels
        kept = columns != rater
        items, numbers = np.unique(rows[kept], return_inverse=True)
        rest = SetSample.from_labels(numbers, columns[kept], self.sample.members[codes[kept]])
        gain = self._gain(LabelSubset(rest, items))
        if gain is None or not is_gain(gain):
            return [], 1
        kind, p_value = str(FindingKind.RATER), gain.p_value or 0.0
        n_items = int(np.count_nonzero(~kept))
        about = Finding(kind=kind, raters=self._names(rater), p_value=p_value, n_items=n_items)
        return [with_gain(about, gain)], 1

    def _category(self, place: int) -> Candidates:
        """Find raters who choose a category more or less often than the others, or are alone in choosing it."""
        codes = np.where(self.is_there, self.chosen[:, :, place], 2).astype(np.uint8)
        labels, n_raters = CodedLabels.of(codes, 2), self.sample.ratings.n_raters
        uses = (self._use(labels, rater, place) for rater in range(n_raters if n_raters > 2 else 1))
        return joined(chain([self._only(place)], uses))

    def _use(self, labels: CodedLabels, rater: int, place: int) -> Candidates:
        use = use_of_categories(labels, rater, confidence=self.confidence)
        if use is None or use.n < LEAST_ITEMS or use.p_value[1] >= SIGNIFICANT:
            return [], 1
        category = self.category_keys[place]
        found = CategoryUse(
            category=category,
            own=float(use.own[1]),
            others=float(use.others[1]),
            difference=float(use.difference[1]),
            ci_low=float(use.low[1]),
            ci_high=float(use.high[1]),
        )
        return [
            Finding(
                kind=str(FindingKind.USE),
                raters=self._names(rater),
                categories=(category,),
                p_value=float(use.p_value[1]),
                n_items=use.n,
                use=found,
            )
        ], 1

    def _only(self, place: int) -> Candidates:
        """Find a category that only one rater chooses, on items that others labeled too.

        If each label of an item were equally likely to contain it, all n choices would be one rater's with probability
        sum over raters of the product over items of 1 / labels of the item, for those who labeled all of these items.
        """
        is_shared = self.is_there.sum(axis=1) > 1
        chosen = self.chosen[:, :, place] & is_shared[:, None]
        by_rater = chosen.sum(axis=0)
        rows = np.flatnonzero(chosen.any(axis=1))
        if np.count_nonzero(by_rater) != 1 or len(rows) < LEAST_CHOSEN:
            return [], 1
        could = self.is_there[rows].all(axis=0)
        logs = -float(np.log(self.is_there[rows].sum(axis=1)).sum())
        rater = int(np.argmax(by_rater))
        labeled = int((self.is_there[:, rater] & is_shared).sum())
        counts = np.array([float(len(rows))]), np.array([float(labeled)])
        share = wilson_estimates(
            *counts, undefined=reasons((1,), (counts[1] == 0, Reason.NO_OVERLAP)), confidence=self.confidence
        )
        own = len(rows) / labeled
        use = CategoryUse(
            category=self.category_keys[place],
            own=own,
            others=0.0,
            difference=own,
            ci_low=float(share.ci_low[0]),
            ci_high=float(share.ci_high[0]),
        )
        about = Finding(
            kind=str(FindingKind.ONLY),
            raters=(self.raters.counted_keys[rater],),
            categories=(self.category_keys[place],),
            p_value=min(1.0, float(np.count_nonzero(could)) * float(np.exp(logs))),
            n_items=len(rows),
            use=use,
        )
        members = self.sample.members.copy()
        members[:, place] = False
        gain = self._gain_with(members)
        return [about if gain is None or gain.value is None else with_gain(about, gain)], 1

    @cached_property
    def _exclusive(self) -> list[tuple[int, int, float]]:
        """The pairs of categories whose choices vary against each other most, and the p-value of this."""
        k = self.sample.n_categories
        pairs = []
        for a in range(k if k > 2 else 0):
            for b in range(a + 1, k):
                mean, p_value = self._covariance(a, b)
                if mean < 0 and p_value < SIGNIFICANT:
                    pairs.append((mean, p_value, a, b))
        return [(a, b, p_value) for _, p_value, a, b in sorted(pairs)[:MOST_MERGED]]

    def _replaced(self, a: int, b: int, p_value: float) -> Candidates:
        """Find two categories of which raters choose one or the other: both tests must agree; the larger p counts.

        Merging them must improve agreement, and on the same item raters who choose one must leave out the other: the
        mean over items of the covariance of both choices over raters is below 0, by t over items.
        """
        members = self.sample.members.copy()
        members[:, a] |= members[:, b]
        members[:, b] = False
        gain = self._gain_with(members)
        if gain is None or not is_gain(gain):
            return [], 0
        about = Finding(
            kind=str(FindingKind.REPLACE),
            categories=(self.category_keys[a], self.category_keys[b]),
            p_value=max(p_value, gain.p_value or 0.0),
            n_items=int(np.count_nonzero(self._is_replaced(a, b))),
        )
        return [with_gain(about, gain)], 0

    def _covariance(self, a: int, b: int) -> tuple[float, float]:
        """Return the mean covariance over items with two or more labels, and its one-sided p-value."""
        n = self.is_there.sum(axis=1)
        shared = n > 1
        first, second = (self.chosen[shared, :, place].astype(np.float64) for place in (a, b))
        n = n[shared]
        both = (first * second).sum(axis=1) - first.sum(axis=1) * second.sum(axis=1) / n
        found: FloatArray = both / (n - 1)
        mean, sd = float(found.mean()), float(found.std(ddof=1))
        if not sd:
            return mean, 1.0
        return mean, float(stdtr(len(found) - 1, mean / sd * np.sqrt(len(found))))

    def _is_replaced(self, a: int, b: int) -> NDArray[np.bool_]:
        """Return (N,) items on which one rater chose only the first of two categories, and another only the second."""
        first, second = self.chosen[:, :, a], self.chosen[:, :, b]
        only_first, only_second = (first & ~second).any(axis=1), (second & ~first).any(axis=1)
        found: NDArray[np.bool_] = np.logical_and(only_first, only_second)
        return found

    def _gain_with(self, members: NDArray[np.bool_]) -> Difference | None:
        """Return the gain with these members of the sets."""
        return self._gain(LabelSubset(replace(self.sample, members=members), self._items))

    @cached_property
    def _items(self) -> NDArray[np.int64]:
        return np.arange(self.sample.ratings.n_items)

    def _gain(self, part: LabelSubset) -> Difference | None:
        everyone = LabelSubset(self.sample, self._items)
        return gain_of(self.kind, self.name, part, everyone, confidence=self.confidence)
