"""Intervals of larger studies: that of the study at its own size, and that of its data several times over."""

import numpy as np
import pytest

from reports.agreement.few_items import LEAST_ITEMS
from reports.agreement.numbers.icc import intraclass_correlations
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.overall.chance_corrected import FLEISS_KAPPA, PERCENT_AGREEMENT
from reports.agreement.overall.statistic import estimate
from reports.agreement.planning import extrapolation
from reports.agreement.planning.criterion_decision import CriterionOutcome, decide
from reports.agreement.sample import Sample, Scale
from reports.agreement.sets.alpha import set_alpha
from reports.agreement.sets.members import SetSample
from tests.reports.agreement.samples import from_codes

CONFIDENCE = 0.95


@pytest.fixture
def table(rng):
    """(n, k) codes of three raters who agree in most."""
    truth = rng.integers(0, 3, size=(40, 1))
    return np.where(rng.random((40, 3)) < 0.75, truth, rng.integers(0, 3, size=(40, 3)))


def labeled(numbers):
    n, k = numbers.shape
    items, raters = (each.ravel() for each in np.indices((n, k)))
    return NumberSample.from_labels(items, raters, numbers.ravel(), n_items=n, n_raters=k)


@pytest.mark.parametrize(
    ("statistic", "limits_of"),
    [(FLEISS_KAPPA, extrapolation.over_items), (PERCENT_AGREEMENT, extrapolation.of_share)],
)
@pytest.mark.parametrize("times", [1, 4])
def test_the_same_items_several_times_over(table, statistic, limits_of, times):
    scale = Scale(3)
    found = estimate(statistic, Sample(from_codes(table, n_categories=3)), scale)
    repeated = estimate(statistic, Sample(from_codes(np.tile(table, (times, 1)), n_categories=3)), scale)

    low, high = limits_of(found.value, se=found.se, n_items=40, confidence=CONFIDENCE)(40 * times)

    assert (low, high) == pytest.approx((repeated.ci_low, repeated.ci_high), abs=1e-9)


@pytest.mark.parametrize("times", [1, 3])
def test_sets_several_times_over(rng, times):
    chosen = rng.random((30, 1, 4)) < 0.4
    chosen = np.where(rng.random((30, 3, 4)) < 0.8, chosen, ~chosen)

    def alpha(of):
        items, raters = (each.ravel() for each in np.indices(of.shape[:2]))
        return set_alpha(SetSample.from_labels(items, raters, of.reshape(-1, 4)), "masi")

    found, repeated = alpha(chosen), alpha(np.tile(chosen, (times, 1, 1)))
    low, high = extrapolation.over_items(found.value, se=found.se, n_items=30, confidence=CONFIDENCE)(
        30 * times
    )

    # Alpha itself moves a little with the number of labels: 1 / N.
    assert (low, high) == pytest.approx((repeated.ci_low, repeated.ci_high), abs=0.008)
    assert high - low == pytest.approx(repeated.ci_high - repeated.ci_low, rel=0.02)


@pytest.fixture
def ratings(rng):
    """Four raters, one of whom rates higher."""
    return rng.normal(size=(25, 1)) * 2 + rng.normal(size=(25, 4)) + np.array([0.0, 0.2, -0.2, 1.0])


def limits_of_icc(name, found, n_items):
    value, k = found[name].value, 4
    if name == "icc_a_1":
        return extrapolation.of_agreement(
            value, consistency=found["icc_c_1"].value, n_raters=k, n_items=n_items, confidence=CONFIDENCE
        )
    of = extrapolation.of_one_way if name == "icc_1_1" else extrapolation.of_consistency
    return of(value, n_raters=k, confidence=CONFIDENCE)


@pytest.mark.parametrize("name", ["icc_a_1", "icc_c_1", "icc_1_1"])
def test_at_its_own_size_a_study_has_its_own_interval(ratings, name):
    found = intraclass_correlations(labeled(ratings))

    low, high = limits_of_icc(name, found, 25)(25)

    assert (low, high) == pytest.approx((found[name].ci_low, found[name].ci_high), abs=1e-9)


@pytest.mark.parametrize("name", ["icc_a_1", "icc_c_1", "icc_1_1"])
def test_numbers_several_times_over(ratings, name):
    found = intraclass_correlations(labeled(ratings))
    repeated = intraclass_correlations(labeled(np.tile(ratings, (8, 1))))[name]

    low, high = limits_of_icc(name, found, 25)(200)

    # The same items again are a little less than new ones: 24/25 of the variance between them.
    assert (low, high) == pytest.approx((repeated.ci_low, repeated.ci_high), abs=0.02)


def test_raters_alike_by_chance_keep_their_mean_squares(rng):
    numbers = rng.normal(size=(25, 1)) + rng.normal(size=(25, 4)) * 0.5
    numbers -= numbers.mean(axis=0)
    found = intraclass_correlations(labeled(numbers))

    low, high = limits_of_icc("icc_a_1", found, 25)(25)

    assert found["icc_a_1"].value > found["icc_c_1"].value
    assert (low, high) == pytest.approx((found["icc_a_1"].ci_low, found["icc_a_1"].ci_high), abs=1e-9)


def test_more_items_do_not_replace_raters(ratings):
    found = intraclass_correlations(labeled(ratings))
    of = found["icc_a_1"]
    asked = {"value": of.value, "low": of.ci_low, "high": of.ci_high, "n_items": 25}

    near, far = (
        decide(**asked, criterion=of.value - gap, limits=limits_of_icc("icc_a_1", found, 25))
        for gap in (0.02, 0.9 * (of.value - of.ci_low))
    )

    assert (near.outcome, near.n_more, near.needs_raters) == (CriterionOutcome.UNDECIDED, None, True)
    assert far.n_more
    assert not far.needs_raters
    at = limits_of_icc("icc_a_1", found, 25)
    criterion = of.value - 0.9 * (of.value - of.ci_low)
    assert at(25 + far.n_more)[0] >= criterion > at(24 + far.n_more)[0]


@pytest.mark.parametrize(("low", "high"), [(0.7, 0.9), (0.2, 0.5), (0.5, 0.9)])
def test_an_interval_from_too_few_items_decides_nothing(low, high):
    found = decide(
        value=(low + high) / 2, low=low, high=high, criterion=0.6, n_items=LEAST_ITEMS - 1, limits=None
    )

    assert (found.outcome, found.n_more, found.has_few_items) == (CriterionOutcome.UNDECIDED, 1, True)


@pytest.mark.parametrize("n_items", [LEAST_ITEMS, None])
def test_an_interval_from_enough_items_or_an_unknown_number_decides(n_items):
    found = decide(value=0.8, low=0.7, high=0.9, criterion=0.6, n_items=n_items, limits=None)

    assert (found.outcome, found.has_few_items) == (CriterionOutcome.MET, False)
