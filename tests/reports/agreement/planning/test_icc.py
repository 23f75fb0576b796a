"""Items for the interval of an ICC, against simulated studies and the formula for large samples."""

import numpy as np
import pytest
from scipy.stats import f

from reports.agreement.planning.icc import items_for_icc_width


def mean_half_width(rng, n, *, icc, k, n_studies=3000):
    """Of ICC(1,1) over simulated studies, with limits by scipy.stats."""
    subjects = rng.standard_normal((n_studies, n, 1)) * np.sqrt(icc)
    ratings = subjects + rng.standard_normal((n_studies, n, k)) * np.sqrt(1 - icc)
    between = k * ratings.mean(axis=2).var(axis=1, ddof=1)
    ratio = between / ratings.var(axis=2, ddof=1).mean(axis=1)
    low, high = ratio / f.isf(0.025, n - 1, n * (k - 1)), ratio * f.isf(0.025, n * (k - 1), n - 1)
    return float(np.mean((high - 1) / (high + k - 1) - (low - 1) / (low + k - 1))) / 2


@pytest.mark.parametrize(("icc", "k", "half_width"), [(0.5, 2, 0.15), (0.9, 3, 0.05), (0.7, 5, 0.1)])
def test_the_interval_has_the_width_in_simulated_studies(rng, icc, k, half_width):
    found = items_for_icc_width(icc=icc, n_raters=k, half_width=half_width)

    assert found.reached <= half_width
    assert found.reached == pytest.approx(mean_half_width(rng, found.n_items, icc=icc, k=k), rel=0.02)
    assert mean_half_width(rng, found.n_items - 3, icc=icc, k=k) > half_width * 0.99


def test_many_items_are_those_of_the_large_sample_formula():
    # 8 z^2 (1 - r)^2 (1 + (k - 1) r)^2 / (k (k - 1) w^2) + 1 for r = .5, k = 3, w = .1.
    assert items_for_icc_width(icc=0.5, n_raters=3, half_width=0.05).n_items == pytest.approx(513.2, rel=0.01)


def test_consistency_has_fewer_degrees_of_freedom():
    alike = {"icc": 0.6, "n_raters": 4, "half_width": 0.2}

    assert (
        items_for_icc_width(**alike, is_consistency=True).n_items >= items_for_icc_width(**alike).n_items > 10
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"icc": 1}, "ICC must be above 0 and below 1"),
        ({"n_raters": 1}, "2 to 1,000 raters"),
        ({"half_width": 0}, "half width"),
        ({"half_width": 1e-5}, "more than 10,000,000 items"),
    ],
)
def test_bad_plans_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        items_for_icc_width(**{"icc": 0.5, "n_raters": 2, "half_width": 0.1} | options)
