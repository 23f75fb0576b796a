"""Prevalence and means with few human labels: figures of other programs, undefined cases, coverage."""

import numpy as np
import pytest

from reports.agreement.models.prediction_powered import (
    effective_sample_size,
    labels_needed,
    prediction_powered,
)
from reports.agreement.models.rogan_gladen import calibration_split, prevalences, rogan_gladen
from reports.agreement.results import Reason
from tests.sizes import size

# 16 true positives, 2 false negatives, 5 false positives, 17 true negatives.
Y = np.repeat([1.0, 1.0, 0.0, 0.0], [16, 2, 5, 17])
F = np.repeat([1.0, 0.0, 1.0, 0.0], [16, 2, 5, 17])
OTHERS = np.repeat([1.0, 0.0], [120, 80])


@pytest.mark.parametrize(
    ("tuning", "value", "low", "high", "p"),
    [
        (0.0, 0.45, 0.295828, 0.604172, 0.525010),
        (1.0, 0.525, 0.380515, 0.669485, 0.734512),
        (None, 0.492055, 0.369122, 0.614987, 0.899199),
    ],
)
def test_a_share_as_ppi_py_has_it(tuning, value, low, high, p):
    found = prediction_powered(Y, F, OTHERS, tuning=tuning)

    assert (found.value, found.ci_low, found.ci_high) == pytest.approx((value, low, high), abs=1e-6)
    assert found.p_value(0.5) == pytest.approx(p, abs=1e-6)
    if tuning is None:
        assert found.tuning == pytest.approx(0.560731, abs=1e-6)


def test_a_mean_as_ppi_py_has_it():
    y = np.array([3.0, 4, 2, 5, 4, 1, 2, 3, 5, 4])
    f = np.array([3.2, 3.9, 2.5, 4.4, 4.1, 1.8, 2.2, 3.1, 4.9, 3.6])
    others = np.array(
        [2, 3, 4, 3.5, 2.5, 4.5, 3, 2.8, 3.9, 4.2, 1.9, 3.3, 2.7, 4.8, 3.1, 2.4, 3.6, 4, 2.9, 3.8]
    )

    alone = prediction_powered(y, f, others, tuning=0, confidence=0.9)
    found = prediction_powered(y, f, others, confidence=0.9)

    assert (alone.value, alone.ci_low, alone.ci_high) == pytest.approx((3.3, 2.640006, 3.959994), abs=1e-6)
    # The best tuning would be 1.06974.
    assert found.tuning == 1
    assert (found.value, found.ci_low, found.ci_high) == pytest.approx((3.225, 2.873818, 3.576182), abs=1e-6)
    assert found.is_of_few


def test_what_cannot_be_estimated():
    one = prediction_powered(Y[:1], F[:1], OTHERS)
    none_left = prediction_powered(Y, F, np.empty(0))
    constant = prediction_powered(np.ones(20), np.ones(20), OTHERS)
    silent = prediction_powered(Y, np.ones(40), np.ones(50))

    assert [each.reason for each in (one, none_left, constant)] == [
        Reason.ONE_ITEM,
        Reason.NO_OVERLAP,
        Reason.NO_VARIATION,
    ]
    assert one.value is None
    assert one.p_value(0.5) is None
    # A model that always says the same adds nothing.
    assert (silent.tuning, silent.correlation) == (0, None)
    assert silent.value == pytest.approx(0.45)
    with pytest.raises(ValueError, match="as many"):
        prediction_powered(Y, F[1:], OTHERS)
    with pytest.raises(ValueError, match="tuning"):
        prediction_powered(Y, F, OTHERS, tuning=1.5)


@pytest.mark.parametrize("label", [0.0, 1 / 3, 1.0])
def test_labels_that_never_vary_are_not_certain(label):
    # None of 40 in truth leaves up to 9% by Clopper and Pearson: an interval of no width would be wrong.
    found = prediction_powered(np.full(40, label), F, OTHERS)

    assert found.value == pytest.approx(label)
    assert (found.se, found.ci_low, found.ci_high, found.worth) == (None, None, None, None)
    assert found.reason == Reason.DEGENERATE_SE


def test_how_many_human_labels_the_model_is_worth():
    found = [effective_sample_size(200, 10_000, r) for r in (0.5, 0.7, 0.9)]

    assert found == pytest.approx([264.94, 384.91, 971.43], abs=0.005)
    assert effective_sample_size(200, 10_000, 0) == 200
    assert effective_sample_size(200, 10_000, 1) == pytest.approx(10_200)
    with pytest.raises(ValueError, match="needs"):
        effective_sample_size(0, 10, 0.5)


@pytest.mark.parametrize("r", [0.0, 0.5, 0.9])
def test_how_many_human_labels_an_interval_needs(r):
    n = labels_needed(0.03, sd=0.5, n_items=10_000, r=r)

    assert n is not None
    enough = (1.959964 * 0.5 / 0.03) ** 2
    assert effective_sample_size(n, 10_000 - n, r) >= enough > effective_sample_size(n - 1, 10_000 - n + 1, r)
    if not r:
        assert n == 1068


def test_no_number_of_labels_makes_some_intervals():
    assert labels_needed(0.01, sd=0.5, n_items=500, r=0.9) is None
    with pytest.raises(ValueError, match="above 0"):
        labels_needed(0, sd=0.5, n_items=500, r=0.9)


@pytest.mark.parametrize(
    ("p", "q0", "q1", "n", "m", "confidence", "value", "low", "high"),
    [
        (0.4, 0.7, 0.9, 1000, 200, 0.95, 0.166667, 0.0563507, 0.2627330),
        (0.62, 0.85, 0.90, 2000, 150, 0.95, 0.626667, 0.570947, 0.687107),
        (0.62, 0.85, 0.90, 2000, 150, 0.90, 0.626667, 0.580214, 0.677706),
    ],
)
def test_rogan_and_gladen_as_the_authors_program_has_it(p, q0, q1, n, m, confidence, value, low, high):
    found = rogan_gladen(p, n, sensitivity=q1, n_true=m, specificity=q0, n_false=m, confidence=confidence)

    assert (found.value, found.ci_low, found.ci_high) == pytest.approx((value, low, high), abs=1e-6)


def test_error_rates_that_do_not_fit_give_no_interval():
    # Cut to 0, the interval would be (0, 0): certain, and wrong.
    found = rogan_gladen(0.1, 1000, sensitivity=0.9, n_true=200, specificity=0.8, n_false=200)

    assert (found.value, found.is_outside, found.ci_low, found.ci_high) == (0, True, None, None)


def test_a_coin_and_no_calibration_say_nothing():
    coin = rogan_gladen(0.4, 1000, sensitivity=0.5, n_true=200, specificity=0.5, n_false=200)
    none = rogan_gladen(0.4, 1000, sensitivity=0.9, n_true=0, specificity=0.5, n_false=200)

    assert (coin.value, coin.reason, none.reason) == (None, Reason.NO_VARIATION, Reason.NO_ITEMS)
    with pytest.raises(ValueError, match="from 0 to 1"):
        rogan_gladen(1.4, 1000, sensitivity=0.5, n_true=200, specificity=0.5, n_false=200)


@pytest.mark.parametrize(
    ("n", "p", "n_pilot", "expected"), [(200, 0.4, 10, (64, 136)), (500, 0.5, 0, (183, 317))]
)
def test_how_calibration_items_are_split(n, p, n_pilot, expected):
    assert calibration_split(n, positive=p, sensitivity=0.9, specificity=0.7, n_pilot=n_pilot) == expected


def test_a_split_needs_rates_that_say_something():
    with pytest.raises(ValueError, match="below 1"):
        calibration_split(200, positive=0.4, sensitivity=1, specificity=0.7)
    with pytest.raises(ValueError, match="between 0 and 1"):
        calibration_split(200, positive=0, sensitivity=0.9, specificity=0.7)


RATES = np.array([[0.8, 0.15, 0.05], [0.1, 0.85, 0.05], [0.05, 0.15, 0.8]])


def test_more_categories():
    found = prevalences((RATES * 100).astype(np.int64), np.array([300, 450, 250]), seed=0)

    assert [each.value for each in found] == pytest.approx([0.3047619, 0.4285714, 0.2666667], abs=1e-7)
    for each in found:
        assert each.ci_low < each.value < each.ci_high


def test_more_categories_that_say_nothing():
    alike = prevalences(np.array([[10, 10], [10, 10]]), np.array([5, 5]), seed=0)
    empty = prevalences(np.array([[10, 10], [0, 0]]), np.array([5, 5]), seed=0)
    outside = prevalences(np.array([[80, 20], [10, 90]]), np.array([95, 5]), seed=0)

    assert {each.reason for each in alike} == {Reason.NO_VARIATION}
    assert {each.reason for each in empty} == {Reason.NO_ITEMS}
    assert [(each.value, each.is_outside, each.ci_low) for each in outside] == [
        (1, True, None),
        (0, True, None),
    ]
    with pytest.raises(ValueError, match="calibration must be"):
        prevalences(np.zeros((2, 3), dtype=np.int64), np.array([5, 5]), seed=0)


def test_the_interval_of_prediction_powered_shares_covers():
    random, n_studies = np.random.default_rng(17), size(4000, 1000)
    covered = shorter = 0
    for _ in range(n_studies):
        y = (random.random(1500) < 0.3).astype(np.float64)
        f = np.where(random.random(1500) < 0.85, y, 1 - y)
        found = prediction_powered(y[:150], f[:150], f[150:])
        alone = prediction_powered(y[:150], f[:150], f[150:], tuning=0)
        covered += found.ci_low <= 0.3 <= found.ci_high
        shorter += found.se < alone.se
    assert 0.93 <= covered / n_studies <= 0.97
    assert shorter > 0.99 * n_studies


def test_the_interval_of_rogan_and_gladen_covers():
    random, n_studies = np.random.default_rng(19), size(8000, 3000)
    p = 0.3 * 0.85 + 0.7 * 0.1
    covered = 0
    for _ in range(n_studies):
        found = rogan_gladen(
            random.binomial(1000, p) / 1000,
            1000,
            sensitivity=random.binomial(120, 0.85) / 120,
            n_true=120,
            specificity=random.binomial(120, 0.9) / 120,
            n_false=120,
        )
        covered += found.ci_low is not None and found.ci_low <= 0.3 <= found.ci_high
    assert 0.93 <= covered / n_studies <= 0.97


def test_the_intervals_of_more_categories_cover():
    random, n_studies = np.random.default_rng(23), size(600, 250)
    truth = np.array([0.3, 0.45, 0.25])
    covered = np.zeros(3)
    for study in range(n_studies):
        calibration = np.stack([random.multinomial(100, row) for row in RATES])
        found = prevalences(
            calibration, random.multinomial(1000, truth @ RATES), seed=study, n_replicates=400
        )
        covered += [each.ci_low <= right <= each.ci_high for each, right in zip(found, truth, strict=True)]
    assert np.all((covered / n_studies >= 0.92) & (covered / n_studies <= 0.98))
