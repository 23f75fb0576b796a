"""Which items a model may decide: published limits, no threshold where none is guaranteed, and the guarantee."""

import numpy as np
import pytest

from reports.agreement.models.selective import error_bound, risk_curve, threshold
from tests.sizes import size


@pytest.mark.parametrize(
    ("wrong", "n", "tenth", "twentieth"),
    [
        (0, 30, 0.0738812712, 0.0950338529),
        (3, 30, 0.2092994656, 0.2385978573),
        (5, 60, 0.1491031456, 0.1672630764),
        (10, 100, 0.1498825923, 0.1637176233),
        (12, 100, 0.1726331152, 0.1871661098),
    ],
)
def test_the_bound_is_clopper_and_pearsons(wrong, n, tenth, twentieth):
    found = [float(error_bound(np.array(wrong), np.array(n), delta=delta)) for delta in (0.1, 0.05)]

    # SciPy, beta.ppf(1 - delta, k + 1, n - k).
    assert found == pytest.approx([tenth, twentieth], abs=1e-9)


def test_a_bound_of_nothing_but_errors_is_1():
    assert error_bound(np.array([4]), np.array([4]), delta=0.1).tolist() == [1]
    with pytest.raises(ValueError, match="delta"):
        error_bound(np.array([4]), np.array([4]), delta=0)
    with pytest.raises(ValueError, match="n_wrong"):
        error_bound(np.array([5]), np.array([4]), delta=0.1)


def test_the_lowest_score_before_the_first_that_fails():
    # 60 sure and right, 40 less sure with 10 errors, 100 that are a coin's.
    scores = np.repeat([0.9, 0.7, 0.5], [60, 40, 100])
    wrong = np.concatenate((np.zeros(60), np.repeat([1, 0], [10, 30]), np.tile([0, 1], 50))).astype(bool)

    found = threshold(scores, wrong, risk=0.15)

    assert (found.score, found.n_decided, found.n_wrong) == (0.7, 100, 10)
    assert found.bound == pytest.approx(0.1498825923)
    assert found.coverage == 0.5
    stricter = threshold(scores, wrong, risk=0.14)
    assert (stricter.score, stricter.n_decided) == (0.9, 60)


def test_without_a_guarantee_there_is_no_threshold():
    scores, wrong = np.linspace(1, 0, 100), np.tile([True, False, False], 34)[:100]

    assert threshold(scores, wrong, risk=0.15) is None
    # 29 items, all right, are too few to say anything.
    assert threshold(scores[:29], np.zeros(29, dtype=bool), risk=0.15) is None
    assert threshold(np.empty(0), np.empty(0, dtype=bool), risk=0.15) is None
    with pytest.raises(ValueError, match="as many"):
        threshold(scores, wrong[1:], risk=0.15)


def test_items_with_the_same_score_are_decided_together():
    scores = np.repeat([0.8], 100)
    wrong = np.concatenate((np.zeros(70), np.ones(30))).astype(bool)

    assert threshold(scores, wrong, risk=0.15) is None
    assert threshold(scores[:70], wrong[:70], risk=0.15).n_decided == 70


def test_the_guarantee_holds():
    """In at most 10 % of studies do people disagree with more of the decided items than stated."""
    random, n_studies = np.random.default_rng(29), size(4000, 1500)
    broken = found_any = 0
    for _ in range(n_studies):
        scores = random.random(400)
        wrong = random.random(400) < (1 - scores) * 0.6
        found = threshold(scores, wrong, risk=0.15, delta=0.1)
        if found is not None:
            found_any += 1
            # The share that is wrong among scores from t to 1.
            broken += 0.6 * (1 - found.score) / 2 > 0.15
    assert found_any > 0.8 * n_studies
    assert broken / n_studies <= 0.1


def test_the_curve_has_a_step_for_each_score():
    scores = np.array([0.7, 0.9, 0.7, 0.5])
    wrong = np.array([True, False, False, True])

    curve = risk_curve(scores, wrong, delta=0.1)

    assert curve.scores.tolist() == [0.9, 0.7, 0.5]
    assert (curve.n_decided.tolist(), curve.n_wrong.tolist()) == ([1, 3, 4], [0, 1, 2])
    assert curve.bounds == pytest.approx(error_bound(np.array([0, 1, 2]), np.array([1, 3, 4]), delta=0.1))
    # All bounds are above a half, and one item is too few.
    assert (curve.n_passed(0.95, min_decided=1), curve.n_passed(0.95, min_decided=5)) == (3, 0)
