"""Plans of studies: what is answered, what is refused, and how page, API and command say it."""

from dataclasses import replace

import numpy as np
import pytest

from core.templatetags.shown import in_percent
from reports.agreement.planning.curve import prevalence_curve
from reports.agreement.planning.icc import IccForm, IccStudy, items_for_icc_power, items_for_icc_width
from reports.agreement.planning.kappa import items_for_kappa_test, items_for_kappa_width
from reports.agreement.planning.latent_class import by_sensitivity
from reports.agreement.weights import weighting
from reports.pictures.prevalence_plot import curve_picture
from reports.plans.answer import POWER, StudyPlan, answer
from reports.plans.form import PlanForm
from reports.plans.presentation import LINES, rows_of, sentence, uncertainty
from tests.reports.drawn import marks, words
from tests.sizes import only_in_full


def items_by_test():
    margins, unweighted = [0.3, 0.7], weighting("unweighted", n_categories=2)
    return items_for_kappa_test(margins, margins, unweighted, kappa=0.6, null=0.4).n_items


def test_cohens_kappa_by_both_formulas():
    found = answer(StudyPlan(aim=POWER, value=0.6, null=0.4, shares=(0.3, 0.7)))

    # The second: R kappaSize 1.2.
    assert [needed.n_items for needed in found.items] == [items_by_test(), 191]
    assert found.items[1].method == "goodness-of-fit test of kappa"


def test_the_curve_passes_through_the_plan():
    found = answer(StudyPlan(value=0.6, shares=(0.3, 0.7)))

    place = list(found.curve.prevalence).index(0.3)
    assert found.curve.cohen_kappa[place] == pytest.approx(0.6)
    assert found.rates == pytest.approx((0.6**0.5 + (1 - 0.6**0.5) * 0.3, 0.6**0.5 + (1 - 0.6**0.5) * 0.7))


def test_known_error_rates_make_the_curve():
    found = answer(StudyPlan(sensitivity=0.9, specificity=0.9))

    assert found.rates == (0.9, 0.9)
    assert found.curve.cohen_kappa[49] == pytest.approx(0.64)


def test_other_categories_keep_their_proportions_along_the_curve():
    found = answer(StudyPlan(value=0.5, shares=(0.2, 0.2, 0.6)))

    assert found.rates is None
    assert found.curve.scott_pi[19] == pytest.approx(0.5)


def test_a_simulated_coefficient():
    plan = StudyPlan(statistic="krippendorff_alpha", n_raters=3, half_width=0.15, n_replicates=200)
    found = answer(plan)

    [needed] = found.items
    assert 0.14 < needed.reached <= 0.15
    assert needed.se > 0
    assert "Simulation error: ±" in uncertainty(needed)
    assert answer(replace(plan, seed=1)).items[0].n_items == pytest.approx(needed.n_items, rel=0.1)


def test_cohens_kappa_by_its_interval_and_its_lower_limit():
    found = answer(StudyPlan(value=0.6, half_width=0.2, shares=(0.3, 0.7)))

    # R kappaSize 1.2.
    assert found.items[1].n_items == 66
    assert sentence(found, found.items[1]).endswith(
        "lower limit for Cohen’s κ = 0.60 is expected to be 0.40."
    )


def test_weights_need_other_numbers_of_items():
    shares, half_width = (0.2, 0.3, 0.5), 0.1
    [needed] = answer(StudyPlan(weights="quadratic", value=0.6, shares=shares, half_width=half_width)).items

    weights = weighting("quadratic", n_categories=3)
    formula = items_for_kappa_width(shares, shares, weights, kappa=0.6, half_width=half_width)
    assert needed.n_items == formula.n_items
    ac2 = StudyPlan(statistic="gwet_ac1", weights="quadratic", shares=shares, n_raters=3, n_replicates=100)
    assert answer(ac2).items[0].n_items != answer(replace(ac2, weights="unweighted")).items[0].n_items


def test_raters_who_use_the_categories_differently_and_one_side():
    asked = {"aim": POWER, "value": 0.5, "null": 0.3, "shares": (0.3, 0.7)}
    [needed] = answer(StudyPlan(**asked, shares_b=(0.4, 0.6), n_sides=1)).items

    unweighted = weighting("unweighted", n_categories=2)
    formula = items_for_kappa_test([0.3, 0.7], [0.4, 0.6], unweighted, kappa=0.5, null=0.3, n_sides=1)
    assert needed == formula
    assert needed.n_items != answer(StudyPlan(**asked, n_sides=1)).items[0].n_items
    assert needed.n_items < answer(StudyPlan(**asked, shares_b=(0.4, 0.6))).items[0].n_items


def test_error_rates_of_three_categories_make_the_curve():
    a = ((0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.2, 0.2, 0.6))
    b = ((0.9, 0.1, 0.0), (0.0, 1.0, 0.0), (0.1, 0.1, 0.8))
    shares = (0.2, 0.3, 0.5)
    found = answer(StudyPlan(shares=shares, value=0.6, confusion_a=a, confusion_b=b))

    expected = prevalence_curve(np.array(a), np.array(b), prevalence=[0.2], others=shares)
    assert found.curve.cohen_kappa[19] == pytest.approx(expected.cohen_kappa[0])
    # 0.2 of 0.72 + 0.01, 0.3 of 0.8, 0.5 of 0.02 + 0.02 + 0.48.
    assert found.curve.percent_agreement[19] == pytest.approx(0.2 * 0.73 + 0.3 * 0.8 + 0.5 * 0.52)
    assert found.rates is None


def test_one_number_is_how_often_a_rater_is_right():
    found = answer(StudyPlan(shares=(0.2, 0.3, 0.5), confusion_a=((0.8,),)))

    # 0.8 x 0.8, or twice the same wrong category of two: 0.1 x 0.1.
    assert found.curve.percent_agreement == pytest.approx(0.8**2 + 2 * 0.1**2)
    with pytest.raises(ValueError, match="accuracy must be from 0 to 1, got 80"):
        answer(StudyPlan(shares=(0.2, 0.3, 0.5), confusion_a=((80,),)))


@only_in_full
def test_alpha_of_another_level():
    alpha = StudyPlan(statistic="krippendorff_alpha", shares=(0.2, 0.3, 0.5), n_raters=3, n_replicates=200)

    ordinal = answer(replace(alpha, statistic="krippendorff_alpha_ordinal"))

    assert sentence(ordinal, ordinal.items[0]).startswith(
        f"With {ordinal.items[0].n_items} items and 3 raters"
    )
    assert ordinal.items[0].n_items > 1.1 * answer(alpha).items[0].n_items


def test_consistency_is_planned_by_its_own_interval():
    plan = StudyPlan(statistic="icc_consistency", n_raters=3, value=0.5, half_width=0.3)

    [needed] = answer(plan).items

    consistent, one_way = (
        items_for_icc_width(IccStudy(icc=0.5, n_raters=3, form=form), half_width=0.3)
        for form in (IccForm.CONSISTENCY, IccForm.ONE_WAY)
    )
    assert needed == consistent
    assert "ICC(C,1) = 0.50" in sentence(answer(plan), needed)
    assert needed.reached != one_way.reached


@only_in_full
def test_absolute_agreement_is_planned_with_raters_who_differ():
    plan = StudyPlan(statistic="icc_agreement", n_raters=5, value=0.8, rater_share=0.02)
    study = IccStudy(icc=0.8, n_raters=5, form=IccForm.ABSOLUTE, rater_share=0.02)

    [by_width] = answer(plan).items
    [by_power] = answer(replace(plan, aim=POWER, null=0.6)).items

    assert by_width == items_for_icc_width(study, half_width=0.1)
    assert by_power == items_for_icc_power(study, null=0.6)
    sentence_shown = sentence(answer(plan), by_width)
    assert sentence_shown.startswith(
        f"With {by_width.n_items} items and 5 raters who account for {in_percent('2')} of the"
    )


@only_in_full
def test_too_few_raters_are_refused_with_the_number_that_is_enough():
    with pytest.raises(ValueError, match="at least 5 raters are needed"):
        answer(StudyPlan(statistic="icc_agreement", n_raters=3, value=0.7, rater_share=0.1))


OF_SETS = {
    "statistic": "krippendorff_alpha_masi",
    "raters": "3",
    "shares": "0.4, 0.3, 0.2, 0.1",
    "sets": "joy, anger, joy + anger, -",
}


def test_sets_of_categories_from_the_form_to_the_answer():
    form = PlanForm(OF_SETS)

    found = form.answer()

    assert found.plan.sets == (("joy",), ("anger",), ("joy", "anger"), ())
    [needed] = found.items
    assert 0.095 < needed.reached <= 0.1
    assert found.curve is None
    assert found.assumed


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"sets": "a, b"}, "__all__"),
        ({"sets": ""}, "__all__"),
        ({"sets": "a, b, a+, c"}, "sets"),
        ({"sets": "a, b, b, c"}, "__all__"),
        ({"statistic": "fleiss_kappa"}, "__all__"),
    ],
)
def test_sets_that_do_not_fit_their_shares_are_refused(changed, field):
    form = PlanForm(OF_SETS | changed)

    assert form.answer() is None
    assert list(form.errors) == [field]


def test_an_icc_has_no_curve():
    found = answer(StudyPlan(statistic="icc", n_raters=3, value=0.5, half_width=0.05))

    assert found.curve is None
    assert found.assumed
    assert found.items[0].n_items == pytest.approx(513, rel=0.01)
    n_items = found.items[0].n_items
    assert sentence(found, found.items[0]).startswith(
        f"With {n_items} items and 3 raters, the {in_percent('95')} CI for ICC(1,1) = 0.50"
        " has an expected half-width of 0.050"
    )


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (StudyPlan(statistic="kappa"), "coefficient must be one of"),
        (StudyPlan(aim="luck"), "aim must be one of"),
        (StudyPlan(n_raters=3), "Cohen’s κ is for two raters, got 3"),
        (StudyPlan(value=0.3, aim=POWER), "must be above the lower value, got 0.3 and 0.4"),
        (StudyPlan(statistic="gwet_ac1", value=0.3, aim=POWER), "must be above the lower value"),
        (StudyPlan(value=-0.2), "raters who only guess reach"),
        (StudyPlan(value=1), "below 1"),
        (StudyPlan(shares=(0.5, 0.6)), "must sum to 1"),
        (StudyPlan(sensitivity=0.9), "give both sensitivity and specificity, or neither"),
        (
            StudyPlan(sensitivity=0.9, specificity=0.9, shares=(0.3, 0.3, 0.4)),
            "require exactly two categories",
        ),
        (StudyPlan(statistic="icc", value=0.3, aim=POWER), "must be above the lower value"),
        (StudyPlan(statistic="icc", aim=POWER, null=-0.2), "from 0 to below"),
        (StudyPlan(half_width=0), "half width"),
        (StudyPlan(weights="heavy"), "weights must be one of"),
        (StudyPlan(statistic="krippendorff_alpha", weights="linear"), "does not support weights, got linear"),
        (
            StudyPlan(
                statistic="fleiss_kappa", n_raters=20, shares=(0.1,) * 10, half_width=0.01, max_labels=1000
            ),
            "take too long to simulate",
        ),
    ],
)
def test_invalid_plans_are_refused(plan, message):
    with pytest.raises(ValueError, match=message):
        answer(plan)


def test_the_curve_leaves_out_what_is_undefined():
    nobody_tells = by_sensitivity(1, 0)

    drawn = curve_picture(prevalence_curve(nobody_tells, nobody_tells))

    kappa, *_, agreement = marks(drawn, "lines")
    assert {point.split(",")[1] for point in agreement.get("d")[1:].split("L")} == {"0"}
    assert not kappa.get("d")
    assert "Cohen’s κ (undefined)" in words(drawn)


def test_the_curve_begins_below_zero_where_a_coefficient_does():
    usual = curve_picture(answer(StudyPlan()).curve)
    opposite = curve_picture(prevalence_curve(by_sensitivity(0.9, 0.1), by_sensitivity(0.1, 0.9)))

    assert "−0.2" not in words(usual)
    assert "−0.8" in words(opposite)
    assert "−1.0" not in words(opposite)


def test_the_table_says_what_the_curve_shows():
    rows = rows_of(answer(StudyPlan(sensitivity=0.9, specificity=0.9)).curve)

    middle = next(row for row in rows if row.share == "0.50")
    assert dict(zip(LINES, middle.values, strict=True)) == {
        "percent_agreement": "0.820",
        "gwet_ac1": "0.640",
        "brennan_prediger": "0.640",
        "cohen_kappa": "0.640",
    }
