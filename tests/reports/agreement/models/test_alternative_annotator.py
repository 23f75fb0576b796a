"""The alternative-annotator test: the authors' figures, undefined cases, Wilcoxon's test, and the error it allows."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import permutation_test, ttest_1samp

from reports.agreement.intervals.benjamini_yekutieli import rejected_by_rate
from reports.agreement.models.alternative_annotator import (
    EPSILONS,
    advantage_interval,
    advantage_replicates,
    alternative_test,
    contests,
    p_values_of,
)
from reports.agreement.models.label_similarity import CategorySimilarity, NumberSimilarity, SetSimilarity
from reports.agreement.models.resampled_units import UnitWeights
from reports.agreement.models.signed_ranks import signed_rank_below
from reports.agreement.sets.distances import BitSets
from tests.reports.agreement.models.samples import ITEMS, MODEL, NUMBERS, NUMBERS_MODEL, PEOPLE, long
from tests.sizes import only_in_full, size

# Of the three people at each ε, and ω, as the authors' notebook computes them.
PUBLISHED = {
    0.00: ((0.131017314, 0.07995548002, 0.131017314), 0),
    0.05: ((0.0326402326, 0.01894754787, 0.0326402326), 0),
    0.10: ((0.005704497467, 0.003338684782, 0.005704497467), 1),
    0.15: ((0.0007527302091, 0.0004672119102, 0.0007527302091), 1),
    0.20: ((8.136519895e-05, 5.559590184e-05, 8.136519895e-05), 1),
}
CATEGORIES = CategorySimilarity()


@pytest.mark.parametrize("epsilon", PUBLISHED)
def test_categories_have_the_figures_of_the_authors_notebook(epsilon):
    found = alternative_test(contests(CATEGORIES, *long(PEOPLE), MODEL))

    place = found.at(epsilon)
    p_values, winning = PUBLISHED[epsilon]
    assert found.p_values[place] == pytest.approx(p_values, rel=1e-8)
    assert found.winning[place] == winning
    assert found.model_wins == pytest.approx([0.95, 0.95, 0.95])
    assert found.own_wins == pytest.approx([0.875, 0.85, 0.875])
    assert found.difference == pytest.approx([-0.075, -0.1, -0.075])
    assert found.advantage == pytest.approx(0.95)
    # At .05 each p-value alone is small enough, and all three together are not.
    assert found.smallest == 0.06


def test_people_may_have_labeled_different_items():
    has = np.stack((ITEMS < 30, ITEMS >= 0, ITEMS >= 8), axis=1)

    found = alternative_test(contests(CATEGORIES, *long(PEOPLE, has), MODEL))

    assert found.n.tolist() == [30, 40, 32]
    assert found.difference == pytest.approx([-0.0666666667, -0.1, -0.0625])
    expected = [0.001469645548, 0.0002306774794, 0.0009086709981]
    assert found.p_values[found.at(0.2)] == pytest.approx(expected, rel=1e-8)
    assert found.advantage == pytest.approx(0.9319444444)


def test_numbers_are_scored_by_the_negative_root_mean_squared_error():
    found = alternative_test(contests(NumberSimilarity(), *long(NUMBERS), NUMBERS_MODEL))

    assert found.model_wins == pytest.approx([0.75, 0.65, 0.825])
    assert found.own_wins == pytest.approx([0.75, 1, 0.825])
    assert found.difference == pytest.approx([0, 0.35, 0])
    expected = [0.09647987977, 0.9937461324, 0.06070396010]
    assert found.p_values[found.at(0.15)] == pytest.approx(expected, rel=1e-8)
    assert found.winning[found.at(0.15)] == 0
    assert found.advantage == pytest.approx(0.7416666667)
    # By hand, of the first item: the others gave 0 and -1, the model .5.
    contest = contests(NumberSimilarity(), *long(NUMBERS), NUMBERS_MODEL)
    assert contest.model[0] == pytest.approx(-np.sqrt((0.5**2 + 1.5**2) / 2))
    assert contest.own[0] == pytest.approx(-np.sqrt((1 + 4) / 2))


def test_large_numbers_tie_as_small_ones_do():
    small, large = (
        contests(NumberSimilarity(), *long(NUMBERS + by), NUMBERS_MODEL + by) for by in (0.0, 1_000_000.0)
    )

    assert small.beats.tolist() == large.beats.tolist()


def test_sets_are_scored_by_their_mean_jaccard():
    members = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=bool)
    values = np.array([[0, 1, 2]])
    sets = SetSimilarity(BitSets.of(members))

    found = contests(sets, *long(values), np.array([1]))

    # {a} with {a, b} and {c}; {a, b} with {a} and {c}; {c} with neither.
    assert found.own.tolist() == [0.25, 0.25, 0]
    # {a, b} with {a, b} and {c}, with {a} and {c}, with {a} and {a, b}.
    assert found.model.tolist() == [0.5, 0.25, 0.75]
    assert found.beats.tolist() == [-1, 0, -1]


def test_scores_are_those_of_each_pair_of_labels():
    random = np.random.default_rng(3)
    values, has = random.integers(0, 4, (60, 6)), random.random((60, 6)) < 0.6
    model = random.integers(0, 4, 60)

    found = contests(CATEGORIES, *long(values, has), model)

    for item, person, own, theirs in zip(found.items, found.people, found.own, found.model, strict=True):
        others = [values[item, k] for k in range(6) if has[item, k] and k != person]
        assert own == pytest.approx(np.mean([each == values[item, person] for each in others]))
        assert theirs == pytest.approx(np.mean([each == model[item] for each in others]))


def test_a_model_that_says_what_most_people_say_always_wins():
    random = np.random.default_rng(5)
    values = np.where(random.random((80, 5)) < 0.7, 1, random.integers(0, 4, (80, 5)))
    majority = np.array([np.bincount(row).argmax() for row in values])

    found = alternative_test(contests(CATEGORIES, *long(values), majority))

    # Calderon, Reichart & Dror 2025, theorem 1. One's own label counts in the majority, and not among the others.
    assert found.advantage > 0.97
    assert found.smallest is not None
    assert found.smallest <= 0.01


def test_items_with_one_label_and_people_with_few_items_are_left_out():
    has = np.stack((ITEMS < 20, ITEMS < 38, ITEMS < 38), axis=1)
    has[38] = [False, True, False]

    found = alternative_test(contests(CATEGORIES, *long(PEOPLE, has), MODEL))

    assert found.people.tolist() == [1, 2]
    assert found.n.tolist() == [38, 38]
    assert (found.too_few.tolist(), found.too_few_n.tolist()) == ([0], [20])


def test_without_anyone_who_has_enough_items_it_is_undefined():
    found = alternative_test(contests(CATEGORIES, *long(PEOPLE[:12]), MODEL[:12]))

    assert np.isnan(found.advantage)
    assert np.isnan(found.winning).all()
    assert found.smallest is None
    assert found.too_few.tolist() == [0, 1, 2]


def test_a_difference_that_never_varies_is_below_epsilon_or_not():
    always, never, tied = [40, 0, 0], [0, 0, 40], [0, 40, 0]

    found = p_values_of(np.array([always, never, tied]), np.array([0.0, 0.1, 1.0]))

    assert found.tolist() == [[0, 1, 1], [0, 1, 0], [0, 1, 0]]


def test_p_values_are_those_of_the_t_test_of_scipy():
    d = np.repeat([-1.0, 0.0, 1.0], [9, 20, 4])

    [[found]] = p_values_of(np.array([[9, 20, 4]]), np.array([0.1]))

    assert found == pytest.approx(ttest_1samp(d, 0.1, alternative="less").pvalue, rel=1e-10)


@pytest.mark.parametrize(("counts", "epsilon"), [((4, 5, 2), 0.1), ((6, 1, 1), 0.0), ((0, 7, 3), 0.2)])
def test_with_few_items_it_is_the_signed_rank_test(counts, epsilon):
    d = np.repeat([-1.0, 0.0, 1.0], counts) - epsilon
    d = d[np.abs(d) > 1e-12]
    sizes = np.abs(d)
    ranks = np.array([np.mean(np.flatnonzero(np.isclose(np.sort(sizes), each)) + 1) for each in sizes])
    least = ranks[d > 0].sum()
    sums = [ranks[np.array(signs, dtype=bool)].sum() for signs in product([0, 1], repeat=len(d))]

    [[found]] = p_values_of(np.array([counts]), np.array([epsilon]))

    assert found == pytest.approx(np.mean(np.array(sums) <= least + 1e-9), rel=1e-12)


def test_the_signed_rank_test_is_scipys_permutation_of_signs():
    d = np.array([-3.0, -1.0, -1.0, 2.0, 0.5, -0.5, -4.0])
    ranks = np.array([6, 3.5, 3.5, 5, 1.5, 1.5, 7])

    found = signed_rank_below(d)

    def positive(values):
        return ranks[np.asarray(values) > 0].sum()

    # All 2^7 signs.
    scipys = permutation_test(
        (d,), positive, permutation_type="samples", alternative="less", n_resamples=1000
    )
    assert found == pytest.approx(scipys.pvalue)
    assert signed_rank_below(np.zeros(4)) == 1


def test_benjamini_and_yekutieli():
    # H_3 = 11 / 6: bounds are .00909, .01818 and .02727.
    assert rejected_by_rate(np.array([0.027, 0.001, 0.03])).tolist() == [False, True, False]
    assert rejected_by_rate(np.array([0.027, 0.001, 0.026])).tolist() == [True, True, True]
    assert rejected_by_rate(np.array([[0.9, 0.8], [0.001, 0.9]])).tolist() == [[False, False], [True, False]]
    assert rejected_by_rate(np.empty((4, 0))).shape == (4, 0)
    with pytest.raises(ValueError, match="rate"):
        rejected_by_rate(np.array([0.1]), rate=1)


def test_what_cannot_be_asked_for():
    with pytest.raises(ValueError, match="min_people"):
        contests(CATEGORIES, *long(PEOPLE), MODEL, min_people=1)
    with pytest.raises(ValueError, match="min_items"):
        alternative_test(contests(CATEGORIES, *long(PEOPLE), MODEL), min_items=1)
    with pytest.raises(ValueError, match="epsilon"):
        alternative_test(contests(CATEGORIES, *long(PEOPLE), MODEL)).at(0.0512)
    assert EPSILONS[[0, -1]].tolist() == [0, 1]


def test_the_interval_of_the_advantage_is_that_of_samples_of_items():
    found = contests(CATEGORIES, *long(PEOPLE), MODEL)
    test = alternative_test(found)
    weights = UnitWeights.drawn(40, seed=1)

    replicates = advantage_replicates(found, test.people, weights)
    [interval] = [advantage_interval(test, replicates, n_items=40).interval(0)]

    by_hand = [
        np.mean([(np.repeat(found.beats[found.people == j], w.astype(int)) <= 0).mean() for j in range(3)])
        for w in weights.weights[:20]
    ]
    assert replicates[:20] == pytest.approx(by_hand)
    assert interval.low == pytest.approx(0.891667, abs=0.02)
    assert interval.high == pytest.approx(0.991667, abs=0.01)


def test_a_person_whose_place_costs_epsilon_is_rejected_in_error_no_more_often_than_stated():
    """One person against a model: at the hypothesis itself, the test rejects in about 5 % of studies."""
    random, n_studies = np.random.default_rng(11), size(20_000, 4000)
    # d is -1, 0 and 1 with .1, .6 and .3: its mean is .2.
    counts = random.multinomial(200, [0.1, 0.6, 0.3], size=n_studies)

    [p_values] = p_values_of(counts, np.array([0.2]))

    assert 0.03 <= np.mean(p_values <= 0.05) <= 0.07


@only_in_full
def test_the_interval_of_the_advantage_covers():
    """The same three people and model on other items: 95 % of intervals hold the value of all items."""
    random, n_studies = np.random.default_rng(7), size(600, 250)
    truth = _advantage_of_all(np.random.default_rng(1))
    covered = 0
    for study in range(n_studies):
        people, model = _study(random, 120)
        found = contests(CATEGORIES, *long(people), model)
        test = alternative_test(found)
        replicates = advantage_replicates(
            found, test.people, UnitWeights.drawn(120, seed=study, n_replicates=500)
        )
        interval = advantage_interval(test, replicates, n_items=120).interval(0)
        covered += interval.low <= truth <= interval.high
    assert 0.93 <= covered / n_studies <= 0.97


def _study(random, n):
    truth = random.integers(0, 3, n)
    labels = np.where(random.random((n, 4)) < 0.75, truth[:, None], random.integers(0, 3, (n, 4)))
    return labels[:, :3], labels[:, 3]


def _advantage_of_all(random):
    people, model = _study(random, 400_000)
    return alternative_test(contests(CATEGORIES, *long(people), model)).advantage
