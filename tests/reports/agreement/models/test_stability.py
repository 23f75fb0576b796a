"""Whether a model says the same again."""

import numpy as np
import pytest

from reports.agreement.models.stability import stability
from reports.agreement.results import Reason


def test_items_whose_runs_are_all_the_same():
    # Item 1 three times the same, 2 with another label, 3 once only, 4 twice the same.
    found = stability(np.array([1, 1, 1, 2, 2, 3, 4, 4]), np.array([0, 0, 0, 1, 2, 2, 5, 5]))

    assert (found.n_items, found.n_runs, found.n_same) == (3, 3, 2)
    assert found.share == pytest.approx(2 / 3)
    # Wilson's interval of 2 in 3.
    assert (found.ci_low, found.ci_high) == pytest.approx((0.207660, 0.938508), abs=1e-6)


def test_numbers_are_the_same_if_they_are_equal():
    assert stability(np.array([1, 1, 2, 2]), np.array([0.5, 0.5, 0.5, 0.25])).n_same == 1


def test_a_single_run_says_nothing():
    found = stability(np.array([1, 2]), np.array([0, 0]))

    assert (found.share, found.reason, found.n_runs) == (None, Reason.NO_OVERLAP, 1)
    assert stability(np.empty(0, dtype=int), np.empty(0)).n_runs == 0
