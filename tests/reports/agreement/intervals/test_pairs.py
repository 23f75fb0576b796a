"""Replicates of pairs from their tables alone."""

import numpy as np
import pytest
from scipy import stats

from reports.agreement.intervals.pairs import bootstrap_pairs, jackknife_pairs
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import REASONS, Reason
from reports.agreement.weights import weighting

UNWEIGHTED = weighting("unweighted", n_categories=2)
# Cats and dogs, and one pair of two that share many items.
TABLES = np.array([[[10, 7], [5, 8]], [[22, 9], [7, 13]], [[300, 40], [30, 500]]])


def kappas(tables):
    return cohen_kappa(tables, weighting("unweighted", n_categories=tables.shape[1])).kappa


def kappa_of_items(rows, columns):
    """Cohen 1960, of two categories; rows, columns: (..., items) of 0 and 1."""
    observed = (rows == columns).mean(axis=-1)
    first, second = rows.mean(axis=-1), columns.mean(axis=-1)
    expected = first * second + (1 - first) * (1 - second)
    return (observed - expected) / (1 - expected)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_are_those_of_scipy(method):
    cells = np.argwhere(np.ones((2, 2))).repeat(TABLES[1].ravel(), axis=0)
    peer = stats.bootstrap(
        (cells[:, 0], cells[:, 1]),
        lambda rows, columns, axis: kappa_of_items(rows, columns),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        method=method,
        rng=np.random.default_rng(1),
    )

    found = bootstrap_pairs(TABLES, kappas, seed=1, n_replicates=20_000, method=method).interval(1)

    assert found.se == pytest.approx(peer.standard_error, rel=0.02)
    assert found.low == pytest.approx(peer.confidence_interval.low, abs=0.01)
    assert found.high == pytest.approx(peer.confidence_interval.high, abs=0.01)


def test_jackknife_equals_removing_items_one_by_one():
    cells = np.argwhere(np.ones((2, 2))).repeat(TABLES[0].ravel(), axis=0)
    without = np.array([kappa_of_items(*np.delete(cells, item, axis=0).T) for item in range(30)])
    expected = np.sqrt(29 / 30 * ((without - without.mean()) ** 2).sum())

    found = jackknife_pairs(TABLES, kappas)

    assert found.se[0] == pytest.approx(expected, rel=1e-9)
    assert found.n_replicates.tolist() == [30, 51, 870]
    margin = stats.t.ppf(0.975, 29) * expected
    assert found.ci_low[0] == pytest.approx(0.2 - margin, rel=1e-9)


def test_errors_of_many_items_are_close_to_that_of_fleiss_cohen_and_everitt():
    expected = cohen_kappa(TABLES, UNWEIGHTED).se[2]

    assert jackknife_pairs(TABLES, kappas).se[2] == pytest.approx(expected, rel=1e-2)
    assert bootstrap_pairs(TABLES, kappas, seed=2, n_replicates=4_000).se[2] == pytest.approx(
        expected, rel=0.05
    )


def test_an_interval_does_not_depend_on_the_other_pairs():
    together = bootstrap_pairs(TABLES, kappas, seed=3, n_replicates=200)

    alone = bootstrap_pairs(TABLES[1:2], kappas, seed=3, n_replicates=200)

    assert together.interval(1) == alone.interval(0)


def test_pairs_without_interval_say_why():
    tables = np.array(
        [[[0, 0], [0, 0]], [[0, 1], [0, 0]], [[9, 0], [0, 0]], [[9, 0], [0, 8]], [[20, 1], [0, 0]]]
    )
    expected = [
        Reason.NO_OVERLAP,
        Reason.ONE_ITEM,
        Reason.NO_VARIATION,
        Reason.DEGENERATE_SE,
        Reason.TOO_MANY_UNDEFINED,
    ]

    bootstrapped = bootstrap_pairs(tables, kappas, seed=4, n_replicates=500)
    jackknifed = jackknife_pairs(tables, kappas)

    assert [REASONS[reason] for reason in bootstrapped.reason] == expected
    # One of 21 items is less than 5%; without the others kappa is 0 as with them.
    assert [REASONS[reason] for reason in jackknifed.reason] == [*expected[:4], Reason.DEGENERATE_MARGINS]
    assert np.isnan(bootstrapped.ci_low).all()
    assert bootstrapped.se[3] == 0
    assert bootstrapped.n_undefined[4] / 500 == pytest.approx((20 / 21) ** 21, abs=0.08)


def test_no_pairs():
    found = bootstrap_pairs(np.zeros((0, 2, 2), dtype=int), kappas, seed=1, method="bca")

    assert len(found.value) == 0
