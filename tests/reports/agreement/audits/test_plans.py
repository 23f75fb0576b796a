"""Acceptance sampling: published plans and figures, other libraries, and properties."""

import numpy as np
import pytest
from scipy import stats

from reports.agreement.audits.designing import (
    NoSamplingPlan,
    Risks,
    double_plan,
    sequential_plan,
    single_plan,
    wald_lines,
)
from reports.agreement.audits.sampling_plans import InspectionPoint, SamplingPlan, performance
from tests.sizes import only_in_full, size, some


def single(n, accept):
    return SamplingPlan((InspectionPoint(n, accept, accept + 1),))


def acceptance(plan, rates, **lot):
    return performance(plan, rates, **lot).acceptance


def test_operating_characteristic_of_a_single_plan():
    # Montgomery, Introduction to Statistical Quality Control (6th ed. 2009), table 15.2: n = 89, c = 2.
    published = {0.005: 0.9897, 0.01: 0.9397, 0.02: 0.7366, 0.03: 0.4985, 0.05: 0.1721, 0.07: 0.0468}

    found = acceptance(single(89, 2), list(published))

    assert found == pytest.approx(list(published.values()), abs=5e-4)


def test_a_double_plan_by_hand():
    # n1 = 50, Ac1 = 1, n2 = 100, Ac2 = 3 at 5%: P(d1 <= 1) + P(d1 = 2) P(d2 <= 1) + P(d1 = 3) P(d2 = 0).
    first, second = stats.binom(50, 0.05), stats.binom(100, 0.05)
    by_hand = first.cdf(1) + first.pmf(2) * second.cdf(1) + first.pmf(3) * second.pmf(0)

    found = performance(SamplingPlan((InspectionPoint(50, 1, 4), InspectionPoint(150, 3, 4))), [0.05])

    assert found.acceptance == pytest.approx([by_hand])
    # Montgomery has 0.279 for the first sample alone.
    assert first.cdf(1) == pytest.approx(0.279, abs=5e-4)
    assert found.sample_number == pytest.approx([50 + 100 * (first.pmf(2) + first.pmf(3))])


@pytest.mark.parametrize(
    ("accept", "at_95", "at_50", "at_10"),
    # MIL-STD-105E, table X-K-1 (code letter K, n = 125): rates in percent at which 95%, 50% and 10% of lots are
    # accepted. The table is computed with the Poisson distribution, so that binomial figures differ a little.
    [(0, 0.0410, 0.555, 1.84), (1, 0.284, 1.34, 3.11), (2, 0.654, 2.14, 4.26), (3, 1.09, 2.94, 5.35)],
)
def test_rates_of_an_iso_2859_plan(accept, at_95, at_50, at_10):
    found = acceptance(single(125, accept), np.array([at_95, at_50, at_10]) / 100)

    assert found == pytest.approx([0.95, 0.5, 0.1], abs=0.01)


def test_wald_lines():
    # Montgomery, example in section 15.3.3: p1 = .01, p2 = .06, alpha = .05, beta = .10.
    assert wald_lines(Risks(0.01, 0.06)) == pytest.approx((1.22, 1.57, 0.028), abs=0.005)


@pytest.mark.parametrize(
    ("n", "accept", "size", "wrong"), [(20, 1, 100, 10), (35, 0, 60, 4), (110, 3, 4212, 42)]
)
def test_finite_populations_are_hypergeometric(n, accept, size, wrong):
    found = acceptance(single(n, accept), [wrong / size], size=size)

    assert found == pytest.approx([stats.hypergeom(size, wrong, n).cdf(accept)])


@pytest.mark.parametrize("lot", [None, 1000, 4212])
@pytest.mark.parametrize("design", [single_plan, double_plan, sequential_plan])
def test_plans_keep_both_risks(design, lot):
    risks = Risks(0.01, 0.06, size=lot)

    good, bad = acceptance(design(risks), risks.rates, size=lot)

    assert good >= 0.95
    assert bad <= 0.10


@pytest.mark.parametrize(
    "risks", [Risks(0.01, 0.06), Risks(0.02, 0.08, size=500), Risks(0.0, 0.05, 0.05, 0.05)]
)
def test_no_smaller_single_plan_keeps_them(risks):
    look = single_plan(risks).looks[0]

    kept = [
        (n, c)
        for n in range(max(1, look.n - 30), look.n)
        for c in range(look.accept + 2)
        if risks.kept_by(single(n, c))
    ]

    assert kept == []


@only_in_full
@pytest.mark.parametrize("lot", some([200, None], every=2))
def test_no_double_plan_has_a_smaller_average_number(lot):
    risks = Risks(0.05, 0.25, size=lot)
    most = single_plan(risks).n_most

    def wrong(n, rate, *, found=0, before=0):
        if lot is None:
            return stats.binom(n, rate)
        return stats.hypergeom(lot - before, round(rate * lot) - found, n)

    def accepts(n, more, first, last, rate):
        sample = wrong(n, rate)
        later = (
            sample.pmf(d) * wrong(more, rate, found=d, before=n).cdf(last - d)
            for d in range(first + 1, min(last, n) + 1)
        )
        return sample.cdf(first) + sum(later)

    numbers = [
        n + ratio * n * (wrong(n, 0.05).cdf(last) - wrong(n, 0.05).cdf(first))
        for ratio in (1, 2)
        for n in range(3, most + 1)
        for last in range(1, 6)
        for first in range(last)
        if accepts(n, ratio * n, first, last, 0.25) <= 0.10
        and accepts(n, ratio * n, first, last, 0.05) >= 0.95
    ]

    plan = double_plan(risks)
    assert performance(plan, [0.05], size=lot).sample_number[0] == pytest.approx(min(numbers))


def test_double_plans_of_close_rates():
    # The single plan accepts 72 wrong labels: there are thousands of double plans to look at.
    risks = Risks(0.05, 0.07)
    plan = double_plan(risks)

    first, last = plan.looks
    d = np.arange(first.accept + 1, last.accept + 1)
    good, bad = (
        stats.binom(first.n, rate).cdf(first.accept)
        + stats.binom(first.n, rate).pmf(d) @ stats.binom(last.n - first.n, rate).cdf(last.accept - d)
        for rate in (0.05, 0.07)
    )
    assert good >= 0.95
    assert bad <= 0.10
    assert performance(plan, [0.05]).sample_number[0] < single_plan(risks).n_most


def test_sequential_plans_take_fewer_labels_on_average():
    risks = Risks(0.01, 0.06)

    of_single, of_double, of_sequential = (
        performance(design(risks), risks.rates).sample_number
        for design in (single_plan, double_plan, sequential_plan)
    )

    assert (of_sequential < of_double).all()
    assert (of_double < of_single).all()


@pytest.mark.parametrize("design", [double_plan, sequential_plan])
@pytest.mark.parametrize("lot", [None, 400])
def test_performance_equals_a_simulated_audit(design, lot):
    rng = np.random.default_rng(20261124)
    risks = Risks(0.02, 0.10, size=lot)
    plan, n_audits, rate = design(risks), size(20_000, 4_000), 0.05
    accepted, numbers = np.zeros(n_audits, dtype=bool), np.zeros(n_audits)

    for i in range(n_audits):
        labels = rng.random(plan.n_most) < rate if lot is None else rng.permutation(lot) < rate * lot
        wrong = np.cumsum(labels)
        for look in plan.looks:
            found = wrong[look.n - 1]
            if found <= look.accept or found >= look.reject:
                accepted[i], numbers[i] = found <= look.accept, look.n
                break

    expected = performance(plan, [rate], size=lot)
    error = np.sqrt(expected.acceptance * (1 - expected.acceptance) / n_audits)
    assert accepted.mean() == pytest.approx(expected.acceptance[0], abs=4 * error[0])
    assert numbers.mean() == pytest.approx(expected.sample_number[0], abs=4 * numbers.std() / n_audits**0.5)


def test_decisions_follow_the_looks():
    plan = SamplingPlan((InspectionPoint(50, 1, 4), InspectionPoint(150, 3, 4)))

    decisions = [
        plan.decide(n, wrong)
        for n, wrong in ((10, 0), (50, 1), (50, 2), (50, 4), (20, 4), (100, 2), (150, 3))
    ]

    assert decisions == [None, True, None, False, False, None, True]


@pytest.mark.parametrize("counts", [(151, 4), (200, 9), (10, 11), (10, -1)])
def test_no_decision_on_counts_that_the_plan_does_not_have(counts):
    # Of 151 labels with 4 wrong, the first 150 have 3 or 4: accepted or rejected.
    with pytest.raises(ValueError, match="wrong <= audited <= 150"):
        SamplingPlan((InspectionPoint(50, 1, 4), InspectionPoint(150, 3, 4))).decide(*counts)


@pytest.mark.parametrize(
    "risks",
    [
        lambda: Risks(0.06, 0.01),
        lambda: Risks(0.01, 0.06, producer=0.7),
        lambda: Risks(0.01, 0.06, size=0),
        lambda: SamplingPlan((InspectionPoint(50, 3, 2),)),
        lambda: SamplingPlan((InspectionPoint(50, 1, 4),)),
        lambda: performance(single(50, 1), [0.1], size=40),
        lambda: performance(single(50, 1), [1.1]),
    ],
)
def test_impossible_plans_are_refused(risks):
    with pytest.raises(ValueError, match=r"got|must"):
        risks()


def test_rates_that_are_too_close_have_no_plan():
    with pytest.raises(NoSamplingPlan, match="further apart"):
        single_plan(Risks(0.10, 0.101))
