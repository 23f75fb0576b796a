"""Gain in agreement of numbers and sets if labels were changed, paired by item."""

import math
from dataclasses import replace
from typing import Protocol

from scipy.special import stdtrit

from reports.agreement.intervals.difference import Difference, with_error
from reports.agreement.results import Reason
from reports.analysis.label_arrays import LabelSubset
from reports.analysis.options import IntervalMethod
from reports.analysis.question import QuestionScope
from reports.analysis.results import Differences, Figure


class ComparesParts(Protocol):
    """The methods of a kind of question that this needs."""

    def differences(
        self, first: LabelSubset, second: LabelSubset, only: frozenset[str] = ...
    ) -> Differences: ...

    def figure(self, name: str, part: LabelSubset) -> Figure: ...


def analytic(scope: QuestionScope) -> QuestionScope:
    """Return the question with analytic intervals, since there are many findings, each of them tested."""
    return replace(scope, options=replace(scope.options, interval=IntervalMethod.ANALYTIC))


def gain_of(
    comparing: ComparesParts, name: str, then: LabelSubset, now: LabelSubset, *, confidence: float
) -> Difference | None:
    """Return the coefficient after the change minus the coefficient as it is.

    A gain up to full agreement, which has no standard error, takes that of the coefficient as it is; if that has none
    either, the error is derived from the longer side of its interval.
    """
    gain = comparing.differences(then, now, frozenset({name})).get(name)
    if gain is None or gain.value is None or gain.p_value is not None or not math.isclose(gain.first or 0, 1):
        return gain
    own = comparing.figure(name, now)
    df = (own.n_items or 0) - 1
    se = own.se
    if se is None and own.value is not None and own.ci_low is not None and own.ci_high is not None:
        reach = max(own.value - own.ci_low, own.ci_high - own.value)
        se = reach / float(stdtrit(df, (1 + confidence) / 2)) if df > 0 else None
    if not se or df < 1:
        return gain
    return with_error(replace(gain, reason=Reason.NONE), gain.value, se, df=df, confidence=confidence)
