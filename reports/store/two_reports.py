"""Comparison of two reports on one question: differences in their figures and in their labels."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.progress_callbacks import ReportProgress
from reports.analysis.category_differences import category_differences
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import LabelColumns, LabelSubset, of_raters
from reports.analysis.results import CategoryDifferences, ChangedItem, LabelChangeCounts, ReportDifferences
from reports.analysis.steps import ReportStep, each_of, phase, silent
from reports.models import QuestionAgreement
from reports.sources.label_columns import read_columns
from reports.store.agreements import scope_of
from reports.store.included_raters import kinds_in
from reports.store.moved_pairs import moved_pairs
from reports.store.sides import ComparisonRefused

# Limited by a worker's memory: a label takes about 150 bytes, in either report.
MAX_LABELS = 5_000_000
# Each category takes two differences; only the first ones are compared if there are more.
MOST_CATEGORIES = 40
# The most items with changed labels to list.
MOST_ITEMS = 100


def two_reports(
    before: QuestionAgreement, after: QuestionAgreement, report_step: ReportStep = silent
) -> ReportDifferences:
    """Compare two reports; differences are later minus earlier, with the options of the later.

    Raises ComparisonRefused with the reason.
    """
    refuse_incomparable(before, after)
    # Both use the same scale and interval method, so that only the labels can make a difference.
    scope = scope_of(after)
    report_step("Reading labels", 0)
    first, second = read_columns(before), read_columns(after)
    report_step("Comparing labels", 0.1)
    kind = kind_of(scope)
    labels, items = moved_labels(first, second), changed_items(first, second)
    counted = included_raters_of((before, after), kinds_in(after))
    parts = kind.part(of_raters(first, counted)), kind.part(of_raters(second, counted))
    differences = kind.differences(
        parts[1], parts[0], report_progress=phase(report_step, "Comparing coefficients", 0.15, 0.6)
    )
    categories = tuple(_categories(kind, *parts, phase(report_step, "Comparing categories", 0.6, 0.8)))
    report_progress = phase(report_step, "Comparing pairs", 0.8, 1)
    n_pairs, pairs = moved_pairs(before, after, kind, first, second, report_progress)
    return ReportDifferences(
        labels=labels,
        changed_items=items,
        differences=differences,
        categories=categories,
        pair_figure=kind.pair_figure,
        n_pairs=n_pairs,
        pairs=pairs,
    )


def included_raters_of(agreements: Sequence[QuestionAgreement], kinds: Collection[str]) -> list[int]:
    """Return the raters of these kinds in either report."""
    raters = (rater for agreement in agreements for rater in agreement.raters)
    return sorted({rater["id"] for rater in raters if rater["kind"] in kinds})


def refuse_incomparable(before: QuestionAgreement, after: QuestionAgreement) -> None:
    """Raise ComparisonRefused if the two reports cannot be compared."""
    if before.reason or after.reason:
        raise ComparisonRefused(
            "One of the reports has no results for this question, so they cannot be compared."
        )
    first, second = scope_of(before), scope_of(after)
    if first.kind != second.kind or first.category_ids != second.category_ids:
        raise ComparisonRefused("The two reports have different categories, so they cannot be compared.")
    if max(before.n_labels, after.n_labels) > MAX_LABELS:
        raise ComparisonRefused(f"More than {MAX_LABELS:,} labels are too many to compare here.")


def moved_labels(before: LabelColumns, after: LabelColumns) -> LabelChangeCounts:
    """Count labels in both reports, equal or changed, and in one only; and items in both or in one only."""
    keys, values = _keys(before, after), _values(before, after)
    _, first, second = np.intersect1d(*keys, assume_unique=True, return_indices=True)
    n_same = int((values[0][first] == values[1][second]).sum())
    items = np.unique(before.items), np.unique(after.items)
    n_items = len(np.intersect1d(*items, assume_unique=True))
    return LabelChangeCounts(
        n_same=n_same,
        n_changed=len(first) - n_same,
        n_only_before=len(before) - len(first),
        n_only_after=len(after) - len(second),
        n_items_both=n_items,
        n_items_only_before=len(items[0]) - n_items,
        n_items_only_after=len(items[1]) - n_items,
    )


def changed_items(before: LabelColumns, after: LabelColumns) -> tuple[ChangedItem, ...]:
    """Return the items with changed labels, by ID; those with the most changed labels first."""
    values = _values(before, after)
    _, first, second = np.intersect1d(*_keys(before, after), assume_unique=True, return_indices=True)
    changed = before.items[first[values[0][first] != values[1][second]]]
    items, counts = np.unique(changed, return_counts=True)
    order = np.lexsort((items, -counts))[:MOST_ITEMS]
    return tuple(ChangedItem(item=int(items[place]), n_labels=int(counts[place])) for place in order)


def _keys(before: LabelColumns, after: LabelColumns) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return one number for each item and rater, the same in both reports."""
    items = np.unique(np.concatenate((before.items, after.items)), return_inverse=True)[1].astype(np.int64)
    raters, places = np.unique(np.concatenate((before.raters, after.raters)), return_inverse=True)
    keys = items * max(1, len(raters)) + places
    return keys[: len(before)], keys[len(before) :]


def _values(before: LabelColumns, after: LabelColumns) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return values that are equal if the answers are; sets are numbered differently in each report."""
    if before.members is None or after.members is None:
        return before.values, after.values
    sets = np.unique(np.concatenate((before.members, after.members)), axis=0, return_inverse=True)[1].ravel()
    return sets[: len(before.members)][before.values], sets[len(before.members) :][after.values]


def _categories(
    kind: QuestionKind, before: LabelSubset, after: LabelSubset, report_progress: ReportProgress
) -> Iterator[CategoryDifferences]:
    scope = kind.scope
    shown = scope.question["categories"][: min(MOST_CATEGORIES, kind.n_compared_categories)]
    for place, (category, own) in enumerate(each_of(shown, report_progress)):
        (first, at), (second, _) = (kind.category_part(part, place) for part in (after, before))
        yield CategoryDifferences(
            key=category["key"],
            name=category["name"] or category["key"],
            differences=category_differences(first, second, at, scope.options, own),
        )
