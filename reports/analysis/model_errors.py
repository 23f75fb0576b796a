"""Where a model differs from the consensus of people: by category, and by attribute of the items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from reports.agreement.pairs.estimates import reasons, wilson_estimates
from reports.agreement.results import FloatArray, Reason
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import AnswerColumns, LabelColumns, Series, is_same
from reports.analysis.results import (
    AttributeValueErrors,
    CategoryErrors,
    ErrorsByAttribute,
    Figure,
    ModelErrors,
    figures_of,
)

# With more categories, values, or attributes, only those with the most items.
MOST_CATEGORIES, MOST_VALUES, MOST_ATTRIBUTES = 100, 20, 20
T_OVER_ITEMS = "t over items"


@dataclass(frozen=True, slots=True, eq=False)
class _ModelLabels:
    """(n,) items on which people have a consensus, with the model's label and the consensus.

    scores: whether both are the same; for numbers, the model's minus the consensus.
    """

    items: NDArray[np.int64]
    own: Series
    people: Series
    is_same: NDArray[np.bool_]
    scores: FloatArray


def model_errors(
    kind: QuestionKind,
    labels: LabelColumns,
    people: Sequence[int],
    model: int,
    attributes: Mapping[str, Mapping[str, NDArray[np.int64]]],
) -> ModelErrors:
    """labels: one per item and rater. attributes: item IDs by name and value.

    The consensus is that of `kind.consensus_of_others`: the most frequent label, the mean, or what most people chose.
    Items on which people are tied, or that nobody else labeled, are left out. Shares have Wilson's interval, mean
    differences a t interval.
    """
    mine = labels.of(labels.raters == model)
    theirs = labels.of(np.isin(labels.raters, np.array(people, dtype=np.int64)))
    theirs = theirs.of(np.isin(theirs.items, mine.items))
    own, places = _answers(kind, mine), np.searchsorted(mine.items, theirs.items)
    consensus, is_known, is_tied = kind.consensus_of_others(
        places, _answers(kind, theirs), n_items=len(mine.items)
    )
    series = kind.series(own)
    same = is_same(series, consensus)
    is_number = series.values.dtype.kind == "f"
    scores = kind.likeness(series, consensus) if is_number else same.astype(np.float64)
    found = _ModelLabels(
        mine.items[is_known], series.at(is_known), consensus.at(is_known), same[is_known], scores[is_known]
    )
    confidence = kind.scope.options.confidence
    return ModelErrors(
        n_items=len(found.items),
        n_tied=int(is_tied.sum()),
        n_different=int((~found.is_same).sum()),
        figure=_figure(found.scores, confidence, is_number=is_number),
        categories=None if is_number else _categories(kind, found),
        attributes=tuple(
            _by_attribute(name, groups, found, confidence, is_number=is_number)
            for name, groups in list(attributes.items())[:MOST_ATTRIBUTES]
        ),
    )


def _answers(kind: QuestionKind, labels: LabelColumns) -> AnswerColumns:
    members = labels.members
    if members is None:
        members = np.zeros((0, len(kind.scope.category_ids)), dtype=bool)
    return AnswerColumns(labels.items, labels.raters, labels.values, members)


def _categories(kind: QuestionKind, found: _ModelLabels) -> tuple[CategoryErrors, ...]:
    categories = kind.scope.question["categories"]
    chosen, people = (_chosen(each, len(categories)) for each in (found.own, found.people))
    n_model, n_people = chosen.sum(axis=0), people.sum(axis=0)
    n_both = (chosen & people).sum(axis=0)
    shares = [
        figures_of(
            wilson_estimates(
                n_both.astype(np.float64),
                of.astype(np.float64),
                undefined=reasons(of.shape, (of == 0, Reason.CATEGORY_UNUSED)),
                confidence=kind.scope.options.confidence,
            )
        )
        for of in (n_people, n_model)
    ]
    used = np.flatnonzero(n_people + n_model)
    most = used[np.argsort(-(n_people + n_model)[used], kind="stable")][:MOST_CATEGORIES]
    return tuple(
        CategoryErrors(
            key=categories[place]["key"],
            n_people=int(n_people[place]),
            n_model=int(n_model[place]),
            n_both=int(n_both[place]),
            found=shares[0][place],
            right=shares[1][place],
        )
        for place in sorted(most.tolist())
    )


def _chosen(series: Series, n_categories: int) -> NDArray[np.bool_]:
    """Return (n, K) the categories that each label is, or contains."""
    if series.values.ndim > 1:
        return series.values.astype(bool)
    found: NDArray[np.bool_] = series.values[:, None] == np.arange(n_categories)
    return found


def _by_attribute(
    name: str,
    groups: Mapping[str, NDArray[np.int64]],
    found: _ModelLabels,
    confidence: float,
    *,
    is_number: bool,
) -> ErrorsByAttribute:
    members = {value: np.isin(found.items, ids) for value, ids in groups.items()}
    labeled = {value: keep for value, keep in members.items() if keep.any()}
    most = set(sorted(labeled, key=lambda value: -int(labeled[value].sum()))[:MOST_VALUES])
    return ErrorsByAttribute(
        attribute=name,
        values=tuple(
            AttributeValueErrors(
                value=value,
                n_items=int(keep.sum()),
                n_different=int((keep & ~found.is_same).sum()),
                figure=_figure(found.scores[keep], confidence, is_number=is_number),
            )
            for value, keep in labeled.items()
            if value in most
        ),
        n_left_out=len(labeled) - len(most),
    )


def _figure(scores: FloatArray, confidence: float, *, is_number: bool) -> Figure:
    return _mean(scores, confidence) if is_number else share_of(int(scores.sum()), len(scores), confidence)


def share_of(n: int, of: int, confidence: float) -> Figure:
    """Return a share with Wilson's interval; undefined for reason `no_items` if there are none."""
    undefined = reasons((1,), (np.array([of == 0]), Reason.NO_ITEMS))
    counts = np.array([float(n)]), np.array([float(of)])
    [found] = figures_of(wilson_estimates(*counts, undefined=undefined, confidence=confidence))
    return found


def _mean(scores: FloatArray, confidence: float) -> Figure:
    n = len(scores)
    if not n:
        return Figure(value=None, reason=Reason.NO_ITEMS, n=0)
    value = float(scores.mean())
    if n < 2 or not np.ptp(scores):
        return Figure(value=value, reason=Reason.ONE_ITEM if n < 2 else Reason.DEGENERATE_SE, n=n)
    se = float(scores.std(ddof=1) / np.sqrt(n))
    margin = float(stdtrit(n - 1, (1 + confidence) / 2)) * se
    return Figure(
        value=value, se=se, ci_low=value - margin, ci_high=value + margin, n=n, interval_method=T_OVER_ITEMS
    )
