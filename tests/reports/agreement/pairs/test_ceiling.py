"""The least disagreement that margins allow, against linear programming."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from reports.agreement.pairs.ceiling import least_disagreement
from reports.agreement.weights import Weights, weighting

DECLARED = [weights for weights in Weights if weights is not Weights.CUSTOM]


def by_linear_program(rows: np.ndarray, columns: np.ndarray, costs: np.ndarray) -> float:
    """The optimum of the transport problem."""
    n = len(rows)
    sums = np.vstack((np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))))
    found = linprog(costs.ravel(), A_eq=sums, b_eq=np.concatenate((rows, columns)), method="highs")
    assert found.success
    return float(found.fun)


@st.composite
def margins(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, list[float] | None]:
    n = draw(st.integers(2, 6))
    table = np.array(
        draw(st.lists(st.lists(st.integers(0, 20), min_size=n, max_size=n), min_size=n, max_size=n))
    )
    values = draw(st.none() | st.lists(st.integers(0, 100).map(float), min_size=n, max_size=n, unique=True))
    return table.sum(axis=1).astype(float), table.sum(axis=0).astype(float), values


@settings(deadline=None)
@given(margins(), st.sampled_from(DECLARED))
def test_it_is_the_optimum_of_the_transport_problem(margins, weights):
    rows, columns, values = margins
    costs = weighting(weights, n_categories=len(rows), values=values).costs

    found = least_disagreement(rows[None], columns[None], costs)[0]

    assert found == pytest.approx(by_linear_program(rows, columns, costs), rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("n_categories", [3, 4, 7, 12])
def test_any_custom_matrix_and_any_margins(n_categories):
    random = np.random.default_rng(n_categories)
    similarity = random.random((n_categories, n_categories)).round(2)
    similarity = np.maximum(similarity, similarity.T)
    np.fill_diagonal(similarity, 1)
    costs = weighting("custom", n_categories=n_categories, similarity=similarity).costs
    shape = (20, n_categories, n_categories)
    tables = random.integers(0, 40, shape) * (random.random(shape) < 0.4)
    rows, columns = tables.sum(axis=2).astype(float), tables.sum(axis=1).astype(float)

    found = least_disagreement(rows, columns, costs)

    expected = [by_linear_program(*each, costs) for each in zip(rows, columns, strict=True)]
    assert found == pytest.approx(expected, rel=1e-9)


def test_margins_worked_by_hand():
    # 3 of the 5 in the first category can agree; two must move on by one step each.
    rows, columns = np.array([[5.0, 1.0, 4.0]]), np.array([[3.0, 3.0, 4.0]])

    assert least_disagreement(rows, columns, weighting("unweighted", n_categories=3).costs) == [2.0]
    assert least_disagreement(rows, columns, weighting("quadratic", n_categories=3).costs) == [2.0]


def test_what_agrees_is_left_alone_where_far_moves_are_cheap():
    # From 1 to 3: one move of two steps costs 2^0.5, two moves of one step cost 2.
    rows, columns = np.array([[1.0, 1.0, 0.0]]), np.array([[0.0, 1.0, 1.0]])

    found = least_disagreement(rows, columns, weighting("radical", n_categories=3).costs)

    assert found == pytest.approx([2**0.5])


def test_what_agrees_is_pushed_aside_where_far_moves_are_dear():
    # From 1 to 3 directly costs 1; by way of the item that agrees in 2, 0.2 and 0.3.
    similarity = [[1, 0.8, 0], [0.8, 1, 0.7], [0, 0.7, 1]]
    costs = weighting("custom", n_categories=3, similarity=similarity).costs

    one = least_disagreement(np.array([[1.0, 1.0, 0.0]]), np.array([[0.0, 1.0, 1.0]]), costs)
    other = least_disagreement(np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 1.0]]), costs)

    assert one == pytest.approx([0.5])
    assert other == pytest.approx([1.0])


@pytest.mark.parametrize("weights", DECLARED)
def test_equal_margins_allow_full_agreement(weights):
    margins = np.array([[4.0, 0.0, 2.0, 9.0], [0.0, 0.0, 0.0, 0.0]])

    found = least_disagreement(margins, margins, weighting(weights, n_categories=4).costs)

    assert found.tolist() == [0, 0]


def test_no_margins_have_no_optimum():
    costs = weighting("radical", n_categories=3).costs

    assert len(least_disagreement(np.empty((0, 3)), np.empty((0, 3)), costs)) == 0
