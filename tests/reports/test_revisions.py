"""What of an earlier report is not compared with the figures of today."""

import pytest

from reports.analysis.revisions import comparable, not_compared

FIGURE = {
    "value": 0.5, "se": 0.3, "ci_low": -2.1, "ci_high": 1.0, "is_clipped": True, "reason": "",
    "interval_method": "t over items", "method": "item mean", "n_items": 2,
}  # fmt: skip
WILSON = FIGURE | {"ci_low": 0.0945, "ci_high": 0.9055, "is_clipped": False, "interval_method": "Wilson"}


@pytest.mark.parametrize("name", ["percent_agreement", "all_agree", "specific_agreement"])
def test_the_interval_of_a_share_is_not_compared(name):
    found, stored = comparable({name: WILSON}, {name: FIGURE}, "0.1.0")

    assert found == stored == {name: {"value": 0.5, "method": "item mean", "n_items": 2}}


def test_one_way_correlations_are_not_compared():
    found, stored = comparable(
        {"icc_1_1": FIGURE, "icc_a_1": FIGURE}, {"icc_1_1": {"value": None}, "icc_a_1": FIGURE}, "0.1.0"
    )

    assert found.keys() == stored.keys() == {"icc_a_1"}


def test_a_value_is():
    found, stored = comparable(
        {"percent_agreement": WILSON}, {"percent_agreement": FIGURE | {"value": 0.4}}, "0.1.0"
    )

    assert found != stored


def test_categories_stand_in_lists():
    found, stored = comparable(
        {"categories": {"specific_agreement": [WILSON, WILSON]}},
        {"categories": {"specific_agreement": [FIGURE, FIGURE]}},
        "0.2.0",
    )

    assert found == stored


@pytest.mark.parametrize(("name", "lowest"), [("krippendorff_alpha", -1), ("kendall_w", 0)])
def test_a_limit_below_the_lowest_value_is_where_it_ends_now(name, lowest):
    found, stored = comparable({name: FIGURE | {"ci_low": lowest}}, {name: FIGURE}, "0.1.0")

    assert found == stored


def test_another_limit_is_compared():
    found, stored = comparable(
        {"krippendorff_alpha": FIGURE | {"ci_low": -0.2}}, {"krippendorff_alpha": FIGURE}, "0.1.0"
    )

    assert found != stored


def test_resampled_intervals_are_compared():
    drawn = FIGURE | {"interval_method": "percentile bootstrap"}

    found, stored = comparable(
        {"percent_agreement": drawn}, {"percent_agreement": drawn | {"ci_low": 0.1}}, "0.1.0"
    )

    assert found != stored


def test_a_report_of_this_version_is_compared_whole():
    found, stored = {"percent_agreement": WILSON}, {"percent_agreement": FIGURE}

    assert comparable(found, stored, "0.3.0") == (found, stored)
    assert not_compared("0.3.0") == []
    assert len(not_compared("0.1.0")) == 8


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("krippendorff_alpha", FIGURE | {"method": "ordinal"}),
        ("bland_altman_upper", FIGURE | {"method": "rater_a - rater_b", "interval_method": ""}),
    ],
)
def test_corrected_errors_are_not_compared_and_their_values_are(name, stored):
    corrected = stored | {"se": 0.4, "ci_low": -0.9}

    found, kept = comparable({name: corrected}, {name: stored}, "0.1.0")
    other, _ = comparable({name: corrected | {"value": 0.6}}, {name: stored}, "0.1.0")

    assert found == kept
    assert other != kept


def test_other_levels_of_alpha_are_compared():
    stored = FIGURE | {"method": "interval"}

    found, kept = comparable(
        {"krippendorff_alpha": stored | {"se": 0.4}}, {"krippendorff_alpha": stored}, "0.1.0"
    )

    assert found != kept


def test_an_interval_of_goodness_of_fit_is_not_compared_with_a_normal_one():
    normal = FIGURE | {"ci_low": -0.088, "ci_high": 1.0, "interval_method": "normal"}
    fitted = FIGURE | {
        "ci_low": -0.2,
        "ci_high": 0.9,
        "is_clipped": False,
        "interval_method": "goodness of fit",
    }

    found, stored = comparable({"cohen_kappa": [fitted, normal]}, {"cohen_kappa": [normal, normal]}, "0.2.0")

    assert found == stored


def test_estimates_from_one_start_are_not_compared():
    found, stored = comparable(
        {"majority_vote": 1, "dawid_skene": {"log_likelihood": -74.5}},
        {"majority_vote": 1, "dawid_skene": {"log_likelihood": -81.5}},
        "0.2.0",
    )

    assert found == stored == {"majority_vote": 1}


def test_an_interval_in_full_agreement_is_not_compared_with_none():
    without = FIGURE | {"value": 1.0, "se": 0.0, "ci_low": None, "ci_high": None, "reason": "degenerate_se"}
    fitted = without | {"ci_low": 0.2193, "ci_high": 1.0, "reason": "", "interval_method": "Wilson"}

    found, stored = comparable({"brennan_prediger": fitted}, {"brennan_prediger": without}, "0.2.0")

    assert found == stored
