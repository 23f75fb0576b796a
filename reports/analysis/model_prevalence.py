"""What share of all items has each category, from few labels of people and many of a model."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.models.prediction_powered import PredictionPowered, prediction_powered
from reports.agreement.results import FloatArray
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.labels import LabelColumns
from reports.analysis.results import EstimatedShare, Figure, ModelPrevalence

NORMAL = "normal"
# Of more categories those that the model uses most.
MOST_CATEGORIES = 50


def model_prevalence(
    kind: QuestionKind, of_model: LabelColumns, of_people: LabelColumns, *, sampled: str
) -> ModelPrevalence:
    """of_model: one label of each item of the population. of_people: those of people on a random sample of them.

    Each item counts once: of several people, the share who chose a category, or the mean of their numbers. sampled: how
    the sample was drawn, in words. Without people's labels on two items, or without other items, figures have reasons.
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
    """(L, K) whether a label is, or holds, each category; (L, 1) numbers."""
    if labels.members is not None:
        return labels.members[labels.values].astype(np.float64)
    if not names:
        return labels.values.astype(np.float64)[:, None]
    return (labels.values[:, None] == np.arange(len(names))).astype(np.float64)


def _means(values: FloatArray, places: NDArray[np.int64], n_items: int) -> FloatArray:
    """(n, K) over the people of each item."""
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
    """A share, and its limits, are cut to [0, 1]."""
    shown: dict[str, Any] = {name: getattr(found, name) for name in ("value", "ci_low", "ci_high")}
    if is_share:
        shown = {name: None if each is None else min(1.0, max(0.0, each)) for name, each in shown.items()}
    figure = Figure(**shown, se=found.se, reason=found.reason, n=found.n)
    return figure if found.ci_low is None else replace(figure, interval_method=NORMAL)
