"""Items that a model may decide alone, with a guarantee on how often people would disagree."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from reports.agreement.results import FloatArray, IntArray

# Fewer decided items say nothing about their error rate.
MIN_DECIDED = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionThreshold:
    """Items with a score of at least `score` may be decided by the model.

    n_decided, n_wrong: numbers of calibration items. bound: the upper limit of the share with which people disagree.
    """

    score: float
    n_decided: int
    n_wrong: int
    n_items: int
    bound: float

    @property
    def coverage(self) -> float:
        return self.n_decided / self.n_items


def error_bound(n_wrong: IntArray, n: IntArray, *, delta: float) -> FloatArray:
    """The one-sided upper limit of an error rate, valid with probability 1 - delta; 1 if all are wrong.

    Clopper and Pearson's: the delta quantile of Beta(k + 1, n - k) from above.
    Raises ValueError unless 0 <= n_wrong <= n, n > 0 and delta in (0, 1).
    Source: Clopper & Pearson 1934, Biometrika 26(4), 404-413.
    """
    wrong, total = np.asarray(n_wrong, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if not (0 < delta < 1 and np.all((wrong >= 0) & (wrong <= total) & (total > 0))):
        raise ValueError("needs 0 <= n_wrong <= n, n > 0, and delta between 0 and 1")
    is_all = wrong == total
    found = betaincinv(wrong + 1, np.where(is_all, 1, total - wrong), 1 - delta)
    return np.asarray(np.where(is_all, 1.0, found))


@dataclass(frozen=True, slots=True, eq=False)
class RiskCurve:
    """(S,) by distinct score, from the highest down: the calibration items with at least that score.

    n_decided, n_wrong: their number, and how many people disagree with. bounds: upper limits of the share with which
    people disagree, each valid by itself with probability 1 - delta.
    """

    scores: FloatArray
    n_decided: IntArray
    n_wrong: IntArray
    bounds: FloatArray

    def __len__(self) -> int:
        return len(self.scores)

    def n_passed(self, risk: float, *, min_decided: int = MIN_DECIDED) -> int:
        """Return how many scores come before the first whose bound is above `risk`; 0 if none is guaranteed.

        Scores that fewer than min_decided items reach are not tested.
        """
        is_tested = self.n_decided >= min_decided
        failing = np.flatnonzero(is_tested & (self.bounds > risk))
        n_passed = int(failing[0]) if len(failing) else len(self)
        return n_passed if np.any(is_tested[:n_passed]) else 0


def risk_curve(scores: FloatArray, is_wrong: NDArray[np.bool_], *, delta: float) -> RiskCurve:
    """Return the error bound at each distinct score.

    scores, is_wrong: (n,) for calibration items: the model's confidence, and whether people disagree. Raises ValueError
    if they differ in length, or a score is NaN.
    """
    if scores.shape != is_wrong.shape or np.isnan(scores).any():
        raise ValueError("scores and is_wrong must be as many, without NaN")
    order = np.argsort(-scores, kind="stable")
    ordered, wrong = scores[order], np.cumsum(is_wrong[order], dtype=np.int64)
    # The last item with each score: all items with at least that score are decided together.
    lasts = (
        np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
        if len(ordered)
        else np.empty(0, np.int64)
    )
    n_decided, n_wrong = lasts + 1, wrong[lasts]
    return RiskCurve(ordered[lasts], n_decided, n_wrong, error_bound(n_wrong, n_decided, delta=delta))


def threshold(
    scores: FloatArray,
    is_wrong: NDArray[np.bool_],
    *,
    risk: float,
    delta: float = 0.1,
    min_decided: int = MIN_DECIDED,
) -> DecisionThreshold | None:
    """Return the lowest score from which the model may decide, or None if no threshold is guaranteed.

    scores, is_wrong: (n,) for calibration items, a random sample of those to decide: the model's confidence, and
    whether people disagree. Thresholds are the distinct scores, tested from the highest down to the first whose bound
    is above `risk`; those that fewer than min_decided items reach are not tested. As they are tested in a fixed order,
    the last that passes is valid with probability 1 - delta: people disagree on at most a share `risk` of the items it
    decides. Raises ValueError if scores and is_wrong differ in length, a score is NaN, or risk is outside (0, 1).
    Source: Jung, Brahman & Choi 2025, Trust or Escalate (ICLR); Bauer 1991, Statistics in Medicine 10(6), 871-890.
    """
    if not 0 < risk < 1:
        raise ValueError("risk must be between 0 and 1")
    curve = risk_curve(scores, is_wrong, delta=delta)
    n_passed = curve.n_passed(risk, min_decided=min_decided)
    if not n_passed:
        return None
    place = n_passed - 1
    return DecisionThreshold(
        score=float(curve.scores[place]),
        n_decided=int(curve.n_decided[place]),
        n_wrong=int(curve.n_wrong[place]),
        n_items=len(scores),
        bound=float(curve.bounds[place]),
    )
