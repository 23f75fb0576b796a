"""The smallest sampling plan that limits both risks: rejecting good labels, and accepting bad ones."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import bdtr

from reports.agreement.audits.sampling_plans import NEVER, InspectionPoint, SamplingPlan, performance
from reports.agreement.audits.wrong_labels import chances, hypergeometric, n_wrong
from reports.agreement.results import FloatArray

# The largest acceptance number tried; beyond it, the rates are too close to distinguish by a feasible sample.
MAX_ACCEPT = 500
# The largest sample tried, in labels.
MAX_SAMPLE = 1_000_000_000
# A sequential plan is truncated at the first of these multiples of the single sample that keeps both risks.
TRUNCATED_AT = (1.5, 2.0, 3.0)
# Shares of the risks for which its lines are drawn: truncation takes up the rest.
DRAWN_FOR = (1.0, 0.9, 0.8, 0.6)
# Second samples of double plans, as multiples of the first.
RATIOS = (1, 2)
# What they accept with more than the single plan; going further took 2% off the average number at most where tried.
MORE_ACCEPTED = 2


class NoSamplingPlan(ValueError):
    """No sample of this population keeps both risks; the message says why."""


@dataclass(frozen=True, slots=True)
class Risks:
    """The requirements on a plan.

    acceptable: the highest good rate of wrong labels (AQL), which may be rejected with a probability of at most
    `producer`. rejectable: the lowest bad rate (LTPD, RQL), which may be accepted with a probability of at most
    `consumer`. size: labels in the population, None if so large that the sample is negligible. Raises ValueError.
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
        """The two rates; in a finite population, of whole labels: the acceptable rate rounded down, the other up."""
        if self.size is None:
            return np.array([self.acceptable, self.rejectable])
        # Numbers within 1e-9 of a whole number are rounded to it: 0.07 * 100 is not 8 labels.
        good = np.floor(self.acceptable * self.size + 1e-9)
        bad = np.ceil(self.rejectable * self.size - 1e-9)
        if good >= bad:
            raise NoSamplingPlan(f"{self.size} labels are too few to tell these two rates apart")
        return np.array([good, bad]) / self.size

    def kept_by(self, plan: SamplingPlan) -> bool:
        good, bad = performance(plan, self.rates, size=self.size).acceptance
        return bool(good >= 1 - self.producer and bad <= self.consumer)


def single_plan(risks: Risks) -> SamplingPlan:
    """Return the single plan with the smallest sample; raises NoSamplingPlan."""
    for accept in range(MAX_ACCEPT + 1):

        def keeps_consumers(n: int, accept: int = accept) -> bool:
            return bool(_accepted(risks, n, accept)[1] <= risks.consumer)

        n = _smallest(keeps_consumers, accept + 1, risks)
        if n is None:
            # Accepting more errors would only be worse.
            break
        if _accepted(risks, n, accept)[0] >= 1 - risks.producer:
            return SamplingPlan((InspectionPoint(n, accept, accept + 1),))
    raise NoSamplingPlan(
        "no sample keeps both risks; allow a higher risk, or choose rates that are further apart"
    )


def double_plan(risks: Risks) -> SamplingPlan:
    """Return the double plan with the smallest average sample number at the acceptable rate; raises NoSamplingPlan.

    The second sample is as large as the first or twice as large, both have the same rejection number, and the second
    accepts with as many wrong labels as the single plan, or up to MORE_ACCEPTED more.
    """
    single = single_plan(risks)
    accept = single.looks[0].accept
    best: tuple[float, SamplingPlan] | None = None
    for ratio in RATIOS:
        for last in range(max(1, accept), accept + MORE_ACCEPTED + 1):
            for plan in _doubles(risks, last, ratio, single.n_most):
                number = float(performance(plan, risks.rates[:1], size=risks.size).sample_number[0])
                if best is None or number < best[0]:
                    best = (number, plan)
    if best is None:
        raise NoSamplingPlan("no double sample keeps both risks; use a single sample")
    return best[1]


def _doubles(risks: Risks, last: int, ratio: int, n_single: int) -> Iterator[SamplingPlan]:
    """Those that keep both risks; for each number to accept with at first, the smallest first sample."""
    most = n_single if risks.size is None else min(n_single, risks.size // (1 + ratio))

    @cache
    def accepted(n: int) -> FloatArray:
        return _double_accepted(risks, n, ratio * n, last)

    for first in range(last):

        def keeps_consumers(n: int, first: int = first) -> bool:
            return bool(accepted(n)[1, first] <= risks.consumer)

        n = _bisected(keeps_consumers, last + 1, most)
        if n is None or accepted(n)[0, first] < 1 - risks.producer:
            continue
        plan = SamplingPlan(
            (InspectionPoint(n, first, last + 1), InspectionPoint(n + ratio * n, last, last + 1))
        )
        if risks.kept_by(plan):
            yield plan


def _double_accepted(risks: Risks, n: int, more: int, last: int) -> FloatArray:
    """(2, last) the probability of acceptance at both rates, by the number to accept with at first, 0 to last - 1."""
    d = np.arange(last + 1)
    found = chances(n, risks.rates, risks.size, most=last)
    if risks.size is None:
        then = bdtr(np.minimum(last - d, more), more, risks.rates[:, None])
    else:
        left = np.maximum(n_wrong(risks.rates, risks.size)[:, None] - d, 0)
        k = d[:, None, None]
        chance = hypergeometric(k, more, left, risks.size - n)
        then = np.where(k <= last - d, chance, 0.0).sum(axis=0)
    at_once = np.cumsum(found, axis=1)
    later = np.cumsum((found * then)[:, ::-1], axis=1)[:, ::-1]
    return at_once[:, :-1] + later[:, 1:]


def sequential_plan(risks: Risks) -> SamplingPlan:
    """Return Wald's sequential plan, with a look after each label, truncated at a multiple of the single sample.

    With k = log(p1 (1 - p0) / (p0 (1 - p1))), s = log((1 - p0) / (1 - p1)) / k, h1 = log((1 - alpha) / beta) / k, and
    h2 = log((1 - beta) / alpha) / k: accept after n labels with at most s n - h1 wrong, reject with at least s n + h2.
    At the truncation, accept with at most s n wrong. Wald's lines are conservative without truncation; where it
    exceeds a risk, the lines are drawn for smaller risks, and then the truncation is moved. The returned plan keeps
    both risks by exact computation. For the lines, an acceptable rate of 0 counts as a tenth of the rejectable one.
    Raises NoSamplingPlan.
    """
    n_single = single_plan(risks).n_most
    for factor in TRUNCATED_AT:
        most = int(np.ceil(factor * n_single))
        for share in DRAWN_FOR:
            plan = _sequential(risks, most if risks.size is None else min(most, risks.size), share)
            if risks.kept_by(plan):
                return plan
    raise NoSamplingPlan("no sequential sample keeps both risks; use a single sample")


def wald_lines(risks: Risks, share: float = 1.0) -> tuple[float, float, float]:
    """Return h1, h2, and s of Wald's lines for this share of the risks; see `sequential_plan`."""
    producer, consumer = share * risks.producer, share * risks.consumer
    p0, p1 = risks.acceptable or risks.rejectable / 10, min(risks.rejectable, 1 - 1e-9)
    k = np.log(p1 * (1 - p0) / (p0 * (1 - p1)))
    h1 = np.log((1 - producer) / consumer) / k
    h2 = np.log((1 - consumer) / producer) / k
    return float(h1), float(h2), float(np.log((1 - p0) / (1 - p1)) / k)


def _sequential(risks: Risks, most: int, share: float) -> SamplingPlan:
    h1, h2, s = wald_lines(risks, share)
    n = np.arange(1, most + 1)
    accept = np.maximum(np.floor(s * n - h1 + 1e-9), NEVER).astype(int)
    last = int(np.floor(s * most))
    # Enough wrong labels for rejection at the end are enough at any time.
    reject = np.minimum(np.ceil(s * n + h2 - 1e-9), last + 1).astype(int)
    accept = np.minimum(accept, reject - 1)
    accept[-1], reject[-1] = last, last + 1
    return SamplingPlan(
        tuple(
            InspectionPoint(*look) for look in zip(n.tolist(), accept.tolist(), reject.tolist(), strict=True)
        )
    )


def _accepted(risks: Risks, n: int, accept: int) -> FloatArray:
    """(2,) the probability that a single sample is accepted, at both rates."""
    if risks.size is None:
        return bdtr(min(accept, n), n, risks.rates)
    return np.clip(chances(n, risks.rates, risks.size, most=min(accept, n)).sum(axis=1), 0.0, 1.0)


def _smallest(keeps: Callable[[int], bool], low: int, risks: Risks) -> int | None:
    """Return the smallest sample from `low` on with a monotone property; None if no sample has it."""
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
