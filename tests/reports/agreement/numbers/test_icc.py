"""Intraclass correlations against published values, and where they are undefined."""

import numpy as np
import pytest

from reports.agreement.numbers.icc import intraclass_correlations
from reports.agreement.numbers.matrix import NumberSample
from tests.reports.agreement.numbers.published import ANXIETY, PEFR, SHROUT_FLEISS

NAMES = ["icc_1_1", "icc_a_1", "icc_c_1", "icc_1_k", "icc_a_k", "icc_c_k"]


@pytest.mark.parametrize(
    ("name", "published"),
    list(zip(NAMES, [0.17, 0.29, 0.71, 0.44, 0.62, 0.91], strict=True)),
)
def test_the_six_of_shrout_and_fleiss_are_as_printed(name, published):
    """Shrout & Fleiss 1979, Psychological Bulletin 86, 420-428, table 4."""
    found = intraclass_correlations(NumberSample(SHROUT_FLEISS))[name]

    assert round(found.value, 2) == published


@pytest.mark.parametrize(
    ("name", "value", "low", "high"),
    [
        ("icc_1_1", 0.165741768405476, -0.132932324874751, 0.722560062328121),
        ("icc_a_1", 0.289763779527559, 0.018786513374712, 0.761084369648953),
        ("icc_c_1", 0.714840714840715, 0.342464765033925, 0.94585825995536),
        ("icc_1_k", 0.442797133679269, -0.884442155238119, 0.912415420340776),
        ("icc_a_k", 0.620050547598989, 0.0711368153025035, 0.927232040167722),
        ("icc_c_k", 0.909315542377069, 0.675674713816305, 0.985891678169062),
    ],
)
def test_intervals_are_those_of_mcgraw_and_wong(name, value, low, high):
    """R: psych::ICC(sf)$results; irr::icc gives the same except for ICC(A,k), whose interval is wrong there."""
    found = intraclass_correlations(NumberSample(SHROUT_FLEISS))[name]

    assert (found.value, found.ci_low, found.ci_high) == pytest.approx((value, low, high), abs=1e-9)
    assert found.se is None
    assert found.interval_method == "F"


@pytest.mark.parametrize(
    ("name", "value", "low", "high"),
    [
        ("icc_a_1", 0.94592840557731, 0.857411171234992, 0.980078659146259),
        ("icc_a_k", 0.972212957954818, 0.923232491021253, 0.989939116427662),
        ("icc_1_1", 0.946014725088045, 0.860790171319928, 0.979939215450636),
    ],
)
def test_absolute_agreement_of_two_meters(name, value, low, high):
    """R: psych::ICC on the first readings of Bland & Altman 1986."""
    found = intraclass_correlations(NumberSample(PEFR))[name]

    assert (found.value, found.ci_low, found.ci_high) == pytest.approx((value, low, high), abs=1e-9)


def test_low_agreement_has_a_negative_limit():
    """R: irr::icc(anxiety, model="twoway", type="agreement")."""
    found = intraclass_correlations(NumberSample(ANXIETY))["icc_a_1"]

    expected = (0.197998259355962, -0.0389106260931603, 0.493573945972123)
    assert (found.value, found.ci_low, found.ci_high) == pytest.approx(expected, abs=1e-9)


def test_items_that_not_all_raters_labeled_are_left_out_and_counted():
    values = np.vstack([SHROUT_FLEISS, [[5, np.nan, 4, 4], [np.nan, 9, np.nan, np.nan]]])

    found = intraclass_correlations(NumberSample(values))["icc_a_1"]

    assert found.value == pytest.approx(0.289763779527559, abs=1e-12)
    assert (found.used.n_items, found.used.n_labels) == (6, 24)
    assert (found.left_out.n_items, found.left_out.n_raters, found.left_out.n_labels) == (2, 0, 4)


def test_a_rater_without_any_label_is_no_rater():
    values = np.hstack([SHROUT_FLEISS, np.full((6, 1), np.nan)])

    found = intraclass_correlations(NumberSample(values))["icc_1_1"]

    assert found.value == pytest.approx(0.165741768405476, abs=1e-12)
    assert found.used.n_raters == 4


NAN = np.nan


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([[NAN, NAN], [NAN, NAN]], "no_items"),
        ([[1, NAN], [NAN, 2]], "no_overlap"),
        ([[1], [2]], "no_overlap"),
        ([[1, 2], [3, NAN]], "n<2"),
        ([[0.1, 0.1], [0.1, 0.1]], "no_variation"),
    ],
)
def test_all_six_are_undefined(values, reason):
    found = intraclass_correlations(NumberSample(values))

    assert {each.value for each in found.values()} == {None}
    assert {str(each.reason) for each in found.values()} == {reason}


def test_without_a_complete_item_there_is_one_way_analysis():
    found = intraclass_correlations(NumberSample([[1, 2, NAN], [NAN, 2, 4]]))

    assert {name for name, each in found.items() if each.value is not None} == {"icc_1_1", "icc_1_k"}
    assert found["icc_a_1"].reason == "no_complete_items"


def test_full_agreement_has_no_interval():
    found = intraclass_correlations(NumberSample([[0.1, 0.1], [0.7, 0.7], [0.3, 0.3]]))

    assert {each.value for each in found.values()} == {1.0}
    assert {str(each.reason) for each in found.values()} == {"degenerate_se"}
    assert {each.ci_low for each in found.values()} == {None}


def test_raters_apart_by_a_constant_are_consistent_and_do_not_agree():
    found = intraclass_correlations(NumberSample([[1.1, 2.1], [2.1, 3.1], [3.1, 4.1]]))

    assert found["icc_c_1"].value == pytest.approx(1)
    assert found["icc_c_1"].reason == "degenerate_se"
    # MSR = 2, MSC = 1.5, MSE = 0: 2 / (2 + 2 * 1.5 / 3).
    assert found["icc_a_1"].value == pytest.approx(2 / 3)
    assert found["icc_a_1"].ci_low < 2 / 3 < found["icc_a_1"].ci_high


def test_without_variation_between_items_a_mean_has_no_correlation():
    found = intraclass_correlations(NumberSample([[1.0, 2.0], [2.0, 1.0]]))

    assert (found["icc_1_1"].value, found["icc_1_1"].reason) == (-1.0, "degenerate_margins")
    assert (found["icc_1_k"].value, found["icc_1_k"].reason) == (None, "no_item_variation")
    assert (found["icc_a_k"].value, found["icc_a_k"].reason) == (None, "no_item_variation")


def test_raters_who_tell_no_items_apart():
    found = intraclass_correlations(NumberSample([[3.0, 5.0], [3.0, 5.0], [3.0, 5.0]]))

    assert (found["icc_c_1"].value, found["icc_c_1"].reason) == (None, "no_item_variation")
    assert (found["icc_a_1"].value, found["icc_a_1"].reason) == (0.0, "degenerate_margins")


def test_shifted_and_stretched_numbers_have_the_same_correlations():
    plain = intraclass_correlations(NumberSample(SHROUT_FLEISS))
    moved = intraclass_correlations(NumberSample(SHROUT_FLEISS * 0.01 + 1000))

    for name in NAMES:
        assert moved[name].value == pytest.approx(plain[name].value, abs=1e-9)
        assert moved[name].ci_low == pytest.approx(plain[name].ci_low, abs=1e-8)


def test_numbers_near_the_largest_allowed_do_not_overflow():
    plain = intraclass_correlations(NumberSample(SHROUT_FLEISS))
    huge = intraclass_correlations(NumberSample(SHROUT_FLEISS * 1e99))

    for name in NAMES:
        assert huge[name].ci_high == pytest.approx(plain[name].ci_high, abs=1e-9)
