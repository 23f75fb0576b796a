"""Errors, kappa max and Fleiss' kappa side by side with statsmodels."""

import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa, to_table

from reports.agreement.counting import all_pairs
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import Reason
from reports.agreement.weights import weighting
from tests.reports.agreement.peers.shapes import COMPLETE, ONE_CATEGORY, SHAPES, quiet_peer
from tests.reports.agreement.samples import all_coefficients, from_counts, from_lines

WEIGHTS = {"unweighted": None, "linear": "linear", "quadratic": "quadratic"}
# All pairs of 60 raters would tell nothing more than some of them.
EVERY = 37


def few(n_pairs: int) -> range:
    return range(0, n_pairs, 1 if n_pairs <= EVERY else EVERY)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_pair_has_the_error_of_statsmodels(shape, weights):
    pairs = all_pairs(shape.ratings)

    kappas = cohen_kappa(pairs.tables, weighting(weights, n_categories=shape.n_categories))

    for position in few(len(pairs)):
        found = kappas.pair(position)
        with quiet_peer():
            peer = cohens_kappa(pairs.tables[position], wt=WEIGHTS[weights])
        if found.reason is Reason.NONE:
            assert found.kappa == pytest.approx(peer.kappa, abs=1e-12)
            assert found.se == pytest.approx(peer.std_kappa, rel=1e-8)
            # Theirs is not clipped.
            limits = max(peer.kappa_low, -1), min(peer.kappa_upp, 1)
            if not kappas.is_fitted[position]:
                assert (found.ci_low, found.ci_high) == pytest.approx(limits, abs=1e-8)
        if found.kappa is not None and weights == "unweighted":
            assert found.kappa_max == pytest.approx(peer.kappa_max, abs=1e-12)


@pytest.mark.parametrize("method", ["fleiss", "randolph"])
@pytest.mark.parametrize("shape", COMPLETE, ids=str)
def test_kappas_of_complete_data_are_those_of_statsmodels(shape, method):
    name = {"fleiss": "fleiss_kappa", "randolph": "brennan_prediger"}[method]

    found = all_coefficients(shape.ratings)[name]

    assert found.value == pytest.approx(fleiss_kappa(shape.counts(), method=method), abs=1e-12)


def test_exception_kappa_max_takes_no_weights():
    # Cohen 1960, example 2, for which statsmodels gives the unweighted .8305 with any weights.
    table = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])

    ours = cohen_kappa(table[None], weighting("quadratic", n_categories=3)).pair(0)

    assert cohens_kappa(table, wt="quadratic").kappa_max == cohens_kappa(table).kappa_max
    # Of the margins 120, 60, 20 and 100, 60, 40 twice 20 items must move by one step; chance costs 220.
    assert ours.kappa_max == pytest.approx(1 - 40 / 220)


def test_exception_a_missing_label_counts_as_a_category():
    counts, categories = aggregate_raters(np.array([[1, 1], [2, 2], [1, np.nan]]))

    ours = all_coefficients(from_lines("yny", "yn.", categories="yn"))["fleiss_kappa"]

    assert (counts.shape[1], len(categories)) == (3, 3)
    assert fleiss_kappa(counts) == pytest.approx(5 / 11)
    assert ours.value == pytest.approx(1)


def test_exception_a_missing_label_shifts_the_table_of_two_raters():
    with quiet_peer():
        table, _ = to_table(np.array([[1, 1], [2, 2], [1, np.nan]]))

    ours = all_pairs(from_lines("yny", "yn.", categories="yn")).tables[0]

    assert table.shape == (3, 3)
    assert table.sum() == 3
    assert ours.tolist() == [[1, 0], [0, 1]]


def test_exception_items_with_unequal_numbers_of_labels_are_refused():
    counts = [[2, 1], [1, 1], [3, 0]]

    ours = all_coefficients(from_counts(counts))["fleiss_kappa"]

    with pytest.raises(AssertionError):
        fleiss_kappa(np.array(counts))
    # pa = (1/3 + 0 + 1) / 3 = 4/9; prevalence (2/3 + 1/2 + 1) / 3 = 13/18; pe = (13^2 + 5^2) / 18^2.
    expected = (13**2 + 5**2) / 18**2
    assert ours.value == pytest.approx((4 / 9 - expected) / (1 - expected))


@pytest.mark.parametrize("shape", ONE_CATEGORY, ids=str)
def test_exception_one_category_is_nan_without_a_reason(shape):
    found = all_coefficients(shape.ratings)["fleiss_kappa"]

    with quiet_peer():
        assert np.isnan(fleiss_kappa(shape.counts()))
    assert (found.value, found.reason) == (None, Reason.NO_VARIATION)


def test_exception_labels_in_place_of_counts_give_a_number():
    # Three raters' codes, row by row, happen to have equal sums: a table of labels passes as one of counts.
    codes = np.array([[1, 2, 1], [2, 1, 1], [1, 1, 2]])

    ours = all_coefficients(from_lines("121", "211", "112", categories="12"))["fleiss_kappa"]

    assert fleiss_kappa(codes) == pytest.approx(-0.25)
    assert ours.value == pytest.approx(-0.5)


def test_exception_no_error_where_a_rater_is_constant():
    # A rater who only says no leaves nothing to vary: statsmodels gives kappa 0 an error of 0.
    table = np.array([[0, 5], [0, 5]])

    ours = cohen_kappa(table[None], weighting("unweighted", n_categories=2)).pair(0)

    with quiet_peer():
        peer = cohens_kappa(table)
    assert (peer.kappa, peer.std_kappa) == (0, 0)
    assert (ours.kappa, ours.se, ours.reason) == (0, None, Reason.DEGENERATE_MARGINS)
