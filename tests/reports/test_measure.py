"""What a question is judged by, from its scale and design, and what its interval then decides."""

import pytest

from projects.measures import offered_coefficients, offered_weights
from reports.agreement.planning.criterion_decision import (
    CriterionDecision,
    CriterionOutcome,
    decide,
    items_to_decide,
)
from reports.agreement.planning.extrapolation import by_square_root
from reports.agreement.planning.kappa import items_for_kappa_width
from reports.agreement.weights import Weights, weighting
from reports.analysis.measure import MeasureJson, RatingDesign, coefficients_for, measure_for, weights_for

NOTHING = MeasureJson(coefficient="", weights="unweighted", criterion=None)
TWO, MANY = RatingDesign(n_raters=2), RatingDesign(n_raters=5)
GAPS = RatingDesign(n_raters=5, crossed=0.4, has_components=True)
# Groups of raters who share no item.
GROUPS = RatingDesign(n_raters=6, crossed=0.0)


@pytest.mark.parametrize(
    ("kind", "level", "design", "coefficient", "criterion"),
    [
        ("single", "nominal", TWO, "cohen_kappa", 0.6),
        ("single", "nominal", MANY, "fleiss_kappa", 0.6),
        ("single", "ordinal", TWO, "krippendorff_alpha", 0.667),
        ("single", "ordinal", MANY, "krippendorff_alpha", 0.667),
        ("single", "ratio", MANY, "krippendorff_alpha", 0.667),
        ("number", "interval", TWO, "icc_a_1", 0.75),
        ("number", "ratio", MANY, "icc_a_1", 0.75),
        ("number", "ratio", GAPS, "icc_a_1_reml", 0.75),
        ("number", "ratio", GROUPS, "icc_1_1", 0.75),
        ("number", "ordinal", MANY, "krippendorff_alpha", 0.667),
        ("multiple", "nominal", MANY, "krippendorff_alpha", 0.667),
    ],
)
def test_the_measure_fits_scale_and_design(kind, level, design, coefficient, criterion):
    found = measure_for(kind, level, design, NOTHING)

    assert (found.coefficient, found.criterion) == (coefficient, criterion)


def test_what_the_lead_chose_holds_where_it_can():
    chosen = MeasureJson(coefficient="gwet_ac1", weights="linear", criterion=0.8)

    found = measure_for("single", "ordinal", MANY, chosen)
    of_sets = measure_for("multiple", "nominal", MANY, chosen)

    assert (found.coefficient, found.weights, found.criterion) == ("gwet_ac1", Weights.LINEAR, 0.8)
    assert of_sets.coefficient == "krippendorff_alpha"


def test_a_two_way_icc_that_the_lead_chose_has_the_form_of_the_design():
    chosen = MeasureJson(coefficient="icc_c_1", weights="unweighted", criterion=None)

    found = [measure_for("number", "interval", each, chosen).coefficient for each in (MANY, GAPS, GROUPS)]

    assert found == ["icc_c_1", "icc_c_1_reml", "icc_c_1"]


def test_cohens_kappa_is_for_two():
    chosen = MeasureJson(coefficient="cohen_kappa", weights="unweighted", criterion=None)

    assert measure_for("single", "nominal", TWO, chosen).coefficient == "cohen_kappa"
    assert measure_for("single", "nominal", MANY, chosen).coefficient == "fleiss_kappa"


def test_only_weights_that_fit_the_scale_are_offered():
    assert list(weights_for("single", "nominal")) == [Weights.UNWEIGHTED]
    assert Weights.QUADRATIC in weights_for("single", "ordinal")
    assert Weights.RATIO not in weights_for("single", "interval")
    assert Weights.RATIO in weights_for("single", "ratio")
    assert list(weights_for("number", "ratio")) == [Weights.UNWEIGHTED]


@pytest.mark.parametrize(
    ("low", "value", "high", "decision"),
    [
        (0.6, 0.7, 0.8, CriterionDecision(CriterionOutcome.MET)),
        (0.4, 0.5, 0.5999, CriterionDecision(CriterionOutcome.NOT_MET)),
        # 100 (0.2 / 0.1)^2 = 400 items in all.
        (0.5, 0.7, 0.9, CriterionDecision(CriterionOutcome.UNDECIDED, 300)),
        # With 100 (0.15 / 0.05)^2 = 900 items in all, the interval ends at the criterion, and must lie below it.
        (0.4, 0.55, 0.7, CriterionDecision(CriterionOutcome.UNDECIDED, 801)),
        (0.5, 0.6, 0.7, CriterionDecision(CriterionOutcome.UNDECIDED, is_close=True)),
        (None, 0.7, None, CriterionDecision(None)),
        (None, None, None, CriterionDecision(None)),
    ],
)
def test_the_interval_is_compared_with_the_criterion(low, value, high, decision):
    limits = None if low is None else by_square_root(value, low=low, high=high, n_items=100)

    assert decide(value=value, low=low, high=high, criterion=0.6, n_items=100, limits=limits) == decision


def test_without_a_rule_for_more_items_their_number_is_unknown():
    found = decide(value=0.7, low=0.5, high=0.9, criterion=0.6, n_items=100, limits=None)

    assert found == CriterionDecision(CriterionOutcome.UNDECIDED)


def test_the_items_are_those_that_the_planner_finds_for_kappa():
    # Its half-width with n items, from the large-sample error, ends at the criterion with the items that it finds.
    plan = {"kappa": 0.7, "half_width": 0.1}
    needed = items_for_kappa_width((0.5, 0.5), (0.5, 0.5), weighting("unweighted", n_categories=2), **plan)
    # tau^2 = n var: for margins of a half, 1 - kappa^2 (Fleiss, Cohen & Everitt 1969).
    reach = 1.959963984540054 * ((1 - 0.7**2) / 50) ** 0.5

    found = items_to_decide(value=0.7, low=0.7 - reach, high=0.7 + reach, criterion=0.6, n_items=50)

    assert found == needed.n_items


@pytest.mark.parametrize("kind", ["single", "multiple", "number"])
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_leads_choose_among_what_reports_know(kind, level):
    assert {str(each) for each in offered_coefficients(kind, level)} == {*coefficients_for(kind, level)}
    assert [str(each) for each in offered_weights(kind, level)] == [*weights_for(kind, level)]
