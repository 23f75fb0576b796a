"""Kappa as a mean over items."""

import numpy as np
import pytest

from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.pairs.linearised import linearised_kappa
from reports.agreement.weights import weighting

# Fleiss, Cohen & Everitt 1969, in counts; their kappa 0.428571 has the error 0.053711, weighted 0.050719 and 0.055666.
FCE = np.array([[[106, 10, 4], [22, 28, 10], [2, 12, 6]]])
TABLES = np.array([[[88, 14, 18], [10, 40, 10], [2, 6, 12]], [[10, 7, 1], [5, 8, 0], [0, 3, 9]], FCE[0]])


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic", "circular"])
def test_mean_and_variance_are_kappa_and_its_error(weights):
    costs = weighting(weights, n_categories=3)
    kappas = cohen_kappa(TABLES, costs)

    found = linearised_kappa(TABLES, costs)

    shares = TABLES / kappas.n[:, None, None]
    mean = (shares * found).sum(axis=(1, 2))
    variance = (shares * (found - mean[:, None, None]) ** 2).sum(axis=(1, 2)) / kappas.n
    np.testing.assert_allclose(mean, kappas.kappa, rtol=1e-12)
    np.testing.assert_allclose(np.sqrt(variance), kappas.se, rtol=1e-9)


@pytest.mark.parametrize(("weights", "se"), [("unweighted", 0.053711), ("linear", 0.050719)])
def test_error_is_the_published_one(weights, se):
    table = np.array([[[106, 10, 4], [22, 28, 10], [2, 12, 6]]])

    found = linearised_kappa(table, weighting(weights, n_categories=3))[0]

    assert np.sqrt(np.cov(found.ravel(), fweights=table.ravel(), ddof=0) / 200) == pytest.approx(se, abs=1e-6)


def test_it_is_how_kappa_changes_with_a_little_more_of_a_cell():
    costs = weighting("quadratic", n_categories=3)
    table = TABLES[0] * 1_000_000
    kappa = cohen_kappa(table[None], costs).kappa[0]

    for cell in np.ndindex(3, 3):
        more = table.copy()
        more[cell] += 100
        slope = (cohen_kappa(more[None], costs).kappa[0] - kappa) * table.sum() / 100
        assert linearised_kappa(TABLES[:1], costs)[0][cell] == pytest.approx(kappa + slope, abs=1e-4)


def test_undefined_kappa_has_none():
    tables = np.array([np.zeros((2, 2), dtype=int), [[7, 0], [0, 0]]])

    assert np.isnan(linearised_kappa(tables, weighting("unweighted", n_categories=2))).all()
