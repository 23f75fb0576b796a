"""Two raters: what any table obeys."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.agreement.pairs import chance_corrected, homogeneity, indices
from reports.agreement.pairs.cohen import cohen_kappa, kappa_null_se
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.pairs.krippendorff import krippendorff_alpha
from reports.agreement.pairs.reference import against_reference
from reports.agreement.pairs.specific import specific_agreement
from reports.agreement.results import PairKappas
from reports.agreement.sample import Scale
from reports.agreement.weights import weighting
from tests.reports.agreement.properties.tables import WEIGHTS, tables

properties = settings(deadline=None, max_examples=60)
COEFFICIENTS = ("percent_agreement", "scott_pi", "brennan_prediger", "gwet_ac")


def kappas(counts: np.ndarray, weights: str = "unweighted") -> PairKappas:
    return cohen_kappa(counts, weighting(weights, n_categories=counts.shape[1]))


def close(one: np.ndarray, other: np.ndarray) -> bool:
    return np.allclose(one, other, rtol=1e-9, atol=1e-10, equal_nan=True)


@properties
@given(tables(), st.sampled_from(WEIGHTS))
def test_the_order_of_raters_changes_nothing(counts, weights):
    turned = counts.transpose(0, 2, 1)
    scheme = weighting(weights, n_categories=counts.shape[1])

    one, other = kappas(counts, weights), kappas(turned, weights)

    for name in ("kappa", "se", "ci_low", "kappa_max", "observed", "expected"):
        assert close(getattr(one, name), getattr(other, name))
    assert close(kappa_null_se(counts, scheme), kappa_null_se(turned, scheme))
    for name in COEFFICIENTS:
        statistic = getattr(chance_corrected, name)
        ours, theirs = (statistic(PairTables(each, scheme)) for each in (counts, turned))
        assert close(ours.value, theirs.value)
        assert close(ours.se, theirs.se)


@properties
@given(tables(), st.randoms(use_true_random=False))
def test_renaming_categories_changes_no_nominal_figure(counts, random):
    order = random.sample(range(counts.shape[1]), counts.shape[1])
    renamed = counts[:, order][:, :, order]

    one, other = kappas(counts), kappas(renamed)

    for name in ("kappa", "se", "kappa_max"):
        assert close(getattr(one, name), getattr(other, name))
    assert close(specific_agreement(counts).value[:, order], specific_agreement(renamed).value)
    scale = Scale(counts.shape[1])
    assert close(krippendorff_alpha(counts, scale).value, krippendorff_alpha(renamed, scale).value)
    for name in ("bowker", "stuart_maxwell", "bhapkar"):
        test = getattr(homogeneity, name)
        assert close(test(counts).p_value, test(renamed).p_value)


@properties
@given(tables(), st.sampled_from([each for each in WEIGHTS if each != "ratio"]))
def test_a_scale_read_backwards_has_the_same_kappa(counts, weights):
    one, other = kappas(counts, weights), kappas(counts[:, ::-1, ::-1], weights)

    assert close(one.kappa, other.kappa)
    assert close(one.se, other.se)


@properties
@given(tables(), st.sampled_from(WEIGHTS))
def test_kappa_is_at_most_kappa_max_and_at_least_minus_one(counts, weights):
    found = kappas(counts, weights)

    if not np.isnan(found.kappa[0]):
        assert -1 - 1e-12 <= found.kappa[0] <= found.kappa_max[0] + 1e-12 <= 1 + 2e-12
        assert found.kappa_max[0] >= -1e-12


@properties
@given(tables(n_categories=2), st.sampled_from(WEIGHTS))
def test_two_categories_leave_nothing_to_weigh(counts, weights):
    one, other = kappas(counts), kappas(counts, weights)

    for name in ("kappa", "se", "kappa_max"):
        assert close(getattr(one, name), getattr(other, name))


@properties
@given(tables(), st.sampled_from(WEIGHTS), st.integers(2, 9))
def test_more_items_of_the_same_kind_move_the_error_alone(counts, weights, times):
    one, other = kappas(counts, weights), kappas(counts * times, weights)

    assert close(one.kappa, other.kappa)
    if one.n[0] >= 2:
        assert close(one.se, other.se * np.sqrt(times))


@properties
@given(tables(n_categories=2))
def test_kappa_is_pabak_less_prevalence_and_bias(counts):
    # Byrt, Bishop & Carlin 1993.
    kappa = kappas(counts).kappa[0]
    pabak, prevalence, bias = (
        getattr(indices, name)(counts).value[0] for name in ("pabak", "prevalence_index", "bias_index")
    )

    if not np.isnan(kappa):
        room = 1 - prevalence**2 + bias**2
        assert kappa == pytest.approx((pabak - prevalence**2 + bias**2) / room, abs=1e-10)


@properties
@given(tables(n_categories=2))
def test_pabak_is_brennan_prediger_of_two_categories(counts):
    pair = PairTables(counts, weighting("unweighted", n_categories=2))

    pabak, found = indices.pabak(counts), chance_corrected.brennan_prediger(pair)

    assert close(pabak.value, found.value)
    assert close(pabak.se, found.se)


@properties
@given(tables())
def test_pi_is_at_most_kappa_and_at_most_alpha(counts):
    # The raters' labels thrown together agree by chance at least as often as the raters do.
    pi = chance_corrected.scott_pi(PairTables(counts, weighting("unweighted", n_categories=counts.shape[1])))
    alpha = krippendorff_alpha(counts, Scale(counts.shape[1]))

    kappa = kappas(counts).kappa[0]

    if not np.isnan(kappa):
        assert pi.value[0] <= kappa + 1e-12
        # alpha = pi + (1 - pi) / 2n.
        assert alpha.value[0] == pytest.approx(
            pi.value[0] + (1 - pi.value[0]) / (2 * counts.sum()), abs=1e-10
        )


@properties
@given(tables(n_categories=2))
def test_ac1_is_at_least_brennan_prediger_of_two_categories(counts):
    pair = PairTables(counts, weighting("unweighted", n_categories=2))

    ac1, found = chance_corrected.gwet_ac(pair), chance_corrected.brennan_prediger(pair)

    if counts.sum():
        assert ac1.value[0] >= found.value[0] - 1e-12


@properties
@given(tables(n_categories=2))
def test_the_tests_of_margins_are_mcnemars_for_two_categories(counts):
    mcnemar = homogeneity.mcnemar(counts, exact=False)

    for name in ("bowker", "stuart_maxwell"):
        found = getattr(homogeneity, name)(counts)
        assert close(found.statistic, mcnemar.statistic)
        if found.df[0]:
            assert close(found.p_value, mcnemar.p_value)


@properties
@given(tables())
def test_bhapkar_follows_from_stuart_and_maxwell(counts):
    x, found = homogeneity.stuart_maxwell(counts).statistic[0], homogeneity.bhapkar(counts).statistic[0]

    if not np.isnan(found):
        assert found == pytest.approx(x / (1 - x / counts.sum()), rel=1e-8)
        assert found >= x - 1e-12


@properties
@given(tables())
def test_specific_agreement_is_f1_and_the_harmonic_mean(counts):
    found = against_reference(counts)
    specific = specific_agreement(counts)

    assert close(found.f1.value, specific.value)
    both = found.precision.value * found.recall.value
    total = found.precision.value + found.recall.value
    is_there = total > 0
    assert close(found.f1.value[is_there], 2 * both[is_there] / total[is_there])


@properties
@given(tables())
def test_kappa_is_the_share_of_the_way_from_chance_to_perfect_accuracy(counts):
    found = against_reference(counts)
    kappa, expected = found.kappa.kappa, found.expected_accuracy

    if not np.isnan(kappa[0]):
        assert close(found.accuracy.value, expected + kappa * (1 - expected))


@properties
@given(tables())
def test_kappa_per_category_adds_up_to_kappa(counts):
    # Kappa is the mean of the kappas of each category against the rest, weighted by their room 1 - pe.
    kappa = kappas(counts).kappa[0]
    both = np.einsum("pkk->k", counts)
    rows, columns, n = counts[0].sum(axis=1), counts[0].sum(axis=0), counts.sum()
    split = np.array([[both, rows - both], [columns - both, n - rows - columns + both]]).transpose(2, 0, 1)

    each = kappas(split)

    if not np.isnan(kappa):
        room = np.where(np.isnan(each.kappa), 0, 1 - each.expected)
        assert (np.nan_to_num(each.kappa) * room).sum() / room.sum() == pytest.approx(kappa, abs=1e-9)
