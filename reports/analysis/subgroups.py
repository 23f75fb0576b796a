"""Agreement within the items, or among the raters, of each attribute value, and between these groups."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from reports.agreement.few_items import LEAST_ITEMS
from reports.agreement.intervals.difference import Difference
from reports.agreement.intervals.holm import holm
from reports.agreement.progress_callbacks import ReportProgress, part_of
from reports.agreement.results import FloatArray, IntArray, Reason
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import LabelColumns, LabelSubset
from reports.analysis.pairs import weighted_name
from reports.analysis.part_figures import figure_of_part
from reports.analysis.results import Figure, GroupFigures, GroupPairs, Subgroups, WindowChange
from reports.analysis.significance import tested_changes
from reports.analysis.steps import ReportStep, each_of, phase, silent

ITEM, RATER = "item", "rater"
# With fewer items, a coefficient says almost nothing about its group.
LEAST_SHOWN = 10
# With more groups, only the largest: every two are compared.
MAX_GROUPS = 12
# All pairs are counted again for each block of items.
MAX_RATERS, MAX_LABELS, MAX_BLOCKS = 100, 1_000_000, 50
SECOND_COEFFICIENT = "percent_agreement"
METHOD = "jackknife over blocks of items"
# A standard error below this is rounding error.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """The IDs of the items, or raters, with one value of the attribute."""

    value: str
    ids: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Labeled:
    """A group that has labels. n_compared: items with two or more labels. n_units: items, or raters, with labels."""

    value: str
    labels: LabelColumns
    n_units: int
    n_compared: int

    @classmethod
    def of(cls, group: Members, labels: LabelColumns, unit: str) -> "_Labeled":
        own = labels.of(np.isin(_units(labels, unit), group.ids))
        counts = np.unique(own.items, return_counts=True)[1]
        return cls(group.value, own, len(np.unique(_units(own, unit))), int((counts >= 2).sum()))

    @property
    def is_shown(self) -> bool:
        return self.n_compared >= LEAST_SHOWN


def subgroups(
    labels: LabelColumns,
    kind: QuestionKind,
    groups: Sequence[Members],
    *,
    unit: str,
    attribute: str,
    coefficient: str,
    report_step: ReportStep = silent,
) -> Subgroups:
    """labels: of the raters who count. groups: in order, without an item or rater in two of them.

    For groups of items, the labels of all raters are compared; for groups of raters, those of these raters only.
    Groups of raters who labeled the same items are compared item by item.
    """
    labeled = [_Labeled.of(group, labels, unit) for group in groups]
    labeled = [group for group in labeled if group.n_units]
    largest = sorted(labeled, key=lambda group: -len(group.labels))[:MAX_GROUPS]
    shown = [group for group in labeled if group in largest]
    report_progress = phase(report_step, "Computing each group", 0.1, 0.5)
    parts = [kind.part(group.labels) if group.is_shown else None for group in shown]
    found = Subgroups(
        unit=unit,
        attribute=attribute,
        coefficient=coefficient,
        groups=tuple(
            _figures(kind, group, part, coefficient, own)
            for (group, part), own in each_of(list(zip(shown, parts, strict=True)), report_progress)
        ),
        differences=_differences(kind, parts, coefficient, phase(report_step, "Comparing groups", 0.5, 0.8)),
        n_without=len(np.unique(_units(labels, unit))) - sum(group.n_units for group in labeled),
        n_left_out=len(labeled) - len(shown),
    )
    if unit == ITEM:
        return found
    between = _between(kind, [group.labels for group in shown], phase(report_step, "Comparing pairs", 0.8, 1))
    name = weighted_name(kind.pair_figure) if _is_weighted(kind) else kind.pair_figure
    return replace(found, pairs=between, pair_figure=name if between else "")


def _is_weighted(kind: QuestionKind) -> bool:
    return kind.pairs_have_counts and kind.scope.is_weighted


def _units(labels: LabelColumns, unit: str) -> IntArray:
    return labels.items if unit == ITEM else labels.raters


def _figures(
    kind: QuestionKind,
    group: _Labeled,
    part: LabelSubset | None,
    coefficient: str,
    report_progress: ReportProgress,
) -> GroupFigures:
    figure = (
        None if part is None else figure_of_part(kind, coefficient, part, part_of(report_progress, 0, 0.5))
    )
    has_percent_agreement = (
        part is not None and SECOND_COEFFICIENT in kind.names and coefficient != SECOND_COEFFICIENT
    )
    return GroupFigures(
        value=group.value,
        n_items=len(np.unique(group.labels.items)),
        n_raters=len(np.unique(group.labels.raters)),
        n_labels=len(group.labels),
        n_compared=group.n_compared,
        figure=figure,
        percent_agreement=kind.figure(SECOND_COEFFICIENT, part, part_of(report_progress, 0.5, 1))
        if has_percent_agreement and part is not None
        else None,
    )


def _differences(
    kind: QuestionKind, parts: Sequence[LabelSubset | None], coefficient: str, report_progress: ReportProgress
) -> tuple[WindowChange, ...]:
    """Return differences between any two displayed groups, with Holm's correction for those with enough items."""
    places = [place for place, part in enumerate(parts) if part is not None]
    steps = list(itertools.combinations(places, 2))
    only = frozenset({coefficient})
    found: list[Difference] = []
    for (a, b), own in each_of(steps, report_progress):
        first, second = parts[a], parts[b]
        if first is not None and second is not None:
            found.append(kind.differences(second, first, only, own)[coefficient])
    return tested_changes(found, steps, confidence=kind.scope.options.confidence)


@dataclass(frozen=True, slots=True, eq=False)
class _GroupMeans:
    """values: (G, G) the mean over pairs between two groups, or within one, NaN without pairs. n_pairs: how many."""

    values: FloatArray
    n_pairs: IntArray


def _between(
    kind: QuestionKind, groups: Sequence[LabelColumns], report_progress: ReportProgress
) -> tuple[GroupPairs, ...]:
    """Return pairs of raters within each group and between any two, with the jackknife over blocks of items.

    Each block of items is left out in turn: at most MAX_BLOCKS blocks of about equal size, formed at random with the
    seed of the options, or single items if there are no more. se^2 = (B - 1) / B sum_b (v_(b) - mean)^2, with t of
    B - 1 degrees of freedom.
    Source: Shao & Tu 1995, The Jackknife and Bootstrap, section 2.3.
    """
    raters = [np.unique(group.raters) for group in groups]
    n_raters, n_labels = sum(map(len, raters)), sum(map(len, groups))
    if len(groups) < 2 or n_raters > MAX_RATERS or n_labels > MAX_LABELS:
        return ()
    everyone = _joined(groups)
    if len(np.unique(everyone.items)) < LEAST_SHOWN:
        return ()
    n_items, items = len(np.unique(everyone.items)), np.unique(everyone.items, return_inverse=True)[1]
    n_blocks = min(MAX_BLOCKS, n_items)
    # At random: files are often sorted, and systematic blocks would be more alike than random ones.
    order = np.random.default_rng(kind.scope.options.seed).permutation(n_items)
    blocks = order[items] % n_blocks
    whole = _means(kind, everyone, raters)
    without = [
        _means(kind, everyone.of(blocks != block), raters).values
        for block, _ in each_of(range(n_blocks), report_progress)
    ]
    replicates = np.stack(without)
    cells = [(a, b) for a in range(len(groups)) for b in range(a, len(groups))]
    cells = [cell for cell in cells if whole.n_pairs[cell]]
    found = [_pairs_between(kind, groups, cell, whole, replicates) for cell in cells]
    has_test = [each.p_value is not None and each.n_items >= LEAST_ITEMS for each in found]
    corrected = holm([each.p_value if has else None for each, has in zip(found, has_test, strict=True)])
    alpha = 1 - kind.scope.options.confidence
    return tuple(
        replace(each, p_corrected=p, is_beyond_chance=p is not None and p < alpha)
        for each, p in zip(found, corrected, strict=True)
    )


def _joined(groups: Sequence[LabelColumns]) -> LabelColumns:
    """Return the labels of all groups, ordered by item and rater."""
    names = ("items", "raters", "values", "rounds", "versions", "moments")
    columns = {name: np.concatenate([getattr(group, name) for group in groups]) for name in names}
    order = np.lexsort((columns["raters"], columns["items"]))
    return LabelColumns(**columns, members=groups[0].members).of(order)


def _means(kind: QuestionKind, labels: LabelColumns, raters: Sequence[IntArray]) -> _GroupMeans:
    group_of = {int(rater): place for place, group in enumerate(raters) for rater in group}
    columns = [group_of[int(rater)] for rater in np.unique(labels.raters)]
    sums, n_pairs = np.zeros((len(raters),) * 2), np.zeros((len(raters),) * 2, dtype=np.int64)
    for (a, b), value in kind.pair_values(kind.part(labels)).items():
        cell = min(columns[a], columns[b]), max(columns[a], columns[b])
        sums[cell] += value
        n_pairs[cell] += 1
    values = np.where(n_pairs > 0, sums / np.maximum(n_pairs, 1), np.nan)
    return _GroupMeans(values, n_pairs)


def _pairs_between(
    kind: QuestionKind,
    groups: Sequence[LabelColumns],
    cell: tuple[int, int],
    whole: _GroupMeans,
    replicates: FloatArray,
) -> GroupPairs:
    a, b = cell
    n_items = _n_shared(groups[a], groups[b]) if a != b else _n_compared(groups[a])
    confidence = kind.scope.options.confidence
    figure = Figure(value=None, reason=Reason.TOO_FEW_ITEMS)
    less_within, p_value = None, None
    if n_items >= LEAST_SHOWN:
        figure, _ = _jackknifed(float(whole.values[cell]), replicates[:, a, b], confidence)
        figure = _clipped(figure)
        if a != b and whole.n_pairs[a, a] and whole.n_pairs[b, b]:
            value = whole.values[cell] - (whole.values[a, a] + whole.values[b, b]) / 2
            left_out = replicates[:, a, b] - (replicates[:, a, a] + replicates[:, b, b]) / 2
            less_within, p_value = _jackknifed(float(value), left_out, confidence)
    return GroupPairs(
        first=a,
        second=b,
        n_pairs=int(whole.n_pairs[cell]),
        n_items=n_items,
        figure=figure,
        less_within=less_within,
        p_value=p_value,
        p_corrected=None,
        is_beyond_chance=False,
    )


def _n_shared(first: LabelColumns, second: LabelColumns) -> int:
    return len(np.intersect1d(first.items, second.items))


def _n_compared(labels: LabelColumns) -> int:
    return int((np.unique(labels.items, return_counts=True)[1] >= 2).sum())


def _clipped(found: Figure) -> Figure:
    """Clip the interval: no figure of a pair is above 1 or below -1."""
    if found.ci_low is None or found.ci_high is None:
        return found
    return replace(found, ci_low=max(-1.0, found.ci_low), ci_high=min(1.0, found.ci_high))


def _jackknifed(value: float, left_out: FloatArray, confidence: float) -> tuple[Figure, float | None]:
    """Return the value with its interval, and the p-value for its being 0."""
    n = len(left_out)
    if np.isnan(left_out).any():
        return Figure(value=value, reason=Reason.TOO_MANY_UNDEFINED, interval_method=METHOD), None
    se = math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))
    if n < 2 or se < ROUNDING:
        return Figure(value=value, reason=Reason.DEGENERATE_SE, interval_method=METHOD), None
    margin = se * float(stdtrit(n - 1, (1 + confidence) / 2))
    figure = Figure(
        value=value,
        se=se,
        ci_low=value - margin,
        ci_high=value + margin,
        interval_method=METHOD,
        n_replicates=n,
    )
    return figure, 2 * float(stdtr(n - 1, -abs(value / se)))
