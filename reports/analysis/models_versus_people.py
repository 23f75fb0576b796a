"""Compare each model with people: does it agree with them as well as they agree with each other?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reports.agreement.intervals.difference import Difference, with_error
from reports.agreement.intervals.holm import holm
from reports.agreement.intervals.jackknife import jackknife_limits
from reports.agreement.progress_callbacks import ReportProgress, part_of
from reports.agreement.results import FloatArray, Reason, number
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import IdArray, LabelColumns
from reports.analysis.results import Figure, ModelVersusPeople
from reports.analysis.steps import each_of

# Items are left out one at a time, or in this many groups of about equal size.
MOST_GROUPS = 100
METHOD = "jackknife, t over items"
BY_GROUPS = f"jackknife, t over {MOST_GROUPS} groups of items"


@dataclass(frozen=True, slots=True)
class _MeanAgreements:
    """Means over pairs of the model with a person, and over pairs of people; NaN where no pair has a value."""

    with_people: float
    among_people: float


def compare_models_with_people(
    kind: QuestionKind,
    labels: LabelColumns,
    people: Sequence[int],
    models: Sequence[int],
    *,
    confidence: float = 0.95,
    report_progress: ReportProgress | None = None,
) -> tuple[ModelVersusPeople, ...]:
    """Return each model's mean agreement with people minus that of people with each other, on the same items.

    labels: one per item and rater. people, models: IDs of raters. The agreement of two raters is `kind.pair_figure`;
    means are over pairs for which it is defined. Standard errors are from the jackknife over items, which takes into
    account that both means are based on the same items and people:
    se² = (g - 1) / g Σ (value without group i - mean of these)². p_value is two-sided, p_corrected by Holm over models.
    Source: Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 11.
    """
    found = [
        _model_versus_people(kind, labels, people, model, confidence, own)
        for model, own in each_of(models, part_of(report_progress, 0, 1))
    ]
    corrected = holm([each.difference.p_value for each in found])
    return tuple(replace(each, p_corrected=p) for each, p in zip(found, corrected, strict=True))


def _model_versus_people(
    kind: QuestionKind,
    labels: LabelColumns,
    people: Sequence[int],
    model: int,
    confidence: float,
    report_progress: ReportProgress,
) -> ModelVersusPeople:
    of_model = np.unique(labels.items[labels.raters == model])
    keep = np.isin(labels.items, of_model) & np.isin(
        labels.raters, np.array([*people, model], dtype=np.int64)
    )
    labels = labels.of(keep)
    # Both means use the same items: those that the model and at least two people labeled.
    items, counts = np.unique(labels.items, return_counts=True)
    items = items[counts > 2]
    labels = labels.of(np.isin(labels.items, items))
    n_groups = min(len(items), MOST_GROUPS)
    groups = np.arange(len(items)) % max(1, n_groups)
    whole = _means(kind, labels, model)
    left_out = [
        _means(kind, labels.of(~np.isin(labels.items, items[groups == group])), model)
        for group, _ in each_of(range(n_groups), report_progress)
    ]
    with_people = np.array([each.with_people for each in left_out])
    among_people = np.array([each.among_people for each in left_out])
    return ModelVersusPeople(
        rater=model,
        n_items=len(items),
        n_people=len(np.unique(labels.raters[labels.raters != model])),
        with_people=_figure(whole.with_people, with_people, len(items), confidence),
        among_people=_figure(whole.among_people, among_people, len(items), confidence),
        difference=_difference(whole, with_people - among_people, len(items), confidence),
        p_corrected=None,
    )


def _means(kind: QuestionKind, labels: LabelColumns, model: int) -> _MeanAgreements:
    if not len(labels):
        return _MeanAgreements(np.nan, np.nan)
    raters: IdArray = np.unique(labels.raters)
    values: Mapping[tuple[int, int], float] = kind.pair_values(kind.part(labels))
    mine = [value for pair, value in values.items() if model in raters[list(pair)]]
    others = [value for pair, value in values.items() if model not in raters[list(pair)]]
    return _MeanAgreements(*(float(np.mean(each)) if each else np.nan for each in (mine, others)))


def _method(n_items: int) -> str:
    return METHOD if n_items <= MOST_GROUPS else BY_GROUPS


def _figure(value: float, left_out: FloatArray, n_items: int, confidence: float) -> Figure:
    if np.isnan(value):
        return Figure(value=None, reason=Reason.NO_OVERLAP, n_items=n_items)
    ones = np.ones((1, len(left_out)), dtype=np.int64)
    limits = jackknife_limits(np.array([value]), left_out[None, :], ones, confidence=confidence).interval(0)
    return Figure(
        value=value,
        se=limits.se,
        ci_low=limits.low,
        ci_high=limits.high,
        reason=limits.reason,
        n_items=n_items,
        interval_method=_method(n_items) if limits.low is not None else "",
    )


def _difference(whole: _MeanAgreements, left_out: FloatArray, n_items: int, confidence: float) -> Difference:
    found = Difference(
        first=number(whole.with_people),
        second=number(whole.among_people),
        n_first=n_items,
        n_second=n_items,
        n_shared=n_items,
        method=_method(n_items),
    )
    value = whole.with_people - whole.among_people
    if np.isnan(value):
        return replace(found, reason=Reason.NO_OVERLAP)
    ones = np.ones((1, len(left_out)), dtype=np.int64)
    limits = jackknife_limits(np.array([value]), left_out[None, :], ones, confidence=confidence).interval(0)
    found = replace(found, value=value, reason=limits.reason)
    if limits.low is None or not limits.se:
        return replace(found, se=limits.se)
    return with_error(found, value, limits.se, df=len(left_out) - 1, confidence=confidence)
