"""How many labels an audit takes: what is asked, what is answered, for the page, the API and the command alike."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from reports.agreement.audits.designing import Risks, double_plan, sequential_plan, single_plan
from reports.agreement.audits.estimates import Share, exact_share
from reports.agreement.audits.plans import Performance, Plan, performance
from reports.agreement.audits.sizes import needed_for_margin
from reports.agreement.results import FloatArray

ESTIMATE, DECIDE = "estimate", "decide"
AUDIT_AIMS = {DECIDE: "Accept or reject", ESTIMATE: "Estimate the error rate"}
SINGLE, DOUBLE, SEQUENTIAL = "single", "double", "sequential"
SAMPLINGS = {
    SINGLE: "Single: one sample",
    DOUBLE: "Double: a second sample if the first is undecided",
    SEQUENTIAL: "Sequential: a decision after each label",
}
DESIGNS = {SINGLE: single_plan, DOUBLE: double_plan, SEQUENTIAL: sequential_plan}
# Points of the curves, from no error up to this multiple of the rejectable rate.
N_POINTS, REACH = 61, 2.0
# Labels of a single sample, up to which a page or a program may ask for a plan: more would be planned for minutes.
MOST_LABELS = {SINGLE: 20_000, DOUBLE: 20_000, SEQUENTIAL: 4_000}
# Wrong labels that a single sample may accept, for a double one in its place.
MOST_ACCEPTED = 30
# Labels that an estimate may take.
MOST_ESTIMATED = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPlan:
    """What an audit is to show. size: labels in the population, None for so many that a sample is negligible.

    share, margin, confidence: for the aim estimate, the expected error rate and the half-width of its interval.
    acceptable, rejectable, producer, consumer: for the aim decide, as `designing.Risks` has them.
    """

    aim: str = DECIDE
    size: int | None = None
    share: float = 0.05
    margin: float = 0.02
    confidence: float = 0.95
    sampling: str = SINGLE
    acceptable: float = 0.02
    rejectable: float = 0.08
    producer: float = 0.05
    consumer: float = 0.10


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditAnswer:
    """n_labels: to audit at most. expected: for the aim estimate, the interval if the error rate is as expected.

    plan, curve: for the aim decide; the curve has the two rates of the plan first, as `risks`, then N_POINTS.
    """

    asked: AuditPlan
    n_labels: int
    expected: Share | None = None
    plan: Plan | None = None
    risks: Performance | None = None
    curve: Performance | None = None


@lru_cache(maxsize=128)
def audit_answer(asked: AuditPlan) -> AuditAnswer:
    """Raises ValueError with a sentence for a plan that cannot be."""
    if asked.aim == ESTIMATE:
        n = needed_for_margin(asked.share, asked.margin, size=asked.size, confidence=asked.confidence)
        if n > MOST_ESTIMATED:
            raise ValueError(
                f"this margin takes {n:,} labels, more than {MOST_ESTIMATED:,}; allow a larger one"
            )
        n_wrong = int(np.floor(asked.share * n + 0.5))
        expected = exact_share(n_wrong, n, size=asked.size, confidence=asked.confidence)
        return AuditAnswer(asked=asked, n_labels=n, expected=expected)
    risks = Risks(asked.acceptable, asked.rejectable, asked.producer, asked.consumer, asked.size)
    _check_single(single_plan(risks), asked.sampling)
    plan = DESIGNS[asked.sampling](risks)
    return AuditAnswer(
        asked=asked,
        n_labels=plan.n_most,
        plan=plan,
        risks=performance(plan, risks.rates, size=asked.size),
        curve=performance(plan, _points(asked), size=asked.size),
    )


def _check_single(single: Plan, sampling: str) -> None:
    if single.n_most > MOST_LABELS[sampling]:
        raise ValueError(
            f"even a single sample takes {single.n_most:,} labels, and {sampling} sampling is planned up to "
            f"{MOST_LABELS[sampling]:,}; allow a higher risk, or choose rates that are further apart"
        )
    if sampling == DOUBLE and single.looks[0].accept > MOST_ACCEPTED:
        raise ValueError(
            f"a double sample is planned only if a single one accepts at most {MOST_ACCEPTED} wrong labels, not "
            f"{single.looks[0].accept:,}; choose single or sequential sampling"
        )


def _points(asked: AuditPlan) -> FloatArray:
    """Rates from 0 on; in a finite population, only those that it can have."""
    points = np.linspace(0, min(REACH * asked.rejectable, 1.0), N_POINTS)
    if asked.size is not None:
        points = np.unique(np.floor(points * asked.size + 0.5)) / asked.size
    return points
