"""The least disagreement that margins allow, against linear programming."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from reports.agreement.pairs.ceiling import least_disagreement
from reports.agreement.weights import weighting


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
    values = draw(st.none() | st.lists(st.integers(-50, 50).map(float), min_size=n, max_size=n, unique=True))
    return table.sum(axis=1).astype(float), table.sum(axis=0).astype(float), values


@settings(deadline=None)
@given(margins(), st.sampled_from(["unweighted", "linear", "quadratic"]))
def test_it_is_the_optimum_of_the_transport_problem(margins, weights):
    rows, columns, values = margins
    costs = weighting(weights, n_categories=len(rows), values=values).costs

    found = least_disagreement(rows[None], columns[None], costs)[0]

    assert found == pytest.approx(by_linear_program(rows, columns, costs), rel=1e-9, abs=1e-7)


def test_margins_worked_by_hand():
    # 3 of the 5 in the first category can agree; two must move on by one step each.
    rows, columns = np.array([[5.0, 1.0, 4.0]]), np.array([[3.0, 3.0, 4.0]])

    assert least_disagreement(rows, columns, weighting("unweighted", n_categories=3).costs) == [2.0]
    assert least_disagreement(rows, columns, weighting("quadratic", n_categories=3).costs) == [2.0]


def test_costs_that_do_not_grow_with_distance_are_refused():
    costs = np.sqrt(weighting("linear", n_categories=3).costs)

    with pytest.raises(ValueError, match="grow with the distance"):
        least_disagreement(np.ones((1, 3)), np.ones((1, 3)), costs)
