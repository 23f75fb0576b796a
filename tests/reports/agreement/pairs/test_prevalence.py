"""Coefficients as one category becomes common, with the disagreements as they are."""

import numpy as np
import pytest

from reports.agreement.pairs.chance_corrected import brennan_prediger, gwet_ac, scott_pi
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.pairs.prevalence import against_the_rest, at_other_prevalence
from reports.agreement.weights import Weights, weighting

PLAIN = weighting(Weights.UNWEIGHTED, n_categories=2)
TABLE = np.array([[40, 6], [10, 44]])


def test_at_its_own_prevalence_it_gives_the_pairs_own_figures():
    found = at_other_prevalence(TABLE, prevalence=[0.48])
    tables = PairTables(TABLE[None], PLAIN)

    assert found.cohen_kappa[0] == pytest.approx(cohen_kappa(TABLE[None], PLAIN).kappa[0])
    assert found.scott_pi[0] == pytest.approx(scott_pi(tables).value[0])
    assert found.gwet_ac1[0] == pytest.approx(gwet_ac(tables).value[0])
    assert found.brennan_prediger[0] == pytest.approx(brennan_prediger(tables).value[0])


def test_at_another_prevalence_it_gives_the_figures_of_that_table():
    """90% of the labels in the first category: 82 and 2 in place of 40 and 44."""
    table = np.array([[82, 6], [10, 2]])

    found = at_other_prevalence(TABLE, prevalence=[0.9])

    assert found.cohen_kappa[0] == pytest.approx(cohen_kappa(table[None], PLAIN).kappa[0])
    assert found.percent_agreement[0] == pytest.approx(0.84)


def test_all_that_the_disagreement_leaves_possible_is_covered():
    found = at_other_prevalence(TABLE)

    assert (found.prevalence[0], found.prevalence[-1]) == pytest.approx((0.08, 0.92))
    assert found.cohen_kappa.argmax() in range(40, 59)
    assert found.cohen_kappa[0] < 0 < found.gwet_ac1[0]


@pytest.mark.parametrize("shares", [[0.05], [0.95]])
def test_a_prevalence_that_the_disagreement_rules_out_is_refused(shares):
    with pytest.raises(ValueError, match=r"from 0\.08 to 0\.92"):
        at_other_prevalence(TABLE, prevalence=shares)


@pytest.mark.parametrize("counts", [np.zeros((2, 2), dtype=int), np.ones((3, 3), dtype=int)])
def test_another_table_is_refused(counts):
    with pytest.raises(ValueError, match="2 by 2 with an item"):
        at_other_prevalence(counts)


def test_without_any_disagreement_chance_is_complete_at_the_ends():
    found = at_other_prevalence(np.array([[5, 0], [0, 5]]))

    assert np.isnan(found.cohen_kappa[[0, -1]]).all()
    assert (found.cohen_kappa[1:-1] == 1).all()


def test_one_category_against_the_rest():
    counts = np.array([[5, 1, 2], [3, 7, 1], [0, 2, 9]])

    assert against_the_rest(counts, 1).tolist() == [[7, 4], [3, 16]]
