"""Audits of simulated deliveries: how often intervals hold the error rate, and how often plans decide wrongly."""

import numpy as np
import pytest

from reports.agreement.audits.designing import Risks, double_plan, sequential_plan, single_plan
from reports.agreement.audits.sampling_plans import InspectionPoint, SamplingPlan, performance
from reports.analysis.audit_analysis import AuditLabels, analyze_audit, decided
from tests.sizes import FULL

N_AUDITS = 2_000 if FULL else 400


def labels_of(wrong, stratum, sizes, *, judged=None, **more) -> AuditLabels:
    """A sample in the order of the draw, one label for each unit, of which the first `judged` are judged."""
    codes = wrong.astype(np.int64)
    if judged is not None:
        codes[judged:] = -1
    return AuditLabels(
        wrong=codes,
        unit=np.arange(len(wrong)),
        stratum=stratum,
        sizes=np.array(sizes),
        n_labels=np.array(sizes),
        severity=[""] * len(wrong),
        **more,
    )


@pytest.mark.parametrize(
    ("sizes", "rates", "drawn", "judged"),
    [
        # All of a small delivery, half of it, and the beginning of a draw.
        ([60], [0.1], [30], 30),
        ([4212], [0.2], [200], 80),
        ([1000, 200, 50], [0.05, 0.2, 0.5], [60, 60, 30], None),
        ([300, 300], [0.02, 0.1], [80, 80], 120),
    ],
    ids=["small", "beginning", "stratified", "beginning of a stratified one"],
)
def test_intervals_hold_the_error_rate(sizes, rates, drawn, judged):
    random = np.random.default_rng(7)
    population = [np.arange(size) < round(rate * size) for size, rate in zip(sizes, rates, strict=True)]
    true = sum(each.sum() for each in population) / sum(sizes)
    held = 0
    for _ in range(N_AUDITS):
        strata = np.repeat(np.arange(len(sizes)), drawn)
        wrong = np.concatenate(
            [random.choice(each, n, replace=False) for each, n in zip(population, drawn, strict=True)]
        )
        order = random.permutation(len(wrong))
        share = analyze_audit(labels_of(wrong[order], strata[order], sizes, judged=judged)).share
        held += share.low <= true <= share.high

    # Exact intervals hold it more often, as they can't do so less often; three standard errors of the simulation.
    assert held / N_AUDITS > 0.95 - 3 * np.sqrt(0.95 * 0.05 / N_AUDITS)
    if len(sizes) > 1:
        assert held / N_AUDITS < 0.99


@pytest.mark.parametrize("design", [single_plan, double_plan, sequential_plan])
@pytest.mark.parametrize("size", [400, None])
def test_plans_decide_as_wrongly_as_stated_at_most(design, size):
    risks = Risks(0.03, 0.15, 0.05, 0.10, size)
    plan = design(risks)
    random = np.random.default_rng(3)
    accepted = []
    for rate in risks.rates:
        n = 0
        for _ in range(N_AUDITS):
            if size is None:
                wrong = random.random(plan.n_most) < rate
            else:
                lot = np.arange(size) < round(rate * size)
                wrong = random.choice(lot, plan.n_most, replace=False)
            n += bool(decided(plan, wrong).accepts)
        accepted.append(n / N_AUDITS)

    exact = performance(plan, risks.rates, size=size).acceptance
    assert exact[0] >= 0.95
    assert exact[1] <= 0.10
    assert np.abs(np.array(accepted) - exact).max() < 4 * np.sqrt(0.25 / N_AUDITS)


@pytest.mark.parametrize("seed", range(20))
def test_the_decision_is_that_of_the_plan_at_the_first_label_that_decides(seed):
    random = np.random.default_rng(seed)
    plan = sequential_plan(Risks(0.05, 0.3, size=None))
    wrong = random.random(int(random.integers(1, plan.n_most + 1))) < 0.15

    found = decided(plan, wrong)

    counts = np.cumsum(wrong).tolist()
    steps = [(plan.decide(n, count), n, count) for n, count in enumerate(counts, start=1)]
    expected = next((step for step in steps if step[0] is not None), (None, len(counts), counts[-1]))
    assert (found.accepts, found.n, found.n_wrong) == expected


def test_labels_beyond_the_plan_do_not_change_the_decision():
    plan = SamplingPlan((InspectionPoint(3, 0, 1),))

    assert decided(plan, np.array([False] * 3 + [True] * 5)).accepts is True
    assert decided(plan, np.array([], dtype=bool)).accepts is None


def test_a_group_of_unknown_size_has_the_estimate_of_a_part():
    wrong = np.array([True, False, True, False, False, False])
    labels = labels_of(wrong, np.zeros(6, dtype=int), [60], groups={"site": list("aabbbb")})

    found = analyze_audit(labels).groups["site"]

    assert [(each.value, each.n_wrong, each.share.value) for each in found] == [("a", 1, 0.5), ("b", 1, 0.25)]
    assert all(each.size is None and each.share.error is not None for each in found)


def test_kappa_of_given_and_audited_labels_by_hand():
    # Given a: 3 of a, 1 of b; given b: 1 of a, 5 of b. po = .8, pe = .4 * .4 + .6 * .6 = .52, kappa = .28 / .48.
    given = np.array([0] * 4 + [1] * 6)
    audited = np.array([0, 0, 0, 1, 0, 1, 1, 1, 1, 1])
    labels = labels_of(
        given != audited, np.zeros(10, dtype=int), [100], categories=["a", "b"], given=given, audited=audited
    )

    found = analyze_audit(labels)

    assert found.kappa.value == pytest.approx(0.28 / 0.48, abs=1e-12)
    assert found.kappa.low < found.kappa.value < found.kappa.high
    assert found.confusion == [[30, 10], [10, 50]]
    assert found.n_expected[0] == pytest.approx(20)


def test_known_numbers_of_given_labels_leave_kappa_and_the_error_rate_as_they_are():
    given = np.array([0] * 4 + [1] * 6)
    audited = np.array([0, 0, 0, 1, 0, 1, 1, 1, 1, -1])
    more = {"categories": ["a", "b", "c"], "given": given, "audited": audited}
    without = labels_of(given != audited, np.zeros(10, dtype=int), [100], **more)
    labels = labels_of(
        given != audited, np.zeros(10, dtype=int), [100], given_sizes=np.array([44, 54, 2]), **more
    )

    found, sampled = analyze_audit(labels), analyze_audit(without)

    # Of the 44 given as a, 3 in 4 are a; of the 54 given as b, 4 in 6 are b, and of 1 in 6 it is not known.
    assert found.confusion == [
        [pytest.approx(33), pytest.approx(11), 0],
        [pytest.approx(9), pytest.approx(36), 0],
        [None, None, None],
    ]
    assert found.confusion_unknown == [0, pytest.approx(9), None]
    assert found.given_sizes == [44, 54, 2]
    assert (found.share, found.kappa) == (sampled.share, sampled.kappa)


def test_confusion_rows_hold_the_true_numbers_without_bias():
    """The mean over audits of a delivery whose numbers are known, within four standard errors."""
    random = np.random.default_rng(11)
    given = np.repeat([0, 1, 2], [114, 184, 393])
    audited = np.where(random.random(len(given)) < 0.3, random.integers(0, 3, len(given)), given)
    true = np.zeros((3, 3))
    np.add.at(true, (given, audited), 1)
    found = []
    for _ in range(N_AUDITS):
        drawn = random.choice(len(given), 60, replace=False)
        labels = labels_of(
            given[drawn] != audited[drawn],
            np.zeros(60, dtype=int),
            [len(given)],
            categories=["a", "b", "c"],
            given=given[drawn],
            audited=audited[drawn],
            given_sizes=np.array([114, 184, 393]),
        )
        found.append(analyze_audit(labels).confusion)

    assert np.allclose(np.sum(found, axis=2), [114, 184, 393])
    assert (np.abs(np.mean(found, axis=0) - true) < 4 * np.std(found, axis=0) / np.sqrt(N_AUDITS)).all()


def test_nothing_judged_yet():
    found = analyze_audit(
        labels_of(np.array([True, False]), np.zeros(2, dtype=int), [9], judged=0),
        plan=SamplingPlan((InspectionPoint(2, 0, 1),)),
    )

    assert (found.n_units, found.share.reason, found.decision.accepts, found.n_expected) == (
        0,
        "no_labels",
        None,
        None,
    )


def test_the_rate_by_single_answers_is_corrected_for_two_categories_only():
    """By hand: d = .2 of 50 items differ, e = (1 - sqrt(.6)) / 2 = .1127; (.3 - e) / (1 - 2e) = .2418."""
    raw = np.arange(100) < 30
    more = {
        "raw": raw.astype(int),
        "twice": (50, 10),
        "given": np.zeros(100, dtype=int),
        "audited": np.zeros(100, dtype=int),
    }
    decided_upon = labels_of(
        raw & (np.arange(100) < 12), np.zeros(100, dtype=int), [1000], categories=["a", "b"], **more
    )
    of_three = labels_of(raw, np.zeros(100, dtype=int), [1000], categories=["a", "b", "c"], **more)

    found = analyze_audit(decided_upon)

    assert found.share.value == pytest.approx(0.12)
    assert found.corrected.value == pytest.approx(0.2418, abs=1e-4)
    assert analyze_audit(of_three).corrected.reason == "not_two_categories"


def test_corrected_rates_hold_the_true_one():
    """Auditors misjudge 6% of the labels; a fifth of the items is labeled by two."""
    random = np.random.default_rng(5)
    held, n, e, true = 0, 400, 0.06, 0.12
    for _ in range(N_AUDITS):
        wrong = random.random(n) < true
        first = wrong ^ (random.random(n) < e)
        second = wrong ^ (random.random(n) < e)
        twice = random.permutation(n)[: n // 5]
        labels = labels_of(
            wrong,
            np.zeros(n, dtype=int),
            [100_000],
            categories=["a", "b"],
            given=np.zeros(n, dtype=int),
            audited=wrong.astype(int),
            raw=first.astype(int),
            twice=(len(twice), int((first != second)[twice].sum())),
        )
        share = analyze_audit(labels).corrected
        held += share.low is not None and share.low <= true <= share.high

    assert 0.92 < held / N_AUDITS < 0.99


def test_a_small_group_in_a_sample_from_strata_has_no_interval():
    wrong = np.array([True] + [False] * 29)
    stratum = np.repeat([0, 1, 2], 10)
    labels = labels_of(wrong, stratum, [4000, 300, 100], groups={"site": ["a"] * 6 + ["b"] * 24})

    small, large = analyze_audit(labels).groups["site"]

    assert (small.share.low, small.share.reason) == (None, "few_labels")
    assert small.share.value == pytest.approx(1 / 6)
    assert large.share.low is not None
