"""Cohen's kappa of stacks of tables: worked by hand, published, degenerate, and its properties."""

import numpy as np
import pytest

from reports.agreement.intervals.pairs import jackknife_pairs
from reports.agreement.pairs.cohen import cohen_kappa, kappa_null_se, kappa_with_normal_interval, kappa_zero
from reports.agreement.results import REASONS, PairKappa, Reason
from reports.agreement.weights import Weights, weighting
from tests.reports.agreement.pairs.tables_of_pairs import (
    AGRESTI_1992_CARCINOMA,
    BRENNAN_PREDIGER_1981_1,
    COHEN_1960_1,
    COHEN_1960_2,
    FLEISS_COHEN_EVERITT_1969,
    GWET_ABSTRACTORS,
    LANDIS_KOCH_1977_WINNIPEG,
    jackknife_errors,
)

# The weightings that need no matrix.
DECLARED = [weights for weights in Weights if weights is not Weights.CUSTOM]

UNWEIGHTED_OF_3 = weighting("unweighted", n_categories=3)


PLAIN = {n: weighting("unweighted", n_categories=n) for n in (2, 3, 4, 5)}


def kappa_of(table: list[list[int]], weights: Weights = Weights.UNWEIGHTED) -> PairKappa:
    tables = np.array([table])
    return cohen_kappa(tables, weighting(weights, n_categories=len(table))).pair(0)


def test_a_table_worked_by_hand():
    found = kappa_of([[10, 7], [5, 8]])

    # Agreement (10 + 8) / 30; by chance (17 * 15 + 13 * 15) / 30^2 = 0.5; (0.6 - 0.5) / (1 - 0.5).
    assert found.n == 30
    assert found.observed == pytest.approx(0.6, abs=1e-15)
    assert found.expected == pytest.approx(0.5, abs=1e-15)
    assert found.kappa == pytest.approx(0.2, abs=1e-15)
    # (15 + 13) / 30 could agree at most; (28 / 30 - 0.5) / 0.5.
    assert found.kappa_max == pytest.approx(13 / 15, abs=1e-15)
    assert found.reason is Reason.NONE


# Each figure was given by R vcd 1.4-11 and Python statsmodels 0.15.0 alike, kappa by up to nine more libraries.
UNWEIGHTED = [
    # table, observed, kappa, standard error, interval, kappa max
    (COHEN_1960_1, 0.290000, -0.092308, 0.056641, -0.203323, 0.018707, 0.846154),
    # Cohen 1960, EPM 20, 37-46: kappa .492, kappa max .831.
    (COHEN_1960_2, 0.700000, 0.491525, 0.051002, 0.391564, 0.591487, 0.830508),
    (FLEISS_COHEN_EVERITT_1969, 0.700000, 0.428571, 0.053711, 0.323300, 0.533843, 0.904762),
    (LANDIS_KOCH_1977_WINNIPEG, 0.429530, 0.207942, 0.050455, 0.109052, 0.306833, 0.627267),
    # Agresti 1992, Statistical Methods in Medical Research 1, 201-218: kappa .493, SE .057.
    (AGRESTI_1992_CARCINOMA, 0.635593, 0.493006, 0.056743, 0.381791, 0.604220, 0.622702),
    # Feinstein & Cicchetti 1990, JCE 43, 543-549: the paradoxes .70 and .32, .13 and .26.
    ([[40, 9], [6, 45]], 0.850000, 0.699519, 0.071394, 0.559590, 0.839448, 0.939904),
    ([[80, 10], [5, 5]], 0.850000, 0.318182, 0.133457, 0.056612, 0.579752, 0.772727),
    ([[45, 15], [25, 15]], 0.600000, 0.130435, 0.098662, -0.062938, 0.323808, 0.782609),
    ([[25, 35], [5, 35]], 0.600000, 0.259259, 0.077160, 0.108029, 0.410490, 0.444444),
    # Cross Validated, "Cohen's kappa in plain English"; it prints .37 for the second, from rounded proportions.
    ([[10, 7], [5, 8]], 0.600000, 0.200000, 0.177288, -0.147479, 0.547479, 0.866667),
    ([[22, 9], [7, 13]], 0.686275, 0.353407, 0.132276, 0.094151, 0.612664, 0.919176),
    ([[60, 125], [5, 5000]], 0.974952, 0.470179, 0.038994, 0.393754, 0.546605, 0.510935),
    # KNIME, "Cohen's kappa: an overview"; it prints kappa max .853 for the second, from rounded proportions.
    ([[9, 21], [18, 252]], 0.870000, 0.244186, 0.085110, 0.077374, 0.410999, 0.941860),
    ([[18, 12], [22, 248]], 0.886667, 0.451613, 0.078823, 0.297123, 0.606102, 0.838710),
    # Brennan & Prediger 1981, EPM 41, 687-699: kappa .27.
    (BRENNAN_PREDIGER_1981_1, 0.600000, 0.272727, 0.060488, 0.154173, 0.391281, 0.454545),
    (GWET_ABSTRACTORS, 0.890000, 0.796409, 0.058911, 0.680947, 0.911872, 0.944475),
]


@pytest.mark.parametrize(("table", "observed", "kappa", "se", "low", "high", "kappa_max"), UNWEIGHTED)
def test_published_tables(table, observed, kappa, se, low, high, kappa_max):
    found = kappa_of(table)
    by_formula = kappa_with_normal_interval(np.array([table]), PLAIN[len(table)]).pair(0)

    figures = (found.observed, found.kappa, found.se, by_formula.ci_low, by_formula.ci_high, found.kappa_max)
    assert figures == pytest.approx((observed, kappa, se, low, high, kappa_max), abs=6e-7)


# R vcd 1.4-11, DescTools and Python statsmodels 0.15.0 alike.
WEIGHTED = [
    (COHEN_1960_1, 0.022727, 0.063609, 0.134328, 0.079003),
    (COHEN_1960_2, 0.473684, 0.054432, 0.454545, 0.066454),
    (FLEISS_COHEN_EVERITT_1969, 0.492308, 0.050719, 0.566667, 0.055666),
    (LANDIS_KOCH_1977_WINNIPEG, 0.379731, 0.051667, 0.524576, 0.060055),
    (AGRESTI_1992_CARCINOMA, 0.648810, 0.047652, 0.783822, 0.038670),
    (BRENNAN_PREDIGER_1981_1, 0.210526, 0.054985, 0.152542, 0.057426),
    (GWET_ABSTRACTORS, 0.842902, 0.047872, 0.892157, 0.035352),
]


@pytest.mark.parametrize(("table", "linear", "linear_se", "quadratic", "quadratic_se"), WEIGHTED)
def test_published_weighted_kappas(table, linear, linear_se, quadratic, quadratic_se):
    by_distance, by_square = kappa_of(table, Weights.LINEAR), kappa_of(table, Weights.QUADRATIC)

    assert (by_distance.kappa, by_distance.se) == pytest.approx((linear, linear_se), abs=6e-7)
    assert (by_square.kappa, by_square.se) == pytest.approx((quadratic, quadratic_se), abs=6e-7)


def test_the_weights_of_fleiss_cohen_and_everitt():
    # Psychological Bulletin 72, 323-327: agreement is worth 1, .4444 and .6667; kappa .507, its variance .00325.
    weights = np.array([[1, 0, 4 / 9], [0, 1, 6 / 9], [4 / 9, 6 / 9, 1]])

    found = cohen_kappa(
        np.array([FLEISS_COHEN_EVERITT_1969]), weighting("custom", n_categories=3, similarity=weights)
    )

    assert found.kappa[0] == pytest.approx(0.507, abs=5e-4)
    assert found.se[0] ** 2 == pytest.approx(0.00325, abs=5e-6)


UNDEFINED = [
    # table, observed, kappa, se, reason
    ([[0, 0], [0, 0]], None, None, None, Reason.NO_OVERLAP),
    ([[7, 0], [0, 0]], 1.0, None, None, Reason.NO_VARIATION),
    ([[1, 0], [0, 0]], 1.0, None, None, Reason.NO_VARIATION),
    ([[0, 1], [0, 0]], 0.0, 0.0, None, Reason.ONE_ITEM),
    ([[0, 7], [0, 0]], 0.0, 0.0, None, Reason.DEGENERATE_MARGINS),
    ([[5, 2], [0, 0]], 5 / 7, 0.0, None, Reason.DEGENERATE_MARGINS),
    ([[5, 0], [2, 0]], 5 / 7, 0.0, None, Reason.DEGENERATE_MARGINS),
]


@pytest.mark.parametrize("weights", DECLARED)
@pytest.mark.parametrize(
    ("table", "kappa"),
    [([[5, 0, 0], [0, 2, 0], [0, 0, 3]], 1.0), ([[5, 0], [0, 2]], 1.0), ([[0, 5], [5, 0]], -1.0)],
)
def test_agreement_without_variation_has_an_error_of_0_and_no_normal_interval(weights, table, kappa):
    tables = np.array([table])

    found = kappa_with_normal_interval(tables, weighting(weights, n_categories=len(table))).pair(0)

    assert found.kappa == pytest.approx(kappa, abs=1e-15)
    assert (found.se, found.reason, found.ci_low, found.ci_high) == (0, Reason.DEGENERATE_SE, None, None)


@pytest.mark.parametrize("weights", DECLARED)
@pytest.mark.parametrize(("table", "observed", "kappa", "se", "reason"), UNDEFINED)
def test_what_is_undefined_is_none_with_a_reason(weights, table, observed, kappa, se, reason):
    found = kappa_of(table, weights)

    assert found.reason is reason
    assert (found.observed, found.se) == (observed, se)
    assert found.kappa == (None if kappa is None else pytest.approx(kappa, abs=1e-15))
    assert (found.ci_low, found.ci_high) == (None, None)
    assert (found.kappa_max is None) == (kappa is None)


def test_no_items_shared_leaves_nothing():
    found = kappa_of([[0, 0, 0]] * 3)

    assert (found.n, found.expected, found.kappa_max) == (0, None, None)


def test_one_declared_category_leaves_no_variation():
    found = kappa_of([[9]])

    assert (found.kappa, found.reason, found.observed, found.expected) == (
        None,
        Reason.NO_VARIATION,
        1.0,
        1.0,
    )


def test_no_pairs_give_no_kappas():
    found = cohen_kappa(np.empty((0, 2, 2), dtype=int), weighting("unweighted", n_categories=2))

    assert len(found) == 0


def test_an_interval_is_clipped_to_possible_values():
    high, low = kappa_of([[1, 0, 0], [0, 1, 0], [0, 1, 2]]), kappa_of([[0, 50], [48, 1]])

    assert high.ci_high == 1.0
    assert low.ci_low == -1.0


def test_a_category_nobody_used_changes_nothing_but_weights():
    table = [[20, 5, 0], [3, 10, 0], [0, 0, 0]]
    without = [[20, 5], [3, 10]]

    assert kappa_of(table) == kappa_of(without)
    assert kappa_of(table, Weights.LINEAR).kappa == pytest.approx(kappa_of(without).kappa)


def test_declared_values_take_the_place_of_ranks():
    # Distances 1, 9 and 10 instead of 1, 1 and 2.
    tables = np.array([[[5, 2, 1], [1, 6, 0], [2, 1, 4]]])
    n = tables.sum()
    gaps = np.abs(np.subtract.outer([1.0, 2.0, 11.0], [1.0, 2.0, 11.0]))
    expected = np.outer(tables[0].sum(axis=1), tables[0].sum(axis=0)) / n

    found = cohen_kappa(tables, weighting("linear", n_categories=3, values=[1, 2, 11]))

    assert found.kappa[0] == pytest.approx(1 - (tables[0] * gaps).sum() / (expected * gaps).sum(), abs=1e-14)


@pytest.mark.parametrize(
    ("tables", "n_categories", "message"),
    [
        (np.zeros((2, 2)), 2, r"\(P, K, K\)"),
        (np.zeros((1, 2, 3)), 2, r"\(P, K, K\)"),
        (np.zeros((1, 2, 2)), 3, "costs must be"),
        (np.full((1, 2, 2), -1), 2, "negative"),
    ],
)
def test_wrong_input_is_refused(tables, n_categories, message):
    with pytest.raises(ValueError, match=message):
        cohen_kappa(tables, weighting("unweighted", n_categories=n_categories))


# The standard error for the test, by R vcd or psych and statsmodels.
NULL_ERRORS = [
    (COHEN_1960_1, "unweighted", 0.070249),
    (COHEN_1960_2, "unweighted", 0.051979),
    (FLEISS_COHEN_EVERITT_1969, "unweighted", 0.055512),
    (LANDIS_KOCH_1977_WINNIPEG, "unweighted", 0.045608),
    (AGRESTI_1992_CARCINOMA, "unweighted", 0.050139),
    ([[40, 9], [6, 45]], "unweighted", 0.099819),
    ([[60, 125], [5, 5000]], "unweighted", 0.012108),
    ([[18, 12], [22, 248]], "unweighted", 0.056979),
    (GWET_ABSTRACTORS, "unweighted", 0.076006),
]


@pytest.mark.parametrize(("table", "weights", "se"), NULL_ERRORS)
def test_published_errors_for_the_test_of_kappa(table, weights, se):
    found = kappa_null_se(np.array([table]), weighting(weights, n_categories=len(table)))

    assert found[0] == pytest.approx(se, abs=6e-7)


def test_the_test_of_fleiss_cohen_and_everitt():
    # Psychological Bulletin 72, 323-327; with their weights to four digits, as R psych and statsmodels.
    similarity = [[1, 0, 0.4444], [0, 1, 0.6667], [0.4444, 0.6667, 1]]
    costs = weighting("custom", n_categories=3, similarity=similarity)

    found = kappa_zero(np.array([FLEISS_COHEN_EVERITT_1969]), costs)

    assert kappa_null_se(np.array([FLEISS_COHEN_EVERITT_1969]), costs)[0] == pytest.approx(0.065336, abs=6e-7)
    assert found.se[0] == pytest.approx(0.065336, abs=6e-7)
    assert found.statistic[0] == pytest.approx(0.507070 / 0.065336, abs=2e-4)
    assert found.p_value[0] == pytest.approx(8.4e-15, rel=0.03)


def test_the_p_value_of_kappa_is_two_sided():
    # z = 0.2 / 0.180944 = 1.1053; 2 (1 - Phi(1.1053)) = 0.2690.
    found = kappa_zero(np.array([[[10, 7], [5, 8]], [[7, 10], [8, 5]]]), weighting("linear", n_categories=2))

    assert found.statistic[0] == pytest.approx(1.1053, abs=5e-5)
    assert found.p_value == pytest.approx([0.2690, 0.2690], abs=5e-5)
    assert found.statistic[1] == -found.statistic[0]


def test_perfect_agreement_has_a_test_without_having_an_interval():
    # Expected 1/2 and its error 1 / sqrt(n): z = sqrt(16).
    found = kappa_zero(np.array([[[8, 0], [0, 8]]]), weighting("unweighted", n_categories=2))

    assert (found.statistic[0], found.reason[0]) == (pytest.approx(4), 0)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[0, 0], [0, 0]], Reason.NO_OVERLAP),
        ([[7, 0], [0, 0]], Reason.NO_VARIATION),
        ([[0, 1], [0, 0]], Reason.ONE_ITEM),
        ([[5, 2], [0, 0]], Reason.DEGENERATE_MARGINS),
    ],
)
def test_kappa_without_an_error_has_no_test(table, reason):
    found = kappa_zero(np.array([table]), weighting("unweighted", n_categories=2))

    assert np.isnan([found.statistic[0], found.p_value[0]]).all()
    assert REASONS[found.reason[0]] is reason


def test_kappa_as_a_share_of_its_largest_value():
    # Cohen 1960, second example: .492 of .831.
    found = cohen_kappa(np.array([COHEN_1960_2, [[5, 2, 0], [0, 0, 0], [0, 0, 0]]]), UNWEIGHTED_OF_3)

    assert found.share_of_max[0] == found.pair(0).share_of_max == pytest.approx(0.491525 / 0.830508, abs=1e-6)
    # A rater with one category leaves no kappa above 0.
    assert np.isnan(found.share_of_max[1])
    assert found.pair(1).share_of_max is None


@pytest.mark.parametrize("weights", DECLARED)
def test_the_error_is_close_to_the_jackknife(weights):
    table = LANDIS_KOCH_1977_WINNIPEG
    costs = weighting(weights, n_categories=4)

    found = cohen_kappa(np.array([table]), costs).se[0]

    by_jackknife = jackknife_errors(lambda counts: cohen_kappa(counts, costs).kappa, table)
    assert found == pytest.approx(by_jackknife, rel=0.03)


def test_less_confidence_makes_a_shorter_interval():
    found = cohen_kappa(np.array([COHEN_1960_2]), UNWEIGHTED_OF_3, confidence=0.9).pair(0)

    assert found.ci_low == pytest.approx(0.491525 - 1.644854 * 0.051002, abs=1e-6)
    assert found.ci_high == pytest.approx(0.491525 + 1.644854 * 0.051002, abs=1e-6)


def test_many_tables_at_once_are_the_same_as_one_by_one():
    random = np.random.default_rng(3)
    tables = random.integers(0, 9, (5_000, 4, 4)) * (random.random((5_000, 4, 4)) < 0.4)
    costs = weighting("quadratic", n_categories=4)

    together = cohen_kappa(tables, costs)

    for position in range(0, 5_000, 500):
        assert together.pair(position) == cohen_kappa(tables[position : position + 1], costs).pair(0)


def test_an_interval_of_a_kappa_below_minus_1_holds_it():
    # Only the two ends differ: of three items two do, by chance two of nine pairs of categories.
    similarity = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    own = weighting("custom", n_categories=3, similarity=similarity)
    table = np.array([[[0, 0, 9], [0, 8, 1], [9, 0, 0]]])

    [found] = cohen_kappa(table, own)
    jackknifed = jackknife_pairs(table, lambda tables: cohen_kappa(tables, own).kappa)

    assert found.kappa == pytest.approx(1 - (18 / 27) / ((9 * 10 + 9 * 9) / 27**2))
    assert found.kappa < -1
    assert found.ci_low == pytest.approx(found.kappa - 1.959964 * found.se)
    assert jackknifed.ci_low[0] < found.kappa < jackknifed.ci_high[0]
