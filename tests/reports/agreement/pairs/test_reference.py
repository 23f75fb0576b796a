"""Raters against a reference: published, against scikit-learn, and degenerate."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics

from reports.agreement.pairs.reference import against_reference, balanced_accuracy, matthews
from reports.agreement.results import Reason
from tests.reports.agreement.pairs.tables_of_pairs import (
    AGRESTI_1992_CARCINOMA,
    CATS_DOGS_1,
    CATS_DOGS_2,
    CATS_DOGS_3,
    KNIME_BALANCED,
    KNIME_BASE,
    LANDIS_KOCH_1977_WINNIPEG,
    jackknife_errors,
)

# Figures of the first category by scikit-learn 1.9.1: F1 and Matthews' correlation.
PUBLISHED = [
    (KNIME_BASE, 0.3157894737, 0.2445997952),
    (CATS_DOGS_2, 0.7333333333, 0.3545672989),
    (CATS_DOGS_3, 0.48, 0.5390437469),
]


@pytest.mark.parametrize(("truth_by_row", "f1", "correlation"), PUBLISHED)
def test_published_figures(truth_by_row, f1, correlation):
    found = against_reference(np.array([truth_by_row]).transpose(0, 2, 1))

    assert found.f1.value[0, 0] == pytest.approx(f1, abs=1e-9)
    assert found.matthews.value[0] == pytest.approx(correlation, abs=1e-9)


def test_the_credit_table_worked_by_hand():
    # Of 30 bad credits 9 are found, of 270 good ones 252; 27 are called bad.
    found = against_reference(np.array([KNIME_BASE]).transpose(0, 2, 1))

    assert found.recall.value[0].tolist() == pytest.approx([9 / 30, 252 / 270])
    assert found.specificity.value[0].tolist() == pytest.approx([252 / 270, 9 / 30])
    assert found.precision.value[0].tolist() == pytest.approx([9 / 27, 252 / 273])
    assert found.negative_predictive_value.value[0].tolist() == pytest.approx([252 / 273, 9 / 27])
    assert found.balanced_accuracy.value[0] == pytest.approx((9 / 30 + 252 / 270) / 2)
    assert found.accuracy.value[0] == pytest.approx(0.87)
    assert (found.recall.n[0, 0], found.precision.n[0, 0], found.accuracy.n[0]) == (30, 27, 300)


def test_the_ways_of_the_two_credit_tables_from_chance_to_perfect():
    # KNIME, "Cohen's kappa: an overview": .870 and .887 are .244 and .452 of the way.
    found = against_reference(np.array([KNIME_BASE, KNIME_BALANCED]).transpose(0, 2, 1))

    assert found.expected_accuracy.tolist() == pytest.approx([0.828, 0.793333], abs=6e-7)
    assert found.kappa.kappa.tolist() == pytest.approx([0.244186, 0.451613], abs=6e-7)
    assert found.kappa.kappa_max.tolist() == pytest.approx([0.941860, 0.838710], abs=6e-7)
    way = found.expected_accuracy + found.kappa.kappa * (1 - found.expected_accuracy)
    assert way.tolist() == pytest.approx([0.87, 0.886667], abs=6e-7)


def test_a_wilson_interval_worked_by_hand():
    # 10 of 15: (10 + z^2 / 2 -+ z sqrt(10 * 5 / 15 + z^2 / 4)) / (15 + z^2).
    found = against_reference(np.array([CATS_DOGS_1])).recall.at(0, 0)

    z = 1.959964
    margin = z * np.sqrt(10 * 5 / 15 + z**2 / 4)
    limits = ((10 + z**2 / 2 - margin) / (15 + z**2), (10 + z**2 / 2 + margin) / (15 + z**2))
    assert (found.ci_low, found.ci_high) == pytest.approx(limits, abs=1e-6)
    assert found.value == pytest.approx(2 / 3)
    assert found.method == "Wilson"


@pytest.mark.parametrize("table", [AGRESTI_1992_CARCINOMA, LANDIS_KOCH_1977_WINNIPEG, [[3, 1], [0, 4]]])
def test_they_are_those_of_scikit_learn(table):
    cells = np.argwhere(np.ones_like(table)).repeat(np.ravel(table), axis=0)
    rater, truth = cells.T

    found = against_reference(np.array([table]))

    precision, recall, f1, _ = metrics.precision_recall_fscore_support(truth, rater, zero_division=np.nan)
    assert found.precision.value[0] == pytest.approx(precision)
    assert found.recall.value[0] == pytest.approx(recall)
    assert found.f1.value[0] == pytest.approx(f1)
    assert found.accuracy.value[0] == pytest.approx(metrics.accuracy_score(truth, rater))
    assert found.balanced_accuracy.value[0] == pytest.approx(metrics.balanced_accuracy_score(truth, rater))
    assert found.matthews.value[0] == pytest.approx(metrics.matthews_corrcoef(truth, rater))


@pytest.mark.parametrize(
    "table", [AGRESTI_1992_CARCINOMA, LANDIS_KOCH_1977_WINNIPEG, CATS_DOGS_2, KNIME_BALANCED]
)
def test_the_error_of_matthews_is_close_to_the_jackknife(table):
    found = matthews(np.array([table])).se[0]

    assert found == pytest.approx(jackknife_errors(lambda counts: matthews(counts).value, table), rel=0.05)


@pytest.mark.parametrize("table", [LANDIS_KOCH_1977_WINNIPEG, CATS_DOGS_2])
def test_the_error_of_balanced_accuracy_is_close_to_the_jackknife(table):
    many = np.array(table) * 20

    found = balanced_accuracy(many[None]).se[0]

    by_jackknife = jackknife_errors(lambda counts: balanced_accuracy(counts).value, many.tolist())
    assert found == pytest.approx(by_jackknife, rel=0.01)


def test_no_items_shared_leave_nothing():
    found = against_reference(np.zeros((1, 2, 2), dtype=int))

    for each in (
        found.recall,
        found.specificity,
        found.precision,
        found.negative_predictive_value,
        found.f1,
    ):
        assert (each.at(0, 0).value, each.at(0, 0).reason) == (None, Reason.NO_OVERLAP)
    for each in (found.accuracy, found.balanced_accuracy, found.matthews):
        assert (each.at(0).value, each.at(0).reason) == (None, Reason.NO_OVERLAP)
    assert found.kappa.pair(0).reason is Reason.NO_OVERLAP


def test_a_category_that_the_reference_never_uses():
    # The rater calls 2 of 7 items the second category, which none is.
    found = against_reference(np.array([[[5, 0], [2, 0]]]))

    assert found.recall.at(0, 1).reason is Reason.CATEGORY_UNUSED
    assert found.precision.at(0, 1).value == 0
    assert found.specificity.at(0, 0).reason is Reason.NO_VARIATION
    assert found.specificity.at(0, 1).value == pytest.approx(5 / 7)
    assert found.f1.at(0, 1).value == 0
    assert found.accuracy.at(0).value == pytest.approx(5 / 7)
    assert found.balanced_accuracy.at(0).reason is Reason.NO_VARIATION
    assert found.matthews.at(0).reason is Reason.NO_VARIATION
    assert (found.kappa.pair(0).kappa, found.kappa.pair(0).reason) == (0, Reason.DEGENERATE_MARGINS)


def test_a_category_that_nobody_uses():
    found = against_reference(np.array([[[5, 1, 0], [2, 4, 0], [0, 0, 0]]]))

    for each in (found.recall, found.precision, found.f1):
        assert (each.at(0, 2).value, each.at(0, 2).reason) == (None, Reason.CATEGORY_UNUSED)
    assert found.specificity.at(0, 2).value == 1
    assert found.balanced_accuracy.at(0).value == pytest.approx((5 / 7 + 4 / 5) / 2)


def test_one_item_has_no_error():
    found = against_reference(np.array([[[1, 0], [0, 0]]]))

    assert (found.accuracy.at(0).value, found.accuracy.at(0).se) == (1, None)
    assert found.accuracy.at(0).reason is found.recall.at(0, 0).reason is Reason.ONE_ITEM


def test_a_perfect_rater():
    found = against_reference(np.array([[[5, 0], [0, 2]]]))

    assert found.recall.value.tolist() == found.specificity.value.tolist() == [[1, 1]]
    for each in (found.balanced_accuracy, found.matthews):
        assert (each.at(0).value, each.at(0).se, each.at(0).reason) == (1, 0, Reason.DEGENERATE_SE)
    assert found.accuracy.at(0).ci_high == 1


tables_of_counts = st.integers(2, 4).flatmap(
    lambda n: arrays(np.int64, (1, n, n), elements=st.integers(0, 20))
)


@given(tables_of_counts)
def test_matthews_is_that_of_scikit_learn_wherever_it_is_defined(counts):
    found = matthews(counts).at(0)

    rater, truth = np.argwhere(np.ones_like(counts[0])).repeat(counts.ravel(), axis=0).T
    if found.value is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert found.value == pytest.approx(metrics.matthews_corrcoef(truth, rater), abs=1e-12)


@given(tables_of_counts)
def test_kappa_is_the_share_of_the_way_from_chance_to_perfect(counts):
    found = against_reference(counts)

    way = found.expected_accuracy + found.kappa.kappa * (1 - found.expected_accuracy)
    if not np.isnan(way[0]):
        assert way == pytest.approx(found.accuracy.value, abs=1e-12)


def test_f1_has_the_wilson_limits_of_the_share_of_either_that_is_both():
    # Cats: 60 of both, 5 and 125 of one; Wilson's limits of 60 of 190 by hand, .2537 and .3850, are J's.
    found = against_reference(np.array([[[60, 125], [5, 5000]]])).f1.at(0, 0)
    n, z = 190, 1.959963984540054
    share, spread = 60 / n, z * ((60 / n * 130 / n + z * z / (4 * n)) / n) ** 0.5
    low, high = ((share + z * z / (2 * n) + sign * spread) / (1 + z * z / n) for sign in (-1, 1))

    assert (low, high) == pytest.approx((0.2539, 0.3849), abs=1e-3)
    assert (found.ci_low, found.ci_high) == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)))
    assert found.value == pytest.approx(120 / 250)
    assert (found.n, found.method) == (190, "Wilson")


def test_f1_of_a_perfect_rater_has_an_interval_too():
    found = against_reference(np.array([[[5, 0], [0, 2]]])).f1.at(0, 0)

    assert (found.value, found.se, found.ci_high, found.reason) == (1, 0, 1, Reason.NONE)
    assert 0.5 < found.ci_low < 1
