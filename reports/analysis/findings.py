"""Findings for single-choice questions: everything beyond chance, sorted by the possible gain in agreement."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from scipy.special import gammainc

from reports.agreement.blockwise import ComputeBlocks, here
from reports.agreement.few_items import LEAST_ITEMS
from reports.agreement.intervals.difference import Difference, with_error
from reports.agreement.overall.confusions import confusions
from reports.agreement.overall.statistic import estimate
from reports.agreement.progress_callbacks import ReportProgress, part_of
from reports.agreement.ratings import Ratings, to_dense
from reports.agreement.results import Coefficient, IntArray, Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level, Weights, weighting
from reports.analysis.comparison import requested_statistics
from reports.analysis.findings_effects import (
    CodedLabels,
    expected_scattered,
    is_of_splits,
    merged,
    relabeled,
    use_of_categories,
    without_rater,
)
from reports.analysis.findings_holm import is_gain, searched, with_gain
from reports.analysis.findings_pairs import PairFindings, below_chance, shifted_p, swapped_p
from reports.analysis.findings_search import QuestionSearch
from reports.analysis.findings_tests import Candidates, Test, joined
from reports.analysis.label_arrays import QuestionLabels, Raters
from reports.analysis.measure import COHEN, Measure, RatingDesign, measure_for
from reports.analysis.pairs import weighted_name
from reports.analysis.question import Kind, QuestionScope
from reports.analysis.results import CategoryUse, Finding, FindingKind, Findings, LowPair, PairCheckResults
from reports.analysis.results.raters import SIGNIFICANT
from reports.analysis.suspicious_pairs import labels_of_rater

# Number of pairs of categories for which merging is tried: the most confused ones.
MOST_MERGED = 20
# Limits on raters x items x categories, and on cells of a table of all labels, for leaving out each rater once.
MAX_WORK, MAX_CELLS = 300_000_000, 50_000_000
# Coefficients that distinguish raters are too slow to compute without each rater.
SUBSTITUTES = {"conger_kappa": "fleiss_kappa", "light_kappa": "fleiss_kappa"}


def measure_of(scope: QuestionScope, n_raters: int) -> Measure:
    return measure_for(Kind.SINGLE, str(scope.level), RatingDesign(n_raters=n_raters), scope.measure)


def coefficient_of(scope: QuestionScope, n_raters: int) -> str:
    """Return the coefficient that measures gains: the question's own, or Fleiss' kappa instead of a pairwise one.

    For two raters, Cohen's kappa has the name of Light's, as among the coefficients of all raters.
    """
    name = measure_of(scope, n_raters).coefficient
    name = "light_kappa" if name == COHEN else SUBSTITUTES.get(name, name)
    own = weighted_name(name)
    return own if scope.is_weighted and name != "krippendorff_alpha" else name


@dataclass(frozen=True, eq=False)
class Search(QuestionSearch):
    """One single-choice question, and the data that is searched for findings.

    sample: the raters who count. everyone: all raters.
    """

    sample: Sample
    everyone: Ratings
    order: IntArray | None

    @classmethod
    def of(
        cls, scope: QuestionScope, labels: QuestionLabels[Sample], raters: Raters, sample: Sample
    ) -> "Search":
        return cls(scope, raters, sample, labels.sample.ratings, labels.order)

    @cached_property
    def name(self) -> str:
        return coefficient_of(self.scope, len(self.raters.counted))

    @cached_property
    def asked(self) -> tuple[Statistic, Scale]:
        return requested_statistics(self.scope.scale)[self.name]

    @cached_property
    def is_small(self) -> bool:
        ratings, n_categories = self.sample.ratings, len(self.scope.category_ids)
        cells = ratings.n_items * (ratings.n_raters + n_categories)
        return cells <= MAX_CELLS and ratings.n_raters * ratings.n_items * n_categories <= MAX_WORK

    @cached_property
    def labels(self) -> CodedLabels:
        return CodedLabels.of(to_dense(self.sample.ratings).codes, self.sample.ratings.n_categories)

    def found(
        self,
        checks: PairCheckResults,
        pairs: PairFindings,
        compute: ComputeBlocks = here,
        report_progress: ReportProgress | None = None,
    ) -> Findings:
        each = compute(self.tests, part_of(report_progress, 0, 1))
        mistakes = list(self._mistakes(checks, pairs)), pairs.n_tests
        return searched([*each, mistakes], coefficient=self.name, are_raters_tested=self.is_small)

    def _tests(self) -> list[Test]:
        of_raters = [partial(self._rater, rater) for rater in self._rows]
        return [self._of_categories, *of_raters]

    def _of_categories(self) -> Candidates:
        return joined(test() for test in (self._unused, self._merged, self._scattered))

    @property
    def _rows(self) -> range:
        """Return the raters who are tested."""
        if not self.is_small or self.sample.pairable_size.n_items < LEAST_ITEMS:
            return range(0)
        n_raters = self.sample.ratings.n_raters
        # With two raters, what one chooses more often the other chooses less often.
        return range(n_raters if n_raters > 2 else 1)

    def _unused(self) -> Candidates:
        """Find categories that nobody chose, tested against half of an equal share of the items."""
        k, n = len(self.category_keys), self.sample.size.n_items
        used: list[bool] = np.any(self.sample.patterns.counts, axis=0).tolist()
        p_value = (1 - 1 / (2 * k)) ** n
        return [
            Finding(kind=str(FindingKind.UNUSED), categories=(key,), p_value=p_value, n_items=n)
            for key, is_used in zip(self.category_keys, used, strict=True)
            if not is_used
        ], k

    def _merged(self) -> Candidates:
        """Try merging two categories: only neighbors on an ordered scale, none on a scale with distances."""
        keys, level = self.category_keys, self.scope.level
        if (
            len(keys) < 3
            or level not in {Level.NOMINAL, Level.ORDINAL}
            or self.scope.weights is Weights.CUSTOM
        ):
            return [], 0
        if self.sample.pairable_size.n_items < LEAST_ITEMS:
            return [], 0
        counted = confusions(self.sample.patterns)
        n_differing = int(np.triu(counted.n_pairs, 1).sum())
        is_pair = np.triu(np.ones((len(keys), len(keys)), dtype=bool), 1)
        if level is Level.ORDINAL:
            is_pair &= np.tri(len(keys), k=1, dtype=bool)
        a, b = np.nonzero(is_pair & (counted.n_pairs > 0))
        most = np.argsort(-counted.n_pairs[a, b], kind="stable")[:MOST_MERGED]
        found = []
        for first, second in zip(a[most].tolist(), b[most].tolist(), strict=True):
            gain = self._tested(merged(self.sample, first, second, *self.asked, confidence=self.confidence))
            if is_gain(gain):
                share, n_items = counted.n_pairs[first, second] / n_differing, counted.n_items[first, second]
                about = Finding(
                    kind=str(FindingKind.MERGE),
                    categories=(keys[first], keys[second]),
                    p_value=gain.p_value or 0.0,
                    n_items=int(n_items),
                    share=float(share),
                )
                found.append(with_gain(about, gain))
        # Pairs not tried because they are confused less often count as tests.
        return found, int(np.count_nonzero(is_pair))

    def _scattered(self) -> Candidates:
        """Find items on which no two of three or more labels agree, against chance at equal difficulty."""
        counts, n_items = self.sample.patterns.counts.astype(np.int64), self.sample.patterns.n_items
        sizes = counts.sum(axis=1)
        is_scattered = (sizes >= 3) & (counts.max(axis=1, initial=0) == 1)
        n, expected = int(n_items[is_scattered].sum()), expected_scattered(counts, n_items)
        p_value = float(gammainc(n, expected)) if n and expected > 0 else 1.0
        found = Finding(kind=str(FindingKind.SCATTERED), p_value=p_value, n_items=n, expected=expected)
        return ([found] if n > 1 else []), 1

    def _rater(self, rater: int) -> Candidates:
        found, n_tests = [], 0
        keys, n_raters = self.raters.counted_keys, self.labels.n_raters
        names = (keys[rater],) if n_raters > 2 else tuple(keys)
        n_items = int(np.count_nonzero(self.labels.codes[:, rater] < self.labels.n_categories))
        without = None
        statistic, scale = self.asked
        if n_raters > 2 and is_of_splits(statistic):
            n_tests += 1
            gain = without_rater(self.labels, rater, statistic, scale, confidence=self.confidence)
            without = self._tested(gain)
            if is_gain(without):
                about = Finding(
                    kind=str(FindingKind.RATER), raters=names, p_value=without.p_value or 0.0, n_items=n_items
                )
                found.append(with_gain(about, without))
        k = self.labels.n_categories
        n_tests += 1 if k == 2 else k
        use = use_of_categories(self.labels, rater, confidence=self.confidence)
        if use is None or use.n < LEAST_ITEMS:
            return found, n_tests
        for place in np.flatnonzero(use.p_value < SIGNIFICANT).tolist():
            # With two categories, one of them says it all: the one chosen more often.
            if k == 2 and use.difference[place] < 0:
                continue
            category = self.category_keys[place]
            more = CategoryUse(
                category=category,
                own=float(use.own[place]),
                others=float(use.others[place]),
                difference=float(use.difference[place]),
                ci_low=float(use.low[place]),
                ci_high=float(use.high[place]),
            )
            about = Finding(
                kind=str(FindingKind.USE),
                raters=names,
                categories=(category,),
                p_value=float(use.p_value[place]),
                n_items=use.n,
                use=more,
            )
            found.append(about if without is None else with_gain(about, without))
        return found, n_tests

    def _mistakes(self, checks: PairCheckResults, pairs: PairFindings) -> Iterator[Finding]:
        plain = weighting(Weights.UNWEIGHTED, n_categories=self.everyone.n_categories)
        tables = {(pair.rater_a, pair.rater_b): self._table(pair) for pair in checks.low}
        yield from below_chance(checks, tables, plain)
        for pair in checks.low:
            table = tables[pair.rater_a, pair.rater_b]
            if (p_value := swapped_p(pair, table, plain)) < SIGNIFICANT:
                yield self._undone(pair, FindingKind.SWAPPED, p_value)
            if (p_value := shifted_p(pair, table, plain)) < SIGNIFICANT:
                yield self._undone(pair, FindingKind.SHIFTED, p_value)
        if pairs.limited:
            worst = min(pairs.limited, key=lambda pair: (pair.kappa_max, pair.rater_a, pair.rater_b))
            yield Finding(
                kind=str(FindingKind.MARGINS),
                raters=(self.raters.keys[worst.rater_a], self.raters.keys[worst.rater_b]),
                p_value=worst.p_value,
                n_items=worst.n,
                kappa=worst.kappa,
                kappa_max=worst.kappa_max,
                n_pairs=len(pairs.limited),
            )

    def _table(self, pair: LowPair) -> IntArray:
        a, b = (self._column(rater) for rater in (pair.rater_a, pair.rater_b))
        k = self.everyone.n_categories
        both = (a < k) & (b < k)
        return np.bincount(a[both] * k + b[both], minlength=k * k).reshape(k, k)

    def _column(self, rater: str) -> IntArray:
        return labels_of_rater(self.everyone, list(self.raters.keys).index(rater))

    def _undone(self, pair: LowPair, kind: FindingKind, p_value: float) -> Finding:
        """Attribute the mistake to whichever of the two raters yields the larger gain when it is undone."""
        both = [(pair.rater_a, pair.rater_b), (pair.rater_b, pair.rater_a)]
        gains = [self._gain(suspect, self._corrected(pair, kind, suspect)) for _, suspect in both]
        values = [-2.0 if gain is None or gain.value is None else gain.value for gain in gains]
        best = int(values[1] > values[0] + 1e-9)
        about = Finding(
            kind=str(kind), raters=both[best], p_value=p_value, n_items=pair.n_items, kappa=pair.kappa
        )
        gain = gains[best]
        return about if gain is None else with_gain(about, gain)

    def _corrected(self, pair: LowPair, kind: FindingKind, suspect: str) -> IntArray:
        codes, k = self._column(suspect), self.everyone.n_categories
        is_second = suspect == pair.rater_b
        if kind is FindingKind.SWAPPED and pair.relabelled is not None:
            theirs = np.array(pair.relabelled.categories)
            names = np.append(np.argsort(theirs) if is_second else theirs, k)
            return names[codes]
        offset = 0 if pair.shifted is None else pair.shifted.by
        order = np.arange(len(codes)) if self.order is None else self.order
        by = offset if is_second else -offset
        ordered, moved = codes[order], np.full(len(codes), k)
        places = np.arange(len(codes)) + by
        is_inside = (places >= 0) & (places < len(codes))
        moved[is_inside] = ordered[places[is_inside]]
        found = np.empty_like(codes)
        found[order] = moved
        return found

    def _gain(self, rater: str, codes: IntArray) -> Difference | None:
        """Return the gain if a rater's labels were `codes`, (N,) on all items; None if the rater does not count."""
        counted = self.raters.counted_keys
        # Without the raters who do not count, some items drop out.
        if not self.is_small or rater not in counted or self.everyone.n_items != self.sample.ratings.n_items:
            return None
        gain = relabeled(self.labels, counted.index(rater), codes, *self.asked, confidence=self.confidence)
        return self._tested(gain)

    def _tested(self, gain: Difference) -> Difference:
        """Test also a gain up to full agreement, which has no standard error: use that of the coefficient before."""
        value, se = gain.value, self._own.se
        if value is None or gain.se is not None or not se or not math.isclose(gain.first or 0, 1):
            return gain
        gain = replace(gain, reason=Reason.NONE)
        return with_error(gain, value, se, df=self._own.used.n_items - 1, confidence=self.confidence)

    @cached_property
    def _own(self) -> Coefficient:
        statistic, scale = self.asked
        return estimate(statistic, self.sample, scale, confidence=self.confidence)
