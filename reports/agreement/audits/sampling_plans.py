"""Acceptance sampling by attributes: accept or reject labels by the number of wrong ones in a sample.

A plan is a sequence of looks: after n_k labels in all, accept if at most `accept_k` are wrong, reject if at least
`reject_k` are, and otherwise continue. Single sampling has one look, double sampling two, sequential sampling one
after each label. So one computation, exact up to rounding, gives the operating characteristic and the average sample
number of every plan.
Sources: Dodge & Romig 1929, Bell System Technical Journal 8(4), 613-631; Wald 1945, Annals of Mathematical Statistics
16(2), 117-186; ISO 2859-1:1999.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reports.agreement.audits.wrong_labels import binomial, check, hypergeometric, n_wrong
from reports.agreement.results import FloatArray, IntArray

# A boundary that cannot be reached yet.
NEVER = -1
# Probabilities that are computed at once.
MAX_CELLS = 200_000


@dataclass(frozen=True, slots=True)
class InspectionPoint:
    """n: all labels audited so far. accept: if at most this many are wrong, or NEVER. reject: if at least this many."""

    n: int
    accept: int
    reject: int


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """looks: in order of n; at the last one every count leads to a decision (reject = accept + 1)."""

    looks: tuple[InspectionPoint, ...]

    def __post_init__(self) -> None:
        before = 0
        for look in self.looks:
            if look.n <= before or not NEVER <= look.accept < look.reject:
                raise ValueError(f"looks need a growing n and accept < reject, got {self.looks}")
            before = look.n
        if not self.looks or self.looks[-1].reject != self.looks[-1].accept + 1:
            raise ValueError("the last look must decide every count: reject = accept + 1")

    @property
    def n_most(self) -> int:
        return self.looks[-1].n

    def decide(self, n: int, n_wrong: int) -> bool | None:
        """Return whether to accept after n labels, n_wrong of them wrong; None to continue.

        Counts at a look decide, and so does a count that has already reached the rejection number of the next look,
        since wrong labels only increase: reject at once, but accept only at a look.
        Raises ValueError for an impossible count, and for more labels than the plan audits: how many of the first ones
        were wrong can't be known.
        """
        if not 0 <= n_wrong <= n <= self.n_most:
            raise ValueError(
                f"counts must be 0 <= wrong <= audited <= {self.n_most}, got {n_wrong} wrong of {n} audited"
            )
        for look in self.looks:
            if n >= look.n and n_wrong <= look.accept:
                return True
            if n_wrong >= look.reject and n <= look.n:
                return False
        return None


@dataclass(frozen=True, slots=True)
class Performance:
    """(R,) for each rate: the probability of acceptance, and the mean number of labels audited until the decision."""

    rates: FloatArray
    acceptance: FloatArray
    sample_number: FloatArray


def performance(plan: SamplingPlan, rates: ArrayLike, *, size: int | None = None) -> Performance:
    """Return the operating characteristic and average sample number of a plan at these rates of wrong labels.

    rates: (R,) from 0 to 1. size: labels in the population, None for a negligible sample; rate * size is rounded to
    whole labels. A sample is audited until its look, even if the decision is certain earlier (no curtailed inspection).
    Raises ValueError if the plan can need more labels than the population has, or a rate is not within 0 to 1.
    """
    p = np.atleast_1d(np.asarray(rates, dtype=np.float64))
    check(plan.n_most, p, size)
    wrong = None if size is None else n_wrong(p, size)
    # going[r, d]: the probability that the audit continues with d wrong labels so far.
    going = np.ones((len(p), 1))
    accepted, number, before = np.zeros(len(p)), np.zeros(len(p)), 0
    for look in plan.looks:
        step = look.n - before
        number += step * going.sum(axis=1)
        reached = _after(
            going, step, look.reject, p, None if wrong is None or size is None else (wrong, size - before)
        )
        accepted += reached[:, : look.accept + 1].sum(axis=1)
        going = reached.copy()
        going[:, : look.accept + 1] = 0.0
        before = look.n
    return Performance(p, np.clip(accepted, 0.0, 1.0), number)


def _after(
    going: FloatArray, step: int, reject: int, p: FloatArray, lot: tuple[IntArray, int] | None
) -> FloatArray:
    """(R, reject) `going` after `step` more labels; counts that reach `reject` are left out.

    lot: (R,) wrong labels in the population, and its number of unaudited labels; None for an infinite population.
    """
    d = np.arange(going.shape[1])
    # Counts that are impossible in this population have probability 0, so their computed values are irrelevant.
    left = None if lot is None else (np.maximum(lot[0][:, None] - d, 0), lot[1])
    reached = np.zeros((len(p), reject))
    if step == 1:
        rate = p[:, None] if left is None else left[0] / left[1]
        kept, more = going * (1 - rate), going * rate
        width = min(reject, len(d))
        reached[:, :width] = kept[:, :width]
        width = min(reject - 1, len(d))
        reached[:, 1 : width + 1] += more[:, :width]
        return reached
    # Many counts at a time, as far as memory allows.
    for k in np.array_split(np.arange(reject), max(1, reject * going.size // MAX_CELLS)):
        more = k[:, None] - d
        chance = (
            binomial(more, step, p[:, None, None])
            if left is None
            else hypergeometric(more, step, left[0][:, None, :], left[1])
        )
        reached[:, k] = (going[:, None, :] * chance).sum(axis=2)
    return reached
