"""The difference between two values of Lin's concordance."""

import numpy as np
import pytest

from reports.agreement.numbers.concordance import lin_concordance
from reports.agreement.numbers.concordance_difference import concordance_difference
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.pairs import all_number_pairs


def pairs_of_numbers(seed: int, n: int, noise: float) -> np.ndarray:
    draw = np.random.default_rng(seed)
    truth = draw.normal(50, 10, n)
    return np.stack((truth + draw.normal(0, noise, n), truth + draw.normal(1, noise, n)), axis=1)


def difference(first, second, *, shift=0):
    items = np.arange(len(first)), np.arange(len(second)) + shift
    return concordance_difference(first, second, first_items=items[0], second_items=items[1])


def lin(numbers):
    return lin_concordance(all_number_pairs(NumberSample(numbers))).coefficient


def test_the_values_are_lins():
    close, far = pairs_of_numbers(1, 60, 2), pairs_of_numbers(2, 40, 8)

    found = difference(close, far, shift=1000)

    assert found.first == pytest.approx(lin(close).value[0], abs=1e-12)
    assert found.second == pytest.approx(lin(far).value[0], abs=1e-12)
    assert (found.n_first, found.n_second, found.n_shared) == (60, 40, 0)


def test_without_shared_items_the_error_is_close_to_that_of_both_formulas():
    """The jackknife and Lin's large-sample error come to the same for many normal numbers."""
    close, far = pairs_of_numbers(3, 4000, 3), pairs_of_numbers(4, 4000, 6)

    found = difference(close, far, shift=10_000)

    assert found.se == pytest.approx(np.hypot(lin(close).se[0], lin(far).se[0]), rel=0.05)
    # Between those of the smaller side and of both.
    assert 3999 <= found.df <= 7998


def test_the_same_numbers_do_not_differ():
    numbers = pairs_of_numbers(5, 30, 4)

    found = difference(numbers, numbers)

    assert (found.value, found.se, found.reason, found.n_shared) == (0, 0, "degenerate_se", 30)


def test_shared_items_are_paired():
    before = pairs_of_numbers(6, 200, 5)
    after = before + np.random.default_rng(7).normal(0, 0.5, before.shape)

    paired, apart = difference(after, before), difference(after, before, shift=1000)

    assert paired.value == apart.value
    assert paired.se < apart.se / 3
    assert paired.df == 199


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        (np.empty((0, 2)), "no_overlap"),
        ([[3, 3], [3, 3]], "no_variation"),
        ([[1, 2], [2, 1]], "too_few_items"),
    ],
)
def test_what_cannot_be_compared_says_why(numbers, reason):
    found = difference(numbers, pairs_of_numbers(8, 20, 3), shift=100)

    assert (found.reason, found.p_value) == (reason, None)
