"""Calibration against values worked by hand, against scikit-learn, and against its own identities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from reports.agreement.calibration import MAX_STEPS, calibration, steps_of

CONFIDENCES = np.array([0.25, 0.25, 0.75, 0.75, 0.75, 0.75, 1, 1, 1, 1])
RIGHT = np.array([0, 1, 1, 1, 0, 1, 1, 1, 1, 0], dtype=bool)


def found(confidences=CONFIDENCES, right=RIGHT):
    result = calibration(confidences, right, steps_of(confidences))
    assert result is not None
    return result


def test_a_table_worked_by_hand():
    """7 of 10 right: 1 of 2 at 25%, 3 of 4 at 75%, 3 of 4 at 100%.

    Reliability (2 x .25² + 4 x .25²) / 10, resolution (2 x .2² + 8 x .05²) / 10, uncertainty .7 x .3.
    """
    table = found()

    assert table.n.tolist() == [2, 4, 4]
    assert table.n_right.tolist() == [1, 3, 3]
    assert table.stated.tolist() == [0.25, 0.75, 1.0]
    assert_allclose(table.share, [0.5, 0.75, 0.75])
    assert_allclose(
        [table.reliability, table.resolution, table.uncertainty, table.brier, table.error],
        [0.0375, 0.01, 0.21, 0.2375, 0.15],
    )
    assert table.within == 0


def test_the_interval_of_a_step_is_wilsons():
    """3 of 4: 0.300642 to 0.954413, as Hmisc::binconf(3, 4) has it in R."""
    table = found()

    assert_allclose([table.low[1], table.high[1]], [0.300642, 0.954413], atol=1e-6)


def test_brier_score_and_curve_are_those_of_scikit_learn():
    chance = np.random.default_rng(7)
    confidences = chance.uniform(size=500)
    right = chance.uniform(size=500) < confidences**1.5

    table = found(confidences, right)

    shares, stated = calibration_curve(right, confidences, n_bins=MAX_STEPS, strategy="uniform")
    assert_allclose(table.brier, brier_score_loss(right, confidences))
    assert_allclose(table.share, shares)
    assert_allclose(table.stated, stated)
    # By its definition, from what scikit-learn has.
    weights = np.histogram(confidences, bins=np.linspace(0, 1, MAX_STEPS + 1))[0] / 500
    assert_allclose(table.error, weights @ np.abs(shares - stated))


@given(st.lists(st.tuples(st.floats(0, 1, allow_subnormal=False), st.booleans()), min_size=1, max_size=60))
def test_the_parts_make_up_the_brier_score(pairs):
    confidences = np.array([probability for probability, _ in pairs])
    right = np.array([is_right for _, is_right in pairs])

    table = found(confidences, right)

    parts = table.reliability - table.resolution + table.uncertainty + table.within
    assert_allclose(parts, table.brier, atol=1e-12)
    assert table.n.sum() == len(pairs)
    assert 0 <= table.error <= 1


def test_perfect_calibration_has_no_error():
    confidences = np.array([0.5, 0.5, 1.0, 0.0])
    right = np.array([True, False, True, False])

    table = found(confidences, right)

    assert (table.error, table.reliability, table.brier) == (0, 0, 0.125)


def test_few_distinct_probabilities_are_steps_and_many_are_bins():
    few = steps_of(np.array([0.3, 0.1, 0.3]))
    assert (few.of.tolist(), few.low.tolist(), few.high.tolist()) == ([1, 0, 1], [0.1, 0.3], [0.1, 0.3])

    many = steps_of(np.array([0, 0.05, 0.1, 0.11, 0.2, 0.31, 0.42, 0.53, 0.64, 0.75, 1.0]))
    assert_allclose(many.high, [0.1, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0])
    # 0, .05 and .1 are in the first, .11 and .2 in the second.
    assert many.of.tolist()[:5] == [0, 0, 0, 1, 1]


def test_a_step_that_a_part_does_not_have_is_undefined():
    steps = steps_of(CONFIDENCES)
    part = steps.of == 2
    table = calibration(CONFIDENCES[part], RIGHT[part], type(steps)(steps.of[part], steps.low, steps.high))

    assert table is not None
    assert table.n.tolist() == [0, 0, 4]
    assert np.isnan(table.share[:2]).all()
    assert np.isnan(table.low[:2]).all()
    assert table.error == 0.25


def test_nothing_has_no_calibration():
    nothing = np.empty(0)

    assert calibration(nothing, nothing.astype(bool), steps_of(nothing)) is None


@pytest.mark.parametrize("wrong", [-0.1, 1.1])
def test_what_is_no_probability_is_refused(wrong):
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        steps_of(np.array([0.5, wrong]))
