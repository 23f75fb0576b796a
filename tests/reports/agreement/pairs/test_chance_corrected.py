"""Percent agreement, Scott, Brennan-Prediger and Gwet of two raters: published, degenerate, and their identities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reports.agreement.overall.chance_corrected import BRENNAN_PREDIGER, FLEISS_KAPPA, GWET_AC
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.chance_corrected import (
    brennan_prediger,
    gwet_ac,
    percent_agreement,
    scott_pi,
)
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.pairs.indices import pabak
from reports.agreement.results import Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights, weighting
from tests.reports.agreement.pairs.tables_of_pairs import (
    AGRESTI_1992_CARCINOMA,
    BRENNAN_PREDIGER_1981_1,
    CATS_DOGS_2,
    COHEN_1960_1,
    COHEN_1960_2,
    FEINSTEIN_CICCHETTI_1990_1B,
    FLEISS_COHEN_EVERITT_1969,
    GWET_ABSTRACTORS,
    KNIME_BASE,
    LANDIS_KOCH_1977_WINNIPEG,
    jackknife_errors,
)
from tests.reports.agreement.samples import from_table

DECLARED = [weights for weights in Weights if weights is not Weights.CUSTOM]
COEFFICIENTS = [scott_pi, brennan_prediger, gwet_ac]


def tables_of(*tables: list[list[int]], weights: str = "unweighted") -> PairTables:
    counts = np.array(tables)
    return PairTables(counts, weighting(weights, n_categories=counts.shape[1]))


# R and Python irrCAC alike; the values of pi and AC1 by DKPro Statistics or nltk too.
PUBLISHED = [
    # table, Scott's pi, AC1 with its error, Brennan and Prediger
    (COHEN_1960_1, -0.100775, -0.047970, 0.074396, -0.065000),
    (COHEN_1960_2, 0.487179, 0.575972, 0.048000, 0.550000),
    (FLEISS_COHEN_EVERITT_1969, 0.427208, 0.593565, 0.047628, 0.550000),
    (LANDIS_KOCH_1977_WINNIPEG, 0.178238, 0.257780, 0.054412, 0.239374),
    (AGRESTI_1992_CARCINOMA, 0.473515, 0.526304, 0.058340, 0.514124),
    (FEINSTEIN_CICCHETTI_1990_1B, 0.314286, 0.808000, 0.052129, 0.700000),
    (CATS_DOGS_2, 0.352381, 0.391499, 0.131591, 0.372549),
    (KNIME_BASE, 0.243966, 0.843005, 0.026398, 0.740000),
    # Brennan & Prediger 1981, EPM 41, 687-699: .40.
    (BRENNAN_PREDIGER_1981_1, 0.223301, 0.461279, 0.074720, 0.400000),
    (GWET_ABSTRACTORS, 0.796240, 0.849331, 0.043217, 0.835000),
]


@pytest.mark.parametrize(("table", "pi", "ac1", "ac1_se", "bp"), PUBLISHED)
def test_published_tables(table, pi, ac1, ac1_se, bp):
    tables = tables_of(table)

    scott, gwet, brennan = (each(tables).at(0) for each in (scott_pi, gwet_ac, brennan_prediger))

    assert (scott.value, gwet.value, brennan.value) == pytest.approx((pi, ac1, bp), abs=6e-7)
    assert gwet.se == pytest.approx(ac1_se, abs=6e-7)
    assert (gwet.ci_low, gwet.ci_high) == pytest.approx(
        (ac1 - 1.959964 * ac1_se, ac1 + 1.959964 * ac1_se), abs=3e-6
    )


def test_published_errors_of_pi_and_brennan_prediger():
    # Cohen 1960, first example; R and Python irrCAC.
    tables = tables_of(COHEN_1960_1)

    assert scott_pi(tables).se[0] == pytest.approx(0.0575594504, abs=1e-9)
    assert brennan_prediger(tables).se[0] == pytest.approx(0.0680643078, abs=1e-9)


def test_published_ac2():
    # Cohen 1960, first example, linear weights; R and Python irrCAC.
    found = gwet_ac(tables_of(COHEN_1960_1, weights="linear")).at(0)

    assert (found.value, found.se) == pytest.approx((0.0702702703, 0.0835195164), abs=1e-9)


def test_chance_worked_by_hand():
    # Half of all labels in each of two categories: chance is a half for all three, (0.6 - 0.5) / 0.5.
    tables = tables_of([[3, 2], [2, 3]])

    for coefficient in (scott_pi, brennan_prediger, gwet_ac):
        assert coefficient(tables).value.tolist() == pytest.approx([0.2])


def test_percent_agreement_has_the_wilson_interval():
    # Newcombe 1998, Statistics in Medicine 17, 857-872: 81 of 263, .2553 to .3662.
    found = percent_agreement(tables_of([[41, 100], [82, 40]])).at(0)

    assert found.value == pytest.approx(81 / 263)
    assert (found.ci_low, found.ci_high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert found.method == "Wilson"


def test_weighted_percent_agreement_is_a_mean_of_similarities():
    # Linear: 4 items at 1, 2 at 1/2, 2 at 0; mean 5/8, mean square 4.5/8.
    found = percent_agreement(tables_of([[2, 1, 2], [1, 1, 0], [0, 0, 1]], weights="linear")).at(0)

    assert found.value == pytest.approx(5 / 8)
    assert found.se == pytest.approx(np.sqrt((4.5 / 8 - 25 / 64) / 8))
    assert found.method == "normal"


@pytest.mark.parametrize("weights", DECLARED)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("table", [LANDIS_KOCH_1977_WINNIPEG, AGRESTI_1992_CARCINOMA])
def test_the_error_is_close_to_the_jackknife(table, coefficient, weights):
    costs = weighting(weights, n_categories=len(table))

    found = coefficient(PairTables(np.array([table]), costs)).se[0]

    assert found == pytest.approx(
        jackknife_errors(lambda counts: coefficient(PairTables(counts, costs)).value, table), rel=0.03
    )


@pytest.mark.parametrize("weights", DECLARED)
@pytest.mark.parametrize(
    ("coefficient", "statistic"),
    [(scott_pi, FLEISS_KAPPA), (brennan_prediger, BRENNAN_PREDIGER), (gwet_ac, GWET_AC)],
)
def test_all_raters_together_are_the_same_if_there_are_two(coefficient, statistic, weights):
    table = LANDIS_KOCH_1977_WINNIPEG
    overall = estimate(statistic, Sample(from_table(table)), Scale(n_categories=4, weights=weights))

    found = coefficient(tables_of(table, weights=weights)).at(0)

    assert found.value == pytest.approx(overall.value, abs=1e-12)
    # Theirs divides by n (n - 1), that from a table by n^2.
    assert found.se * np.sqrt(149 / 148) == pytest.approx(overall.se, rel=1e-9)


EMPTY, ALL_FIRST, APART = [[0, 0], [0, 0]], [[7, 0], [0, 0]], [[0, 7], [0, 0]]
ONE_ALIKE, ONE_APART, PERFECT, REVERSED = (
    [[1, 0], [0, 0]],
    [[0, 1], [0, 0]],
    [[5, 0], [0, 2]],
    [[0, 5], [5, 0]],
)
DEGENERATE = [
    # coefficient, table, value, error, reason
    (scott_pi, EMPTY, None, None, Reason.NO_OVERLAP),
    (brennan_prediger, EMPTY, None, None, Reason.NO_OVERLAP),
    (gwet_ac, EMPTY, None, None, Reason.NO_OVERLAP),
    (percent_agreement, EMPTY, None, None, Reason.NO_OVERLAP),
    (scott_pi, ALL_FIRST, None, None, Reason.NO_VARIATION),
    (brennan_prediger, ALL_FIRST, 1, 0, Reason.NONE),
    (gwet_ac, ALL_FIRST, 1, 0, Reason.DEGENERATE_SE),
    (percent_agreement, ALL_FIRST, 1, 0, Reason.NONE),
    (scott_pi, APART, -1, None, Reason.DEGENERATE_MARGINS),
    (brennan_prediger, APART, -1, None, Reason.DEGENERATE_MARGINS),
    (gwet_ac, APART, -1, None, Reason.DEGENERATE_MARGINS),
    (percent_agreement, APART, 0, 0, Reason.NONE),
    (scott_pi, ONE_ALIKE, None, None, Reason.NO_VARIATION),
    (gwet_ac, ONE_ALIKE, 1, None, Reason.ONE_ITEM),
    (scott_pi, ONE_APART, -1, None, Reason.ONE_ITEM),
    (brennan_prediger, ONE_APART, -1, None, Reason.ONE_ITEM),
    (percent_agreement, ONE_APART, 0, None, Reason.ONE_ITEM),
    (scott_pi, PERFECT, 1, 0, Reason.DEGENERATE_SE),
    (brennan_prediger, PERFECT, 1, 0, Reason.NONE),
    (gwet_ac, PERFECT, 1, 0, Reason.DEGENERATE_SE),
    (scott_pi, REVERSED, -1, 0, Reason.DEGENERATE_SE),
]


@pytest.mark.parametrize(("coefficient", "table", "value", "se", "reason"), DEGENERATE)
def test_degenerate_tables(coefficient, table, value, se, reason):
    found = coefficient(tables_of(table)).at(0)

    assert (found.value, found.se, found.reason) == (value, se, reason)
    assert (found.ci_low is None) == (reason is not Reason.NONE)


def test_the_wilson_interval_of_full_agreement_ends_at_one():
    found = percent_agreement(tables_of(ALL_FIRST)).at(0)

    assert found.ci_low == pytest.approx(7 / (7 + 1.959964**2), abs=1e-6)
    assert found.ci_high == 1


def test_one_declared_category_leaves_no_chance_model():
    tables = tables_of([[9]])

    assert [each(tables).at(0).reason for each in COEFFICIENTS] == [Reason.NO_VARIATION] * 3
    assert percent_agreement(tables).at(0).value == 1


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_a_rater_with_one_category_still_leaves_an_error(coefficient):
    found = coefficient(tables_of([[5, 2], [0, 0]])).at(0)

    assert found.reason is Reason.NONE
    assert found.se > 0


def test_weighted_coefficients_may_be_less_than_minus_one():
    # Linear weights of three categories: by chance 5/9, and nothing agrees: -5/9 / (4/9).
    tables = tables_of([[0, 0, 4], [0, 0, 0], [3, 0, 0]], [[0, 0, 4], [1, 0, 0], [0, 0, 0]], weights="linear")

    found = brennan_prediger(tables)

    # One of five at half: (1/10 - 5/9) / (4/9).
    assert found.value.tolist() == pytest.approx([-1.25, -1.025])
    assert found.ci_low[1] < -1.025 < found.ci_high[1]


def test_a_category_nobody_used_counts_only_where_the_number_of_categories_does():
    without, unused = tables_of([[20, 5], [3, 10]]), tables_of([[20, 5, 0], [3, 10, 0], [0, 0, 0]])

    assert scott_pi(unused).at(0) == scott_pi(without).at(0)
    # (30/38 - 1/3) / (2/3) instead of (30/38 - 1/2) / (1/2).
    assert brennan_prediger(unused).value[0] == pytest.approx(13 / 19)
    assert brennan_prediger(without).value[0] == pytest.approx(11 / 19)


def test_less_confidence_makes_a_shorter_interval():
    tables = tables_of(COHEN_1960_2)

    for each in (*COEFFICIENTS, percent_agreement):
        wide, narrow = each(tables, confidence=0.95).at(0), each(tables, confidence=0.5).at(0)
        assert narrow.value == wide.value
        assert wide.ci_low < narrow.ci_low < narrow.ci_high < wide.ci_high


def test_no_pairs_have_no_estimates():
    tables = PairTables(np.empty((0, 3, 3), dtype=int), weighting("linear", n_categories=3))

    for each in (*COEFFICIENTS, percent_agreement):
        assert len(each(tables).value) == 0


@pytest.mark.parametrize(
    ("counts", "n_categories", "message"),
    [
        (np.zeros((2, 2), dtype=int), 2, r"\(P, K, K\)"),
        (np.zeros((1, 2, 2), dtype=int), 3, "costs must be"),
        (np.full((1, 2, 2), -1), 2, "negative"),
    ],
)
def test_wrong_tables_are_refused(counts, n_categories, message):
    with pytest.raises(ValueError, match=message):
        PairTables(counts, weighting("unweighted", n_categories=n_categories))


tables_of_counts = st.integers(2, 5).flatmap(
    lambda n: arrays(np.int64, (3, n, n), elements=st.integers(0, 30))
)


@given(tables_of_counts, st.sampled_from(DECLARED), st.sampled_from([*COEFFICIENTS, percent_agreement]))
def test_raters_may_change_places(counts, weights, coefficient):
    costs = weighting(weights, n_categories=counts.shape[1])

    one, other = (coefficient(PairTables(each, costs)) for each in (counts, counts.transpose(0, 2, 1)))

    for name in ("value", "se", "ci_low", "ci_high"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-9, nan_ok=True)


@given(tables_of_counts, st.sampled_from(DECLARED), st.sampled_from(COEFFICIENTS))
def test_values_and_intervals_stay_within_bounds(counts, weights, coefficient):
    found = coefficient(PairTables(counts, weighting(weights, n_categories=counts.shape[1])))

    for each in (found.at(position) for position in range(len(counts))):
        assert (each.value is None) == (each.reason in (Reason.NO_OVERLAP, Reason.NO_VARIATION))
        assert (each.ci_low is None) == (each.reason is not Reason.NONE)
        if each.ci_low is not None:
            assert each.ci_low <= each.value <= each.ci_high <= 1


@given(arrays(np.int64, (4, 2, 2), elements=st.integers(0, 40)))
def test_brennan_prediger_of_two_categories_is_pabak(counts):
    tables = PairTables(counts, weighting("unweighted", n_categories=2))

    one, other = brennan_prediger(tables), pabak(counts)

    for name in ("value", "se", "ci_high"):
        known = ~np.isnan(getattr(one, name)) & ~np.isnan(getattr(other, name))
        assert getattr(one, name)[known] == pytest.approx(getattr(other, name)[known], abs=1e-12)
    assert (np.isnan(one.value) == np.isnan(other.value)).all()
