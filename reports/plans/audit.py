"""How many labels an audit takes: the plan and its answer, shared by page, API, and command."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from reports.agreement.audits.designing import Risks, double_plan, sequential_plan, single_plan
from reports.agreement.audits.estimates import Share, exact_share
from reports.agreement.audits.sample_sizes import needed_for_margin
from reports.agreement.audits.sampling_plans import Performance, SamplingPlan, performance
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
# The points of the curves, from no errors up to this multiple of the rejectable rate.
N_POINTS, REACH = 61, 2.0
# The most labels of a single sample for which a page or a program may ask for a plan; more would take minutes.
MOST_LABELS = {SINGLE: 20_000, DOUBLE: 20_000, SEQUENTIAL: 4_000}
# The most wrong labels that a single sample may accept, for a double one to be planned in its place.
MOST_ACCEPTED = 100
# The most labels that an estimate may take.
MOST_ESTIMATED = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPlan:
    """The parameters of an audit. size: labels in the population; None if it is much larger than the sample.

    share, margin, confidence: for the aim estimate, the expected error rate and the half-width of its interval.
    acceptable, rejectable, producer, consumer: for the aim decide, as in `designing.Risks`.
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
    """n_labels: the most labels to audit. expected: for the aim estimate, the interval if the error rate is as
    expected. plan, risks, curve: for the aim decide; `risks` is at the two rates of the plan, `curve` at N_POINTS.
    """

    asked: AuditPlan
    n_labels: int
    expected: Share | None = None
    plan: SamplingPlan | None = None
    risks: Performance | None = None
    curve: Performance | None = None


@lru_cache(maxsize=128)
def audit_answer(asked: AuditPlan) -> AuditAnswer:
    """Return the answer. Raises ValueError with a sentence for an invalid plan."""
    if asked.aim == ESTIMATE:
        n = needed_for_margin(asked.share, asked.margin, size=asked.size, confidence=asked.confidence)
        if n > MOST_ESTIMATED:
            raise ValueError(
                f"this margin requires {n:,} labels, more than {MOST_ESTIMATED:,}; allow a wider one"
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


def _check_single(single: SamplingPlan, sampling: str) -> None:
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


def _points(plan: AuditPlan) -> FloatArray:
    """Return rates starting at 0; for a finite population, only possible ones."""
    points = np.linspace(0, min(REACH * plan.rejectable, 1.0), N_POINTS)
    if plan.size is not None:
        points = np.unique(np.floor(points * plan.size + 0.5)) / plan.size
    return points
