"""Estimate each category's share of all items from few labels of people and many of a model."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.models.prediction_powered import PredictionPowered, prediction_powered
from reports.agreement.models.rogan_gladen import Prevalence, prevalences, rogan_gladen
from reports.agreement.results import FloatArray
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import LabelColumns
from reports.analysis.results import (
    CorrectedShare,
    CorrectedShares,
    EstimatedShare,
    Figure,
    ModelPrevalence,
)
from reports.analysis.results.figures import Json

NORMAL, CORRECTED = "normal", "Rogan–Gladen"
# With more categories, only those that the model uses most.
MOST_CATEGORIES = 50


def model_prevalence(
    kind: QuestionKind, of_model: LabelColumns, of_people: LabelColumns, *, sampled: str
) -> ModelPrevalence:
    """of_model: one label per item of the population. of_people: people's labels on a random sample of these items.

    Each item counts once: with several people, the share who chose a category, or the mean of their numbers. sampled:
    how the sample was drawn, in words. Without people's labels on two items, or without other items, figures are
    undefined, with reasons.
    """
    labels = of_people.of(np.isin(of_people.items, of_model.items))
    items, places = np.unique(labels.items, return_inverse=True)
    is_sampled = np.isin(of_model.items, items)
    both = of_model.of(is_sampled)
    names = [each["key"] for each in kind.scope.question["categories"]]
    predicted, rest = _values(of_model.of(is_sampled), names), _values(of_model.of(~is_sampled), names)
    human = _means(_values(labels, names), places, len(both))
    most = _most_used(np.concatenate((predicted, rest)), names)
    return ModelPrevalence(
        sampled=sampled,
        n_people_items=len(items),
        n_others=int((~is_sampled).sum()),
        rows=tuple(_rows(human, predicted, rest, names, most, kind.scope.options.confidence)),
        n_left_out=max(0, len(names) - len(most)),
    )


def _values(labels: LabelColumns, names: Sequence[str]) -> FloatArray:
    """Return (L, K) whether each label is, or contains, each category; (L, 1) for numbers."""
    if labels.members is not None:
        values: NDArray[Any] = labels.members[labels.values]
    elif names:
        values = labels.values[:, None] == np.arange(len(names))
    else:
        values = labels.values[:, None]
    return values.astype(np.float64)


def _means(values: FloatArray, places: NDArray[np.int64], n_items: int) -> FloatArray:
    """Return (n, K) means over the people of each item."""
    sums = np.zeros((n_items, values.shape[1]))
    np.add.at(sums, places, values)
    counts = np.bincount(places, minlength=n_items)[:, None]
    return sums / np.maximum(counts, 1)


def _most_used(predicted: FloatArray, names: Sequence[str]) -> list[int]:
    if not names:
        return [0]
    order = np.argsort(-predicted.sum(axis=0), kind="stable")
    return sorted(order[:MOST_CATEGORIES].tolist())


def _rows(
    human: FloatArray,
    predicted: FloatArray,
    rest: FloatArray,
    names: Sequence[str],
    most: Sequence[int],
    confidence: float,
) -> Iterator[EstimatedShare]:
    for place in most:
        three = human[:, place], predicted[:, place], rest[:, place]
        found = prediction_powered(*three, confidence=confidence)
        alone = prediction_powered(*three, tuning=0, confidence=confidence)
        every = np.concatenate(three[1:])
        yield EstimatedShare(
            key=names[place] if names else "",
            model=float(every.mean()) if len(every) else None,
            people=_figure(alone, is_share=bool(names)),
            estimate=_figure(found, is_share=bool(names)),
            tuning=found.tuning,
            correlation=found.correlation,
            worth=found.worth,
            sd=float(human[:, place].std()) if len(human) else None,
        )


def _figure(found: PredictionPowered, *, is_share: bool) -> Figure:
    """Return the figure; shares and their CI limits are clipped to [0, 1]."""
    shown: Json = {name: getattr(found, name) for name in ("value", "ci_low", "ci_high")}
    if is_share:
        shown = {name: None if each is None else min(1.0, max(0.0, each)) for name, each in shown.items()}
    figure = Figure(**shown, se=found.se, reason=found.reason, n=found.n)
    return figure if found.ci_low is None else replace(figure, interval_method=NORMAL)


def corrected_shares(
    kind: QuestionKind, labels: LabelColumns, model: int, reference: int
) -> CorrectedShares | None:
    """Estimate the reference's shares on the model's items that it has not labeled, from the errors on those it has.

    labels: one per item and rater. None for numbers, and where the two share no item. Single choices are corrected for
    all categories at once, sets category by category.
    """
    names = [each["key"] for each in kind.scope.question["categories"]]
    mine, truth = labels.of(labels.raters == model), labels.of(labels.raters == reference)
    is_known = np.isin(mine.items, truth.items)
    if not names or not is_known.any() or is_known.all():
        return None
    truth = truth.of(np.isin(truth.items, mine.items))
    rest = _values(mine.of(~is_known), names)
    true, predicted = _values(truth, names), _values(mine.of(is_known), names)
    options = kind.scope.options
    if labels.members is None and len(names) > 2:
        found = prevalences(
            (true.T @ predicted).astype(np.int64),
            rest.sum(axis=0).astype(np.int64),
            seed=options.seed,
            confidence=options.confidence,
        )
    else:
        found = [
            _of_category(true[:, k], predicted[:, k], rest[:, k], options.confidence)
            for k in range(len(names))
        ]
    return CorrectedShares(
        reference=reference,
        n_reference=len(true),
        n_others=len(rest),
        rows=tuple(
            CorrectedShare(
                key=name,
                n_true=int(true[:, place].sum()),
                model=float(rest[:, place].mean()),
                corrected=_corrected(found[place], len(rest)),
                is_outside=found[place].is_outside,
            )
            for place, name in enumerate(names)
        )[:MOST_CATEGORIES],
    )


def _of_category(true: FloatArray, predicted: FloatArray, rest: FloatArray, confidence: float) -> Prevalence:
    n_true = int(true.sum())
    n_false = len(true) - n_true
    return rogan_gladen(
        float(rest.mean()),
        len(rest),
        sensitivity=float(predicted[true == 1].mean()) if n_true else 0.0,
        n_true=n_true,
        specificity=float(1 - predicted[true == 0].mean()) if n_false else 0.0,
        n_false=n_false,
        confidence=confidence,
    )


def _corrected(found: Prevalence, n: int) -> Figure:
    reason = found.reason
    figure = Figure(value=found.value, ci_low=found.ci_low, ci_high=found.ci_high, reason=reason, n=n)
    return figure if found.ci_low is None else replace(figure, interval_method=CORRECTED)
