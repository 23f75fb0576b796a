"""Items by simulation: against a formula, in fresh studies, repeatable, and what is refused."""

import numpy as np
import pytest

from reports.agreement.planning.curve import prevalence_curve
from reports.agreement.planning.kappa import items_for_kappa_width
from reports.agreement.planning.latent_class import LatentClassModel, by_accuracy, by_sensitivity
from reports.agreement.planning.simulation import (
    SIMULATED,
    Simulation,
    items_for_power,
    items_for_width,
)
from reports.agreement.sample import Scale
from reports.agreement.weights import Level, Weights, weighting
from tests.sizes import only_in_full, some


def model(n_raters=3, *, accuracy=0.85, prevalence=(0.5, 0.3, 0.2)):
    rates = by_accuracy(accuracy, n_categories=len(prevalence))
    return LatentClassModel(np.array(prevalence), np.stack([rates] * n_raters))


def simulation(statistic="fleiss_kappa", *, of=None, **options):
    of = of or model()
    scale = options.pop("scale", Scale(of.n_categories))
    return Simulation(model=of, statistic=statistic, scale=scale, **{"n_replicates": 300} | options)


def test_expected_values_are_those_of_the_curve():
    rates = by_sensitivity(0.9, 0.8)
    two = LatentClassModel(np.array([0.3, 0.7]), np.stack([rates, rates]))
    curve = prevalence_curve(rates, rates, prevalence=[0.3])

    assert simulation("fleiss_kappa", of=two).expected() == pytest.approx(curve.scott_pi[0])
    assert simulation("krippendorff_alpha", of=two).expected() == pytest.approx(curve.scott_pi[0])
    assert simulation("gwet_ac1", of=two).expected() == pytest.approx(curve.gwet_ac1[0])
    assert simulation("brennan_prediger", of=two).expected() == pytest.approx(curve.brennan_prediger[0])
    assert simulation("percent_agreement", of=two).expected() == pytest.approx(curve.percent_agreement[0])


@only_in_full
def test_two_raters_need_what_the_formula_for_kappa_says():
    rates = by_sensitivity(0.9, 0.9)
    two = LatentClassModel(np.array([0.4, 0.6]), np.stack([rates, rates]))
    kappa = prevalence_curve(rates, rates, prevalence=[0.4]).cohen_kappa[0]
    margins = [0.42, 0.58]
    unweighted = weighting("unweighted", n_categories=2)

    found = items_for_width(simulation(of=two, n_replicates=1000), half_width=0.08)

    formula = items_for_kappa_width(margins, margins, unweighted, kappa=kappa, half_width=0.08)
    assert found.n_items == pytest.approx(formula.n_items, rel=0.02)
    assert found.se < 0.01 * found.n_items
    assert found.undefined == 0


@only_in_full
@pytest.mark.parametrize("statistic", some(SIMULATED, every=2))
def test_fresh_studies_of_this_size_have_the_width(statistic):
    found = items_for_width(simulation(statistic), half_width=0.06)

    fresh = simulation(statistic, seed=99).studies(found.n_items).mean_half_width()[0]
    assert fresh == pytest.approx(0.06, rel=0.02)
    assert found.reached <= 0.06
    fewer = simulation(statistic, seed=99).studies(int(found.n_items * 0.9)).mean_half_width()[0]
    assert fewer > 0.06


@only_in_full
def test_fresh_studies_of_this_size_have_the_power():
    asked = simulation("krippendorff_alpha", n_replicates=1000)

    found = items_for_power(asked, null=0.5, power=0.8)

    fresh, se = simulation("krippendorff_alpha", n_replicates=2000, seed=7).studies(found.n_items).power(0.5)
    assert fresh == pytest.approx(0.8, abs=4 * (se**2 + found.reached_se**2) ** 0.5)
    # The error of the number of items is that of the power over what one item adds to it.
    few, many = (
        simulation("krippendorff_alpha", n_replicates=2000, seed=8)
        .studies(int(found.n_items * factor))
        .power(0.5)[0]
        for factor in (0.8, 1.2)
    )
    assert found.se == pytest.approx(found.reached_se * 0.4 * found.n_items / (many - few), rel=0.3)


def test_weights_and_levels_count():
    # Who errs, errs by one category, which weights and levels forgive in part.
    rates = np.array([[0.8, 0.2, 0], [0.1, 0.8, 0.1], [0, 0.2, 0.8]])
    near = LatentClassModel(np.array([0.4, 0.2, 0.4]), np.stack([rates] * 3))

    nominal = simulation("krippendorff_alpha", of=near).expected()
    ordinal = simulation("krippendorff_alpha", of=near, scale=Scale(3, Level.ORDINAL)).expected()
    quadratic = simulation("gwet_ac1", of=near, scale=Scale(3, weights=Weights.QUADRATIC)).expected()

    assert ordinal > nominal + 0.1
    assert quadratic > simulation("gwet_ac1", of=near).expected() + 0.1


def test_many_raters_and_categories_are_drawn_label_by_label():
    prevalence = np.full(10, 0.1)
    many = LatentClassModel(prevalence, np.stack([by_accuracy(0.8, n_categories=10)] * 12))
    drawn = simulation(of=many, n_replicates=60)

    found = items_for_width(drawn, half_width=0.08)

    assert many.n_patterns() > 4000
    # Of two raters, both right or both wrong alike; chance is a tenth.
    agreement = 0.8**2 + 9 * (0.2 / 9) ** 2
    assert drawn.expected() == pytest.approx((agreement - 0.1) / 0.9, abs=0.005)
    assert drawn.studies(found.n_items).mean_half_width()[0] <= 0.08


def test_the_same_question_has_the_same_answer():
    asked, other = simulation(seed=4), simulation(seed=5)

    assert items_for_width(asked, half_width=0.1) == items_for_width(asked, half_width=0.1)
    assert asked.studies(50).value.tolist() != other.studies(50).value.tolist()


def test_studies_without_an_interval_are_counted():
    rare = model(2, accuracy=1.0, prevalence=(0.02, 0.98))

    found = simulation(of=rare).studies(10)

    # Raters without error agree in full or see one category only; no study has an interval.
    assert found.undefined == 1
    assert found.power(0.5) == (0, 0)
    assert np.isnan(found.value).mean() == pytest.approx(0.98**10, abs=0.1)


def test_a_width_that_perfect_raters_never_show_is_refused():
    with pytest.raises(ValueError, match="more than 10,000,000 items"):
        items_for_width(simulation(of=model(2, accuracy=1.0), n_replicates=10), half_width=0.1)


def test_a_power_out_of_reach_is_refused():
    with pytest.raises(ValueError, match=r"reach 0\.\d+, which is not above 0.9"):
        items_for_power(simulation(), null=0.9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": "accuracy"}, "coefficient must be one of"),
        ({"scale": Scale(4)}, "same categories"),
        ({"n_replicates": 5}, "10 to 100,000"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"confidence": 1.0}, "confidence"),
    ],
)
def test_bad_simulations_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        simulation(**options)
