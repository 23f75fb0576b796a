"""Which items a model may decide alone, from its confidence and the labels of people on calibration items."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.models.selective import MIN_DECIDED, RiskCurve, risk_curve
from reports.agreement.results import FloatArray
from reports.analysis.confidence import StatedLabels, compare
from reports.analysis.label_arrays import IdArray, LabelColumns
from reports.analysis.question import QuestionScope
from reports.analysis.results import DecisionStep, ModelDecisions
from reports.analysis.results.decisions import NONE_PASSES, NOT_RANDOM, TOO_FEW

# More steps of the curve than can be distinguished.
MOST_STEPS = 200

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RiskGuarantee:
    """People may disagree with at most a share alpha of the decided items, with probability 1 - delta."""

    alpha: float
    delta: float


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationLabels:
    """Labels that the model's labels are compared with: of people, or one per item of a reference.

    labeled: IDs of the items that somebody else than a model labeled, or that were given to people. population: IDs of
    the items that could have been drawn; None for all. is_random: whether they are known to be a random sample.
    """

    against: str
    labels: LabelColumns
    is_vote: bool
    labeled: IdArray
    population: IdArray | None
    n_drawn: int | None
    sampled: str
    is_random: bool


@dataclass(frozen=True, slots=True, eq=False)
class UnlabeledItems:
    """(N,) the items that only the model labeled, with its labels and its confidence, NaN for none.

    labels: positions of categories, or (N, K) bool, sets.
    is_decided: the model may decide. is_outside: the calibration items were not drawn from them.
    """

    items: IdArray
    labels: NDArray[Any]
    confidences: FloatArray
    is_decided: BoolArray
    is_outside: BoolArray

    def __len__(self) -> int:
        return len(self.items)

    @property
    def for_people(self) -> IdArray:
        """The IDs of the items that the model may not decide, the least sure first."""
        rest = np.flatnonzero(~self.is_decided)
        return self.items[rest[np.argsort(self.confidences[rest], kind="stable")]]


def model_decisions(
    scope: QuestionScope,
    name: str,
    own: StatedLabels,
    calibrating: CalibrationLabels,
    guarantee: RiskGuarantee,
) -> tuple[ModelDecisions, UnlabeledItems]:
    """own: the labels of the model, one for each item, by ascending items."""
    labels, is_stated = own.labels, own.is_stated
    is_known, is_right = compare(scope, labels, calibrating.labels, is_vote=calibrating.is_vote)
    n_compared = int(np.isin(labels.items, calibrating.labels.items).sum())
    is_used = is_known & is_stated
    curve = risk_curve(own.confidences[is_used], ~is_right[is_used], delta=guarantee.delta)
    n_passed = curve.n_passed(guarantee.alpha) if calibrating.is_random else 0
    threshold = _step(curve, n_passed - 1) if n_passed else None
    opened = _open_items(own, calibrating, threshold)
    found = ModelDecisions(
        model=name,
        against=calibrating.against,
        alpha=guarantee.alpha,
        delta=guarantee.delta,
        least=MIN_DECIDED,
        sampled=calibrating.sampled,
        reason="" if threshold else _reason(calibrating, int(is_used.sum())),
        n_drawn=calibrating.n_drawn,
        n_labels=len(labels),
        n_stated=int(is_stated.sum()),
        n_compared=n_compared,
        n_tied=n_compared - int(is_known.sum()),
        n_unstated=int((is_known & ~is_stated).sum()),
        n_calibration=int(is_used.sum()),
        n_wrong=int((~is_right[is_used]).sum()),
        threshold=threshold,
        steps=tuple(_step(curve, place) for place in _steps_to_show(len(curve), n_passed)),
        n_open=len(opened),
        n_decided=int(opened.is_decided.sum()),
        n_for_people=int((~opened.is_decided).sum()),
        n_without=int(np.isnan(opened.confidences).sum()),
        n_outside=int(opened.is_outside.sum()),
    )
    return found, opened


def _open_items(
    own: StatedLabels, calibrating: CalibrationLabels, threshold: DecisionStep | None
) -> UnlabeledItems:
    chosen = own.at(~np.isin(own.labels.items, calibrating.labeled))
    labels, confidences = chosen.labels, chosen.confidences
    is_outside = np.zeros(len(labels), dtype=bool)
    if calibrating.population is not None:
        is_outside = ~np.isin(labels.items, calibrating.population)
    # NaN is never at least the threshold.
    is_sure = np.zeros(len(labels), bool) if threshold is None else confidences >= threshold.confidence
    values = labels.values if labels.members is None else labels.members[labels.values]
    return UnlabeledItems(labels.items, values, confidences, is_sure & ~is_outside, is_outside)


def _reason(calibrating: CalibrationLabels, n: int) -> str:
    if not calibrating.is_random:
        return NOT_RANDOM
    return TOO_FEW if n < MIN_DECIDED else NONE_PASSES


def _step(curve: RiskCurve, place: int) -> DecisionStep:
    n, n_wrong = int(curve.n_decided[place]), int(curve.n_wrong[place])
    return DecisionStep(
        confidence=float(curve.scores[place]),
        n_items=n,
        n_wrong=n_wrong,
        share_wrong=n_wrong / n,
        bound=float(curve.bounds[place]),
        coverage=n / int(curve.n_decided[-1]),
    )


def _steps_to_show(n_steps: int, n_passed: int) -> list[int]:
    """Return the places of at most about MOST_STEPS steps, always with the last that passed and the next one."""
    every = np.unique(np.linspace(0, max(0, n_steps - 1), min(n_steps, MOST_STEPS)).round().astype(np.int64))
    around = [place for place in (n_passed - 1, n_passed) if 0 <= place < n_steps] if n_passed else []
    return sorted({*every.tolist(), *around})
