"""Limits of agreement against the paper and R, and where they are undefined."""

import numpy as np
import pytest

from reports.agreement.numbers.bland_altman import LimitsOfAgreement, limits_of_agreement
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.pairs import all_number_pairs
from tests.reports.agreement.numbers.published import ANXIETY, PEFR


def limits_of(values: object) -> LimitsOfAgreement:
    return limits_of_agreement(all_number_pairs(NumberSample(values)))


def test_the_bias_of_the_peak_flow_meters_is_as_printed():
    """Bland & Altman 1986, Lancet i, 307-310: mean difference -2.1 l/min, standard deviation 38.8 l/min."""
    found = limits_of(PEFR)

    assert round(found.bias.value[0], 1) == -2.1
    assert round(found.sd[0], 1) == 38.8


def test_the_limits_of_the_peak_flow_meters():
    """R: t.test(x - y), and mean(d) +- 1.96 sd(d) with the errors of Bland & Altman 1999.

    Intervals of the limits: mean(d) + sd(d) qt(c(.025, .975), 16, ncp = 1.96 sqrt(17)) / sqrt(17), given as 48.86 and
    119.93 by an independent check.
    """
    found = limits_of(PEFR)

    bias, lower, upper = found.bias.at(0), found.lower.at(0), found.upper.at(0)
    assert (bias.value, bias.se) == pytest.approx((-2.11764705882353, 9.40192500350999), abs=1e-9)
    assert (bias.ci_low, bias.ci_high) == pytest.approx((-22.0488376966452, 17.8135435789981), abs=1e-9)
    assert (lower.value, lower.se) == pytest.approx((-78.097301611094, 16.3951079847145), abs=1e-9)
    assert (lower.ci_low, lower.ci_high) == pytest.approx((-124.16282818, -53.09606136), abs=1e-6)
    assert (upper.value, upper.se) == pytest.approx((73.8620074934469, 16.3951079847145), abs=1e-9)
    assert (upper.ci_low, upper.ci_high) == pytest.approx((48.86076712, 119.92753394), abs=1e-6)


def test_intervals_of_the_limits_hold_the_limits():
    """A derivation of its own: of 20,000 studies of 8 normal differences, 95% hold the true limit."""
    d = np.random.default_rng(4).standard_normal((8, 20_000))
    one = limits_of(np.stack([d[:, 0], np.zeros(8)], axis=1))
    factors = (one.upper.ci_low - one.bias.value) / one.sd, (one.upper.ci_high - one.bias.value) / one.sd
    mean, sd = d.mean(axis=0), d.std(axis=0, ddof=1)

    below, above = (mean + factors[0] * sd > 1.96).mean(), (mean + factors[1] * sd < 1.96).mean()

    assert (below, above) == pytest.approx((0.025, 0.025), abs=0.003)


def test_no_bias_is_no_missing_bias():
    """R: t.test(anxiety$rater1 - anxiety$rater2)."""
    bias = limits_of(ANXIETY[:, :2]).bias.at(0)

    assert (bias.value, bias.se) == pytest.approx((0, 0.362738125055006), abs=1e-12)
    assert bias.ci_high == pytest.approx(0.759219621191097, abs=1e-12)


def test_the_other_order_of_raters_turns_the_limits_round():
    one, other = limits_of(PEFR), limits_of(PEFR[:, ::-1])

    assert other.bias.value[0] == -one.bias.value[0]
    assert other.lower.value[0] == pytest.approx(-one.upper.value[0], abs=1e-12)


def test_one_item_has_a_bias_alone():
    found = limits_of([[5.0, 3.0]])

    assert (found.bias.at(0).value, found.bias.at(0).se, str(found.bias.at(0).reason)) == (2.0, None, "n<2")
    assert np.isnan(found.sd[0])
    assert found.lower.at(0).value is None


def test_differences_that_are_all_equal_have_no_interval():
    found = limits_of([[0.3, 0.1], [0.4, 0.2], [1.7, 1.5]])

    assert found.sd[0] == 0
    assert (found.upper.at(0).se, found.upper.at(0).ci_high) == (0, None)
    assert found.upper.at(0).value == pytest.approx(0.2)
    assert found.upper.at(0).reason == "degenerate_se"


def test_the_unit_of_the_numbers_is_that_of_the_limits():
    numbers, factor = np.array([[1, 2], [3, 3], [5, 4], [1, 1], [8, 6]]), 2.0**600

    found, plain = (
        limits_of_agreement(all_number_pairs(NumberSample(each))) for each in (numbers * factor, numbers)
    )

    assert found.sd[0] / factor == pytest.approx(plain.sd[0], rel=1e-12)
    assert found.upper.ci_high[0] / factor == pytest.approx(plain.upper.ci_high[0], rel=1e-12)
