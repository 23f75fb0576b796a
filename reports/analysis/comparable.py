"""Coefficients of some of a question's labels, and their differences, whatever the kind of the question."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from reports.agreement.building import build
from reports.agreement.numbers.alpha import number_alpha
from reports.agreement.numbers.kendall import STATISTIC, UNCORRECTED, kendall_w
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.overall.statistic import estimate
from reports.agreement.results import Coefficient, IntArray, Size
from reports.agreement.sample import Sample
from reports.agreement.sets.alpha import set_alpha
from reports.agreement.sets.distances import SetDistance
from reports.agreement.sets.members import SetSample
from reports.agreement.sets.similarity import mean_similarities
from reports.agreement.ticks import Tick
from reports.agreement.weights import Level
from reports.analysis.comparison import asked_statistics, sample_differences
from reports.analysis.kinds.differences import number_differences, set_differences
from reports.analysis.kinds.intervals import numbers_with_intervals, sets_with_intervals
from reports.analysis.labels import LabelColumns
from reports.analysis.overall import resampled, with_interval
from reports.analysis.question import Kind, Scope

Found = dict[str, dict[str, Any]]
OF_RANKS = {each.name: each for each in (STATISTIC, UNCORRECTED)}


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some of the labels: the sample that statistics are computed from, and (N,) the ids of its items."""

    sample: Any
    item_ids: IntArray

    @property
    def size(self) -> Size:
        found = self.sample.sample if isinstance(self.sample, SetSample) else self.sample
        return found.size


class Comparable(Protocol):
    """What can be computed of parts of the labels of one question."""

    @property
    def names(self) -> list[str]:
        """The coefficients that there are, by their names in reports."""

    def part(self, labels: LabelColumns) -> Part: ...

    def figure(self, name: str, part: Part, tick: Tick | None = None) -> dict[str, Any]:
        """One coefficient as reports store it, with the interval that the options ask for."""

    def differences(
        self, first: Part, second: Part, only: frozenset[str] = frozenset(), tick: Tick | None = None
    ) -> Found:
        """The first part's coefficients less those of the second, by name; only: of these, empty for all."""


def comparable(scope: Scope) -> Comparable:
    kinds: dict[Kind, type[SingleChoice] | type[Numbers] | type[Sets]] = {
        Kind.SINGLE: SingleChoice,
        Kind.NUMBER: Numbers,
        Kind.MULTIPLE: Sets,
    }
    return kinds[Kind(scope.kind)](scope)


@dataclass(frozen=True, slots=True)
class SingleChoice:
    scope: Scope

    @property
    def names(self) -> list[str]:
        return list(asked_statistics(self.scope.scale))

    def part(self, labels: LabelColumns) -> Part:
        n_categories = len(self.scope.category_ids)
        ratings, items, _ = build(labels.items, labels.raters, labels.values, n_categories=n_categories)
        return Part(Sample(ratings), items)

    def figure(self, name: str, part: Part, tick: Tick | None = None) -> dict[str, Any]:
        statistic, scale = asked_statistics(self.scope.scale)[name]
        options = self.scope.options
        found = estimate(statistic, part.sample, scale, confidence=options.confidence)
        [interval, *_] = resampled([statistic], part.sample, scale, options, tick=tick).get(
            statistic.name, [None]
        )
        return with_interval(found, interval)

    def differences(
        self, first: Part, second: Part, only: frozenset[str] = frozenset(), tick: Tick | None = None
    ) -> Found:
        return sample_differences(
            first.sample,
            second.sample,
            self.scope.scale,
            self.scope.options,
            first_items=first.item_ids,
            second_items=second.item_ids,
            only=only,
            tick=tick,
        )


@dataclass(frozen=True, slots=True)
class Numbers:
    scope: Scope

    @property
    def names(self) -> list[str]:
        alphas = ["krippendorff_alpha"]
        if self.scope.level is not Level.INTERVAL:
            alphas.append("krippendorff_alpha_interval")
        return [*alphas, *OF_RANKS]

    def part(self, labels: LabelColumns) -> Part:
        item_ids, items = np.unique(labels.items, return_inverse=True)
        rater_ids, raters = np.unique(labels.raters, return_inverse=True)
        sample = NumberSample.from_labels(
            items, raters, labels.values, n_items=len(item_ids), n_raters=len(rater_ids)
        )
        return Part(sample, item_ids)

    def figure(self, name: str, part: Part, tick: Tick | None = None) -> dict[str, Any]:
        options = self.scope.options
        found = {name: self._coefficient(name, part.sample)}
        return numbers_with_intervals(part.sample, self.scope.level, found, options)[name]

    def _coefficient(self, name: str, sample: NumberSample) -> Coefficient:
        confidence = self.scope.options.confidence
        if name in OF_RANKS:
            return kendall_w(sample, statistic=OF_RANKS[name], confidence=confidence)
        level = Level.INTERVAL if name.endswith("_interval") else self.scope.level
        return number_alpha(sample, level, confidence=confidence)

    def differences(
        self, first: Part, second: Part, only: frozenset[str] = frozenset(), tick: Tick | None = None
    ) -> Found:
        found = number_differences(
            (first.sample, second.sample),
            (first.item_ids, second.item_ids),
            self.scope.level,
            self.scope.options,
        )
        return _only(found, only)


@dataclass(frozen=True, slots=True)
class Sets:
    scope: Scope

    @property
    def names(self) -> list[str]:
        return [
            "krippendorff_alpha", "krippendorff_alpha_jaccard", "percent_agreement", "mean_jaccard", "mean_masi"
        ]  # fmt: skip

    def part(self, labels: LabelColumns) -> Part:
        n_sets = len(labels.members)  # type: ignore[arg-type]
        ratings, items, _ = build(labels.items, labels.raters, labels.values, n_categories=n_sets)
        return Part(SetSample(ratings, labels.members), items)  # type: ignore[arg-type]

    def figure(self, name: str, part: Part, tick: Tick | None = None) -> dict[str, Any]:
        options = self.scope.options
        distances = {
            "krippendorff_alpha": SetDistance.MASI,
            "krippendorff_alpha_jaccard": SetDistance.JACCARD,
        }
        found = (
            set_alpha(part.sample, distances[name], confidence=options.confidence)
            if name in distances
            else mean_similarities(part.sample, confidence=options.confidence)[name]
        )
        return sets_with_intervals(part.sample, {name: found}, options)[name]

    def differences(
        self, first: Part, second: Part, only: frozenset[str] = frozenset(), tick: Tick | None = None
    ) -> Found:
        found = set_differences(
            (first.sample, second.sample), (first.item_ids, second.item_ids), self.scope.options
        )
        return _only(found, only)


def _only(found: Found, only: frozenset[str]) -> Found:
    return {name: each for name, each in found.items() if not only or name in only}
