"""How an audit is drawn from the labels of a project: its population, its strata, and how many of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from projects.models import Question
from raters.audits.drawing import MOST_DRAWN
from raters.audits.population import (
    AuditRefused,
    IntArray,
    Population,
    SamplingUnits,
    read_population,
    units_of,
)
from raters.models import Audit
from raters.models.audits import StoredAuditPlan, StoredPopulation
from reports.agreement.audits.sample_sizes import allocated
from reports.plans.audit import DECIDE, DOUBLE, AuditAnswer, AuditPlan, audit_answer

Allocation = Audit.Allocation


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawRequest:
    """What a lead asks for. n: units to draw for an estimate, None for as many as the margin takes. rates: expected
    error rates of strata by value, for optimal allocation; those missing have the expected error rate of the plan.
    """

    question: Question
    wanted: StoredPopulation
    unit: str
    stratify_by: str
    allocation: str
    rates: Mapping[str, float]
    n: int | None
    plan: AuditPlan


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """drawn: (H,) units of each stratum. n_first: units of the first sample. answer: None if n was given."""

    population: Population
    units: SamplingUnits
    drawn: IntArray
    n_first: int
    plan: StoredAuditPlan
    answer: AuditAnswer | None

    @property
    def n(self) -> int:
        return int(self.drawn.sum())

    @property
    def n_items(self) -> int:
        return len(np.unique(self.population.items))


def draw_of(request: DrawRequest) -> Draw:
    """Return what would be drawn. Raises AuditRefused."""
    is_of_labels = request.unit == Audit.Unit.LABEL
    if request.plan.aim == DECIDE and (request.stratify_by or not is_of_labels):
        raise AuditRefused(
            "Accepting or rejecting requires a simple random sample of labels, without strata. To compare "
            "strata or audit whole items, estimate the error rate."
        )
    population = read_population(request.question, request.wanted)
    units = units_of(population, by_item=not is_of_labels, stratify_by=request.stratify_by)
    n_units = len(units.strata)
    answer: AuditAnswer | None
    if request.plan.aim == DECIDE:
        answer = _answer(request.plan, n_units)
        looks = answer.plan.looks if answer.plan else ()
        kept = _stored_plan(request.plan, [[look.n, look.accept, look.reject] for look in looks])
        n_first = looks[0].n if request.plan.sampling == DOUBLE else looks[-1].n
        return Draw(population, units, np.array([looks[-1].n]), n_first, kept, answer)
    answer = None if request.n else _answer(request.plan, n_units)
    n = request.n or (answer.n_labels if answer else 0)
    if n > MOST_DRAWN:
        raise AuditRefused(
            f"A sample has at most {MOST_DRAWN:,} units, and this takes {n:,}. Allow a wider margin."
        )
    if n > n_units:
        raise AuditRefused(f"There are only {n_units:,} to draw from, so {n:,} can’t be drawn.")
    drawn: IntArray = allocated(
        n,
        units.sizes,
        shares=_rates(request, units.values) if request.allocation == Allocation.OPTIMAL else None,
        equally=request.allocation == Allocation.EQUAL,
    ).astype(np.int64)
    return Draw(population, units, drawn, int(drawn.sum()), _stored_plan(request.plan, None), answer)


def _answer(plan: AuditPlan, size: int) -> AuditAnswer:
    try:
        return audit_answer(replace(plan, size=size))
    except ValueError as impossible:
        sentence = str(impossible)
        raise AuditRefused(f"{sentence[:1].upper()}{sentence[1:].rstrip('.')}.") from None


def _rates(request: DrawRequest, values: Sequence[str]) -> list[float]:
    if unknown := [value for value in request.rates if value not in values]:
        raise AuditRefused(f"There is no stratum called “{unknown[0]}”. The strata are {', '.join(values)}.")
    return [request.rates.get(value, request.plan.share) for value in values]


def _stored_plan(plan: AuditPlan, looks: list[list[int]] | None) -> StoredAuditPlan:
    if looks is None:
        return {"aim": "estimate", "confidence": plan.confidence, "share": plan.share, "margin": plan.margin}
    return {
        "aim": "decide",
        "confidence": plan.confidence,
        "sampling": plan.sampling,
        "acceptable": plan.acceptable,
        "rejectable": plan.rejectable,
        "producer": plan.producer,
        "consumer": plan.consumer,
        "looks": looks,
    }
