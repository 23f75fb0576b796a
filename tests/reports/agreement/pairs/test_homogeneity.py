"""Tests of the margins: published, against statsmodels, and without disagreement."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import SquareTable
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_of_statsmodels

from reports.agreement.pairs.homogeneity import bhapkar, bowker, mcnemar, stuart_maxwell
from reports.agreement.results import REASONS, Reason
from tests.reports.agreement.pairs.tables_of_pairs import (
    AGRESTI_1992_CARCINOMA,
    COHEN_1960_1,
    COHEN_1960_2,
    FEINSTEIN_CICCHETTI_1990_1A,
    FLEISS_COHEN_EVERITT_1969,
    GWET_ABSTRACTORS,
    KNIME_BALANCED,
    LANDIS_KOCH_1977_WINNIPEG,
)

# Stuart 1955, Biometrika 42, 412-416: unaided vision of 7477 women, right eye by left eye.
STUART_1955 = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]


def test_stuarts_own_data():
    # Published: 11.96, 11.98 and 19.11.
    table = np.array([STUART_1955])

    found = [test(table) for test in (stuart_maxwell, bhapkar, bowker)]

    assert [each.statistic[0] for each in found] == pytest.approx([11.956570, 11.975720, 19.106550], abs=1e-6)
    assert [each.df[0] for each in found] == [3, 3, 6]


@pytest.mark.parametrize(
    ("table", "statistic", "df"),
    [
        # R coin, DescTools and statsmodels alike; R irr has 5.4, 12.8 and 4.5 for the first three.
        (COHEN_1960_1, 3.467492, 2),
        (COHEN_1960_2, 13.513514, 2),
        (FLEISS_COHEN_EVERITT_1969, 2.723735, 2),
        # The first category has no disagreement; R coin.
        (GWET_ABSTRACTORS, 9 / 11, 1),
    ],
)
def test_published_stuart_maxwell(table, statistic, df):
    found = stuart_maxwell(np.array([table]))

    assert found.statistic[0] == pytest.approx(statistic, abs=6e-7)
    assert found.df[0] == df


def test_published_p_values():
    # Cohen 1960, first example; R and statsmodels.
    table = np.array([COHEN_1960_1])

    assert stuart_maxwell(table).p_value[0] == pytest.approx(0.176621521925, abs=1e-9)
    assert bhapkar(table).p_value[0] == pytest.approx(0.165957575640, abs=1e-9)
    assert bowker(table).p_value[0] == pytest.approx(0.140307339976, abs=1e-9)


@pytest.mark.parametrize("table", [COHEN_1960_1, FLEISS_COHEN_EVERITT_1969, LANDIS_KOCH_1977_WINNIPEG])
def test_they_are_those_of_statsmodels(table):
    peer, counts = SquareTable(np.array(table), shift_zeros=False), np.array([table])
    symmetry, stuart, bhapkars = peer.symmetry(), peer.homogeneity(), peer.homogeneity(method="bhapkar")

    found = [test(counts) for test in (bowker, stuart_maxwell, bhapkar)]

    for one, other in zip(found, (symmetry, stuart, bhapkars), strict=True):
        assert one.statistic[0] == pytest.approx(other.statistic, rel=1e-9)
        assert (one.df[0], one.p_value[0]) == pytest.approx((other.df, other.pvalue), rel=1e-9)


def test_bowker_counts_only_pairs_of_categories_that_disagree():
    # One of the six pairs is empty, where others count 6.
    found = bowker(np.array([AGRESTI_1992_CARCINOMA]))

    assert found.df[0] == 5


def test_published_mcnemar():
    # Feinstein & Cicchetti 1990: (9 - 6)^2 / 15 and, corrected, (3 - 1)^2 / 15; p by R and statsmodels.
    table = np.array([FEINSTEIN_CICCHETTI_1990_1A])

    plain, corrected = mcnemar(table, exact=False), mcnemar(table, exact=False, corrected=True)

    assert (plain.statistic[0], plain.df[0]) == (pytest.approx(0.6), 1)
    assert plain.p_value[0] == pytest.approx(0.438578026081, abs=1e-9)
    assert corrected.statistic[0] == pytest.approx(4 / 15)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("corrected", [True, False])
def test_mcnemar_is_that_of_statsmodels(exact, corrected):
    tables = np.array([FEINSTEIN_CICCHETTI_1990_1A, KNIME_BALANCED, [[3, 0], [4, 9]], [[3, 5], [5, 9]]])

    found = mcnemar(tables, exact=exact, corrected=corrected)

    for position, table in enumerate(tables):
        # Theirs corrects to 1 what has no gap at all.
        if not exact and corrected and table[0, 1] == table[1, 0]:
            assert found.statistic[position] == 0
            continue
        peer = mcnemar_of_statsmodels(table, exact=exact, correction=corrected)
        assert found.p_value[position] == pytest.approx(peer.pvalue, abs=1e-12)
    assert np.isnan(found.df).all() == exact


def test_few_disagreements_are_tested_exactly():
    tables = np.array([[[3, 14], [10, 9]], [[3, 15], [10, 9]]])

    found = mcnemar(tables)

    assert np.isnan(found.df).tolist() == [True, False]
    assert found.p_value[0] == pytest.approx(binomtest(10, 24).pvalue, abs=1e-12)
    # (15 - 10)^2 / 25 = 1: as often as one standard deviation is passed.
    assert found.p_value[1] == pytest.approx(0.317310508, abs=1e-9)


def test_each_says_its_method():
    table = np.array([FEINSTEIN_CICCHETTI_1990_1A])

    assert mcnemar(table).method == "exact below 25 disagreements, else chi-squared"
    assert mcnemar(table, exact=True).method == "exact"
    assert mcnemar(table, exact=False, corrected=True).method == "chi-squared, corrected for continuity"


@pytest.mark.parametrize("test", [bowker, stuart_maxwell, bhapkar, mcnemar])
@pytest.mark.parametrize("table", [[[5, 0], [0, 2]], [[7, 0], [0, 0]], [[1, 0], [0, 0]]])
def test_no_disagreement_leaves_nothing_to_test(test, table):
    found = test(np.array([table]))

    assert (found.statistic[0], found.p_value[0], found.reason[0]) == (0, 1, 0)
    assert found.df[0] == 0 or test is mcnemar


@pytest.mark.parametrize("test", [bowker, stuart_maxwell, bhapkar, mcnemar])
def test_no_items_shared_leave_no_test(test):
    found = test(np.zeros((1, 2, 2), dtype=int))

    assert np.isnan([found.statistic[0], found.df[0], found.p_value[0]]).all()
    assert REASONS[found.reason[0]] is Reason.NO_OVERLAP


@pytest.mark.parametrize("exact", [None, True, False])
def test_mcnemar_is_for_two_categories_only(exact):
    found = mcnemar(np.array([COHEN_1960_1]), exact=exact)

    assert np.isnan([found.statistic[0], found.p_value[0]]).all()
    assert REASONS[found.reason[0]] is Reason.NOT_TWO_CATEGORIES


def test_bhapkar_needs_some_items_that_do_not_all_disagree_one_way():
    found = bhapkar(np.array([[[0, 5], [0, 0]]]))

    assert np.isnan(found.statistic[0])
    assert REASONS[found.reason[0]] is Reason.DEGENERATE_MARGINS


tables_of_counts = st.integers(2, 5).flatmap(
    lambda n: arrays(np.int64, (3, n, n), elements=st.integers(0, 30))
)


@given(tables_of_counts, st.sampled_from([bowker, stuart_maxwell, bhapkar]))
def test_raters_may_change_places(counts, test):
    one, other = test(counts), test(counts.transpose(0, 2, 1))

    for name in ("statistic", "df", "p_value"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9, abs=1e-9, nan_ok=True)


@given(arrays(np.int64, (4, 2, 2), elements=st.integers(0, 30)))
def test_all_are_mcnemars_for_two_categories(counts):
    expected = mcnemar(counts, exact=False)

    for test in (bowker, stuart_maxwell):
        assert test(counts).statistic == pytest.approx(expected.statistic, abs=1e-9, nan_ok=True)
