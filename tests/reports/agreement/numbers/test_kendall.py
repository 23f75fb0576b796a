"""Kendall's W of numbers against R and SciPy, and where it is undefined."""

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from reports.agreement.numbers.kendall import kendall_w, kendall_w_zero
from reports.agreement.numbers.matrix import NumberSample
from tests.reports.agreement.numbers.published import ANXIETY, PEFR, SHROUT_FLEISS


@pytest.mark.parametrize(
    ("values", "w", "chi_squared"),
    [
        (SHROUT_FLEISS, 0.887037037037037, 17.7407407407407),
        (PEFR, 0.949754901960784, 30.3921568627451),
        (ANXIETY, 0.53965687595437, 30.7604419293991),
    ],
)
def test_ties_are_corrected_for(values, w, chi_squared):
    """R: irr::kendall(x, correct = TRUE)."""
    sample = NumberSample(values)

    assert kendall_w(sample).value == pytest.approx(w, abs=1e-12)
    assert kendall_w_zero(sample).statistic[0] == pytest.approx(chi_squared, abs=1e-9)
    assert kendall_w_zero(sample).df[0] == len(values) - 1


def test_the_test_is_that_of_friedman():
    expected = friedmanchisquare(*ANXIETY)

    found = kendall_w_zero(NumberSample(ANXIETY))

    assert (found.statistic[0], found.p_value[0]) == pytest.approx(tuple(expected), abs=1e-9)


def test_equal_rankings_agree_fully_whatever_the_numbers():
    assert kendall_w(NumberSample([[1, 10], [2, 11], [3, 500]])).value == 1


def test_only_complete_items_are_ranked():
    values = np.vstack([SHROUT_FLEISS, [[1, np.nan, 1, 1]]])

    found = kendall_w(NumberSample(values))

    assert found.value == pytest.approx(0.887037037037037, abs=1e-12)
    assert (found.left_out.n_items, found.left_out.n_labels) == (1, 3)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([[np.nan]], "no_items"),
        ([[1], [2]], "no_overlap"),
        ([[1, 2, np.nan], [np.nan, 1, 2]], "no_complete_items"),
        ([[1, 2]], "n<2"),
        ([[1, 2], [1, 2]], "no_variation"),
    ],
)
def test_undefined(values, reason):
    sample = NumberSample(values)

    assert (kendall_w(sample).value, str(kendall_w(sample).reason)) == (None, reason)
    assert np.isnan(kendall_w_zero(sample).p_value[0])


def test_its_error_is_close_to_leaving_out_each_item():
    random = np.random.default_rng(5)
    values = random.normal(size=(80, 1)) + random.normal(size=(80, 4))
    n = len(values)

    found = kendall_w(NumberSample(values))

    without = np.array([kendall_w(NumberSample(np.delete(values, item, axis=0))).value for item in range(n)])
    jackknife = ((n - 1) * ((without - without.mean()) ** 2).mean()) ** 0.5
    assert found.se == pytest.approx(jackknife, rel=0.1)
    assert found.ci_low < found.value < found.ci_high


def test_more_ranks_than_codes_are_named(monkeypatch):
    monkeypatch.setattr("reports.agreement.numbers.kendall.MAX_RANKS", 3)

    found = kendall_w(NumberSample(SHROUT_FLEISS))

    assert (found.value, str(found.reason)) == (None, "too_many_values")
