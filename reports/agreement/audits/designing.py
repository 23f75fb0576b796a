"""The smallest plan that keeps both risks: rejecting good labels, and accepting bad ones."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from reports.agreement.audits.plans import NEVER, Look, Plan, performance
from reports.agreement.audits.wrong_labels import chances
from reports.agreement.results import FloatArray

# No acceptance number above it is tried; the rates are then too close to tell apart by any sample that people audit.
MAX_ACCEPT = 500
# Labels of the largest sample that is tried.
MAX_SAMPLE = 1_000_000_000
# A sequential plan ends at the first of these multiples of the single sample that keeps both risks, and decides there.
TRUNCATED_AT = (1.5, 2.0, 3.0)
# Shares of the risks that its lines are drawn for: ending early takes up the rest.
DRAWN_FOR = (1.0, 0.9, 0.8, 0.6)
# Second samples of double plans, as multiples of the first.
RATIOS = (1, 2)


class NoPlan(ValueError):
    """No sample of this population keeps both risks; the message says why."""


@dataclass(frozen=True, slots=True)
class Risks:
    """What a plan must keep.

    acceptable: the highest rate of wrong labels that is good (AQL), which may be rejected with a probability of at most
    `producer`. rejectable: the lowest rate that is bad (LTPD, RQL), which may be accepted with at most `consumer`.
    size: labels in the population, None for so many that a sample is negligible. Raises ValueError.
    """

    acceptable: float
    rejectable: float
    producer: float = 0.05
    consumer: float = 0.10
    size: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.acceptable < self.rejectable <= 1:
            raise ValueError(
                f"rates need 0 <= acceptable < rejectable <= 1, got {self.acceptable:g} and {self.rejectable:g}"
            )
        for name in ("producer", "consumer"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(
                    f"the {name}'s risk must be above 0 and below 0.5, got {getattr(self, name):g}"
                )
        if self.size is not None and self.size < 1:
            raise ValueError(f"a population has at least 1 label, got {self.size}")

    @property
    def rates(self) -> FloatArray:
        """The two rates; in a finite population, whole labels: the acceptable ones rounded down, the others up."""
        if self.size is None:
            return np.array([self.acceptable, self.rejectable])
        # What is 1e-9 off a whole number is one: 0.07 * 100 is not 8 labels.
        good = np.floor(self.acceptable * self.size + 1e-9)
        bad = np.ceil(self.rejectable * self.size - 1e-9)
        if good >= bad:
            raise NoPlan(f"{self.size} labels are too few to tell these two rates apart")
        return np.array([good, bad]) / self.size

    def kept_by(self, plan: Plan) -> bool:
        good, bad = performance(plan, self.rates, size=self.size).acceptance
        return bool(good >= 1 - self.producer and bad <= self.consumer)


def single_plan(risks: Risks) -> Plan:
    """The single plan with the smallest sample; raises NoPlan."""
    for accept in range(MAX_ACCEPT + 1):

        def keeps_consumers(n: int, accept: int = accept) -> bool:
            return bool(_accepted(risks, n, accept)[1] <= risks.consumer)

        n = _smallest(keeps_consumers, accept + 1, risks)
        if n is None:
            # More errors accepted would only be worse.
            break
        if _accepted(risks, n, accept)[0] >= 1 - risks.producer:
            return Plan((Look(n, accept, accept + 1),))
    raise NoPlan("no sample keeps both risks; allow a higher risk, or choose rates that are further apart")


def double_plan(risks: Risks) -> Plan:
    """The double plan with the smallest average sample number at the acceptable rate; raises NoPlan.

    The second sample is as large as the first or twice as large, and the first rejects as the second does.
    """
    single = single_plan(risks)
    best: tuple[float, Plan] | None = None
    for ratio in RATIOS:
        for last in range(1, single.looks[0].accept + 3):
            for first in range(last):
                plan = _double(risks, first, last, ratio, single.n_most)
                if plan is None or not risks.kept_by(plan):
                    continue
                number = float(performance(plan, risks.rates[:1], size=risks.size).sample_number[0])
                if best is None or number < best[0]:
                    best = (number, plan)
    if best is None:
        raise NoPlan("no double sample keeps both risks; use a single sample")
    return best[1]


def _double(risks: Risks, first: int, last: int, ratio: int, n_single: int) -> Plan | None:
    def plan(n: int) -> Plan:
        return Plan((Look(n, first, last + 1), Look(n + ratio * n, last, last + 1)))

    def keeps(n: int) -> bool:
        return bool(performance(plan(n), risks.rates[1:], size=risks.size).acceptance[0] <= risks.consumer)

    most = n_single if risks.size is None else min(n_single, risks.size // (1 + ratio))
    n = _bisected(keeps, last + 1, most)
    return None if n is None else plan(n)


def sequential_plan(risks: Risks) -> Plan:
    """Wald's sequential plan, with a look after each label, truncated at a multiple of the single sample.

    With k = log(p1 (1 - p0) / (p0 (1 - p1))), s = log((1 - p0) / (1 - p1)) / k, h1 = log((1 - alpha) / beta) / k, and
    h2 = log((1 - beta) / alpha) / k: accept after n labels with at most s n - h1 wrong, reject with at least s n + h2.
    At the truncation, accept with at most s n wrong. Wald's lines are conservative without the truncation; where it
    breaks a risk, the lines are drawn for smaller ones, and then the truncation is moved. The returned plan keeps both
    risks exactly. An acceptable rate of 0 counts as a tenth of the rejectable one for the lines.
    Raises NoPlan.
    """
    n_single = single_plan(risks).n_most
    for factor in TRUNCATED_AT:
        most = int(np.ceil(factor * n_single))
        for share in DRAWN_FOR:
            plan = _sequential(risks, most if risks.size is None else min(most, risks.size), share)
            if risks.kept_by(plan):
                return plan
    raise NoPlan("no sequential sample keeps both risks; use a single sample")


def wald_lines(risks: Risks, share: float = 1.0) -> tuple[float, float, float]:
    """h1, h2 and s of Wald's lines for this share of the risks; see `sequential_plan`."""
    producer, consumer = share * risks.producer, share * risks.consumer
    p0, p1 = risks.acceptable or risks.rejectable / 10, min(risks.rejectable, 1 - 1e-9)
    k = np.log(p1 * (1 - p0) / (p0 * (1 - p1)))
    h1 = np.log((1 - producer) / consumer) / k
    h2 = np.log((1 - consumer) / producer) / k
    return float(h1), float(h2), float(np.log((1 - p0) / (1 - p1)) / k)


def _sequential(risks: Risks, most: int, share: float) -> Plan:
    h1, h2, s = wald_lines(risks, share)
    n = np.arange(1, most + 1)
    accept = np.maximum(np.floor(s * n - h1 + 1e-9), NEVER).astype(int)
    last = int(np.floor(s * most))
    # Enough wrong labels to be rejected at the end are enough at once.
    reject = np.minimum(np.ceil(s * n + h2 - 1e-9), last + 1).astype(int)
    accept = np.minimum(accept, reject - 1)
    accept[-1], reject[-1] = last, last + 1
    return Plan(tuple(Look(*look) for look in zip(n.tolist(), accept.tolist(), reject.tolist(), strict=True)))


def _accepted(risks: Risks, n: int, accept: int) -> FloatArray:
    """(2,) the probability that a single sample is accepted, at both rates."""
    if risks.size is None:
        return bdtr(min(accept, n), n, risks.rates)
    return np.clip(chances(n, risks.rates, risks.size, most=min(accept, n)).sum(axis=1), 0.0, 1.0)


def _smallest(keeps: Callable[[int], bool], low: int, risks: Risks) -> int | None:
    """The smallest sample from `low` on with a property that larger ones have too; None if no sample has it."""
    high = low
    while not keeps(high):
        if high >= (risks.size or MAX_SAMPLE):
            return None
        high = min(2 * high, risks.size or MAX_SAMPLE)
    return _bisected(keeps, low, high)


def _bisected(keeps: Callable[[int], bool], low: int, high: int) -> int | None:
    if high < low or not keeps(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if keeps(middle) else (middle + 1, high)
    return low
