"""Raters who guess: their table, and the coefficient that was wanted."""

import numpy as np
import pytest

from reports.agreement.planning.goodness_of_fit import common_correlation
from reports.agreement.planning.guessing import model_for, raters_who_guess
from reports.agreement.planning.simulation import SIMULATED, Simulation
from reports.agreement.sample import Scale
from reports.agreement.weights import Level

USED = [0.2, 0.3, 0.5]


def test_two_raters_have_the_table_of_the_common_correlation_model():
    model = raters_who_guess(USED, known=0.8, n_raters=2)

    table = np.einsum("t,tk,tl->kl", model.prevalence, *model.confusion)
    assert table == pytest.approx(common_correlation(np.array(USED), 0.64))


@pytest.mark.parametrize("statistic", SIMULATED)
def test_the_coefficient_is_the_wanted_one(statistic):
    model = model_for(statistic, 0.7, USED, n_raters=4)

    assert model.n_raters == 4
    found = Simulation(model=model, statistic=statistic, scale=Scale(3)).expected()
    assert found == pytest.approx(0.7, abs=1e-9)


def test_alpha_of_any_level_is_how_often_both_know():
    scale = Scale(3, Level.ORDINAL)
    model = raters_who_guess(USED, known=0.8, n_raters=3)

    ordinal = Simulation(model=model, statistic="krippendorff_alpha", scale=scale).expected()

    # Who guesses is as far off as chance, whatever the distance.
    assert ordinal == pytest.approx(0.64, abs=1e-9)
    found = model_for("krippendorff_alpha", 0.64, USED, n_raters=3, scale=scale)
    assert found.confusion == pytest.approx(model.confusion)


@pytest.mark.parametrize(
    ("statistic", "value", "message"),
    [
        ("fleiss_kappa", -0.1, r"only guess reach [-0]+\.000"),
        ("percent_agreement", 0.2, r"only guess reach 0\.380"),
        ("gwet_ac1", 1.0, "below 1"),
    ],
)
def test_values_out_of_reach_are_refused(statistic, value, message):
    with pytest.raises(ValueError, match=message):
        model_for(statistic, value, USED, n_raters=2)
