"""Shares of wrong labels: by hand, against enumeration and other libraries, and simulated coverage."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from reports.agreement.audits.estimates import (
    AuditSample,
    corrected_share,
    design_share,
    exact_share,
    poststratified,
    scaled_confusion,
)
from reports.agreement.audits.sample_sizes import allocated, needed_for_margin
from tests.sizes import size


def simple(wrong, population):
    n = len(wrong)
    return AuditSample(
        np.array(wrong), np.arange(n), np.zeros(n, dtype=int), np.array([n]), np.array([population])
    )


@pytest.mark.parametrize(("n_wrong", "n"), [(0, 60), (3, 60), (60, 60), (7, 125)])
def test_clopper_and_pearson(n_wrong, n):
    found = exact_share(n_wrong, n, size=None)

    assert (found.low, found.high) == pytest.approx(proportion_confint(n_wrong, n, method="beta"))


@pytest.mark.parametrize(
    ("n_wrong", "n", "population"), [(3, 60, 100), (0, 30, 100), (5, 20, 45), (20, 20, 50), (1, 5, 1000)]
)
def test_exact_interval_of_a_finite_population_inverts_both_tests(n_wrong, n, population):
    possible = [
        wrong
        for wrong in range(n_wrong, population - (n - n_wrong) + 1)
        if stats.hypergeom(population, wrong, n).sf(n_wrong - 1) > 0.025
        and stats.hypergeom(population, wrong, n).cdf(n_wrong) > 0.025
    ]

    found = exact_share(n_wrong, n, size=population)

    assert (found.low, found.high) == (min(possible) / population, max(possible) / population)


def test_an_audit_of_everything_is_certain():
    assert exact_share(2, 10, size=10).low == exact_share(2, 10, size=10).high == 0.2
    every = design_share(simple([True, False, False, False], 4))
    assert (every.low, every.value, every.high, every.error) == (0.25, 0.25, 0.25, 0.0)


def test_nothing_audited_is_undefined():
    assert exact_share(0, 0, size=100).reason == "no_labels"
    assert design_share(simple([], 100)).reason == "no_labels"
    assert corrected_share(0.1, 0.02, 0, 0).reason == "no_labels"


def test_a_stratified_share_by_hand():
    # 1000 labels with 4 of 40 wrong, 100 labels with 10 of 20: (1000 * .1 + 100 * .5) / 1100.
    wrong = np.array([True] * 4 + [False] * 36 + [True] * 10 + [False] * 10)
    stratum = np.repeat([0, 1], [40, 20])
    sample = AuditSample(wrong, np.arange(60), stratum, np.array([40, 20]), np.array([1000, 100]))

    found = design_share(sample)

    variance = (10 / 11) ** 2 * 0.96 * 0.1 * 0.9 / 39 + (1 / 11) ** 2 * 0.8 * 0.5 * 0.5 / 19
    assert found.value == pytest.approx(150 / 1100)
    assert found.error == pytest.approx(variance**0.5)
    assert found.low < found.value < found.high
    assert design_share(sample, among=stratum == 1).value == 0.5


def test_labels_of_one_item_are_not_independent():
    # Every item has three labels that are all right or all wrong: the items are the sample.
    items = np.array([True] * 5 + [False] * 45)
    by_item = design_share(simple(items, 10**9))
    labels = AuditSample(
        items.repeat(3), np.arange(50).repeat(3), np.zeros(50, int), np.array([50]), np.array([10**9])
    )

    found = design_share(labels)

    assert (found.value, found.error) == pytest.approx((by_item.value, by_item.error))
    assert (found.low, found.high) == pytest.approx((by_item.low, by_item.high))
    assert found.n == 150


def test_one_drawn_unit_has_no_interval():
    sample = AuditSample(
        np.array([True, False]), np.arange(2), np.array([0, 1]), np.array([1, 1]), np.array([9, 1])
    )

    found = design_share(sample)

    assert found.value == pytest.approx(0.9)
    assert found.low is None
    assert found.reason == "single_unit"


def coverage(rng, populations, drawn, *, labels_each):
    """How often the interval holds the true share; populations: by stratum, (units, labels) of right and wrong."""
    truth, held, n = np.concatenate([p.ravel() for p in populations]).mean(), 0, size(4_000, 800)
    stratum = np.repeat(np.arange(len(drawn)), drawn)
    for _ in range(n):
        units = np.concatenate(
            [rng.choice(p, d, replace=False) for p, d in zip(populations, drawn, strict=True)]
        )
        sample = AuditSample(
            units.ravel(),
            np.arange(len(units)).repeat(labels_each),
            stratum,
            np.array(drawn),
            np.array([len(p) for p in populations]),
        )
        found = design_share(sample)
        held += found.low <= truth <= found.high
    return held / n, (0.95 * 0.05 / n) ** 0.5


@pytest.mark.parametrize(
    ("rates", "sizes", "drawn", "labels_each"),
    [
        ([0.05, 0.1, 0.3], [1000, 500, 100], [60, 40, 30], 1),
        ([0.02, 0.02], [2000, 300], [100, 50], 1),
        ([0.5, 0.1], [60, 60], [20, 20], 1),
        ([0.05, 0.15], [1500, 500], [80, 60], 3),
        ([0.2, 0.3, 0.1], [200, 200, 200], [30, 30, 30], 3),
    ],
)
def test_stratified_intervals_cover(rates, sizes, drawn, labels_each):
    rng = np.random.default_rng(16)
    # Within a unit, labels are alike: its own rate is drawn from a beta distribution.
    populations = [
        rng.random((n, labels_each)) < (rng.beta(2 * r, 2 * (1 - r), (n, 1)) if labels_each > 1 else r)
        for r, n in zip(rates, sizes, strict=True)
    ]

    share, error = coverage(rng, populations, drawn, labels_each=labels_each)

    assert 0.93 - 3 * error <= share <= 0.97 + 3 * error


def test_numbers_of_labels_that_vary_count_in_the_interval():
    # Strata of 2% and 90%, units of 0 to 5 labels: how many labels each stratum has is an estimate, too.
    rng = np.random.default_rng(7)
    stratum = np.repeat([0, 1], 1000)
    labels = rng.integers(0, 6, 2000)
    wrong = rng.binomial(labels, np.where(stratum == 0, 0.02, 0.9))
    held, n, sd = 0, size(2_000, 400), []
    for _ in range(n):
        units = np.concatenate(
            [rng.choice(1000, 60, replace=False), 1000 + rng.choice(1000, 60, replace=False)]
        )
        of = np.repeat(np.arange(120), labels[units])
        places = np.arange(len(of)) - np.repeat(np.cumsum(labels[units]) - labels[units], labels[units])
        sample = AuditSample(
            places < wrong[units][of], of, stratum[units], np.array([60, 60]), np.array([1000, 1000])
        )
        found = design_share(sample)
        held += found.low <= wrong.sum() / labels.sum() <= found.high
        sd.append((found.value, found.error))

    assert held / n == pytest.approx(0.95, abs=0.02 + 3 * (0.95 * 0.05 / n) ** 0.5)
    assert np.mean([error for _, error in sd]) == pytest.approx(np.std([value for value, _ in sd]), rel=0.15)


def test_a_stratum_that_nothing_was_drawn_from_leaves_the_share_unknown():
    sample = AuditSample(
        np.array([True, False]), np.arange(2), np.zeros(2, int), np.array([2, 0]), np.array([4, 9])
    )

    found = design_share(sample)

    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.reason == "stratum_not_drawn"


def test_correction_for_auditors_who_err():
    # Both err on 10%: of a true share of 20%, .2 * .9 + .8 * .1 = 26% seem wrong, and 18% of labels differ.
    found = corrected_share(0.26, 0.02, 180, 1000)

    assert found.value == pytest.approx(0.2)
    assert found.low < 0.2 < found.high
    assert corrected_share(0.26, 0.02, 0, 1000).error == pytest.approx(0.02)
    assert corrected_share(0.26, 0.02, 500, 1000).reason == "auditors_differ"


def test_the_confusion_matrix_counts_the_population():
    sample = AuditSample(
        np.zeros(3, bool), np.arange(3), np.array([0, 0, 1]), np.array([2, 1]), np.array([10, 7])
    )

    found = scaled_confusion(sample, np.array([0, 1, 1]), np.array([0, -1, 1]), 2)

    assert found.tolist() == [[5.0, 0.0, 0.0], [0.0, 7.0, 5.0]]


def test_rows_of_the_confusion_matrix_sum_to_the_known_numbers_of_given_labels():
    """By hand: of 8 labels given as a, 6 are a and 2 are b, so of 114 about 85.5 and 28.5."""
    cells = np.array([[6.0, 2.0, 0.0, 0.0], [1.0, 2.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]])

    found = poststratified(cells, np.array([114, 184, 0]))
    unseen = poststratified(cells, np.array([114, 184, 3]))

    assert found.tolist() == [[85.5, 28.5, 0.0, 0.0], [46.0, 92.0, 0.0, 46.0], [0.0, 0.0, 0.0, 0.0]]
    assert np.isnan(unseen[2]).all()
    assert unseen[:2].sum(axis=1).tolist() == [114.0, 184.0]


@pytest.mark.parametrize(
    ("share", "margin", "population", "n"),
    # Cochran 1977, section 4: n0 = 384.16 at 50% and 5 points; the usual tables have 278 of 1,000 and 370 of 10,000.
    [(0.5, 0.05, None, 385), (0.5, 0.05, 1000, 278), (0.5, 0.05, 10_000, 370), (0.5, 0.5, 3, 2)],
)
def test_labels_needed_for_a_margin(share, margin, population, n):
    assert needed_for_margin(share, margin, size=population) == n


def test_allocation_in_proportion():
    assert allocated(100, [1000, 500, 50]).tolist() == [65, 32, 3]
    assert allocated(10, [3, 2, 1]).tolist() == [3, 2, 1]
    assert allocated(5, [100, 100, 1]).tolist() == [2, 2, 1]


def test_optimal_allocation_follows_size_and_spread():
    sizes, shares = np.array([10_000, 5_000, 500]), np.array([0.02, 0.1, 0.5])
    weight = sizes * np.sqrt(shares * (1 - shares))

    found = allocated(500, sizes, shares=shares)

    assert found.sum() == 500
    assert np.abs(found - 500 * weight / weight.sum()).max() < 1


def test_optimal_allocation_takes_no_more_than_there_is():
    found = allocated(30, [10, 5, 100], shares=[0.0, 0.5, 0.0])

    assert found.sum() == 30
    assert found[1] == 5


@pytest.mark.parametrize(
    "call",
    [
        lambda: exact_share(5, 3, size=None),
        lambda: exact_share(1, 5, size=4),
        lambda: corrected_share(0.1, 0.1, 5, 4),
        lambda: needed_for_margin(0.0, 0.05),
        lambda: needed_for_margin(0.5, 0.05, design_effect=0.5),
        lambda: allocated(0, [1]),
        lambda: allocated(5, [10, 10], shares=[0.5]),
        lambda: AuditSample(np.array([True]), np.array([0]), np.array([0]), np.array([2]), np.array([1])),
    ],
)
def test_impossible_samples_are_refused(call):
    with pytest.raises(ValueError, match=r"must|got|at least|can't|shares"):
        call()
