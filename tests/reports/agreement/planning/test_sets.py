"""Alpha of planned sets is the alpha that a report computes of sets, with MASI."""

import numpy as np
import pytest

from reports.agreement.planning.guessing import model_for
from reports.agreement.planning.sets import scale_of_sets
from reports.agreement.planning.simulation import Simulation, items_for_width
from reports.agreement.sets.alpha import set_alpha
from reports.agreement.sets.members import SetSample
from tests.sizes import only_in_full

SETS = (("joy",), ("anger",), ("joy", "anger"), ())
SHARES = (0.4, 0.3, 0.2, 0.1)
MEMBERS = np.array([[0, 1], [1, 0], [1, 1], [0, 0]], dtype=bool)
ALPHA = "krippendorff_alpha_weighted"


def drawn(rng, model, n_items):
    """(n, R) which of the sets each rater chose, by the rates of the model."""
    truth = rng.choice(len(SHARES), size=n_items, p=model.prevalence)
    return np.stack(
        [[rng.choice(len(SHARES), p=rates[true]) for true in truth] for rates in model.confusion], axis=1
    )


def as_sample(codes):
    items, raters = (each.ravel() for each in np.indices(codes.shape))
    return SetSample.from_labels(items, raters, MEMBERS[codes.ravel()])


def test_the_similarities_are_those_of_masi():
    # Passonneau 2006: J M, with M = 2/3 where one set holds the other; two empty sets are alike.
    third = 1 / 2 * 2 / 3

    assert scale_of_sets(SETS).custom == pytest.approx(
        np.array([[1, 0, third, 0], [0, 1, third, 0], [third, third, 1, 0], [0, 0, 0, 1]])
    )


@only_in_full
def test_a_planned_study_has_the_width_of_the_reports_interval(rng):
    model = model_for(ALPHA, 0.7, SHARES, n_raters=3, scale=scale_of_sets(SETS))
    planned = items_for_width(
        Simulation(model=model, statistic=ALPHA, scale=scale_of_sets(SETS), n_replicates=500), half_width=0.1
    )

    found = [set_alpha(as_sample(drawn(rng, model, planned.n_items)), "masi") for _ in range(150)]

    assert np.mean([each.value for each in found]) == pytest.approx(0.7, abs=0.015)
    assert np.mean([each.value - each.ci_low for each in found]) == pytest.approx(0.1, rel=0.03)
    # The interval holds what was planned, as often as it says.
    assert 0.89 <= np.mean([each.ci_low <= 0.7 <= each.ci_high for each in found]) <= 0.99


def test_near_misses_need_other_numbers_of_items_than_categories_of_their_own():
    apart = (("a",), ("b",), ("c",), ("d",))

    needed = [
        items_for_width(
            Simulation(
                model=model_for(ALPHA, 0.6, SHARES, n_raters=2, scale=scale_of_sets(sets)),
                statistic=ALPHA,
                scale=scale_of_sets(sets),
                n_replicates=300,
            ),
            half_width=0.1,
        ).n_items
        for sets in (SETS, apart)
    ]

    assert needed[0] != pytest.approx(needed[1], rel=0.02)


def test_two_of_the_same_set_are_refused():
    with pytest.raises(ValueError, match="must differ"):
        scale_of_sets((("a", "b"), ("b", "a")))
