"""All raters: what any labels obey, and how the coefficients belong together."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.agreement.counting import all_pairs
from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.overall.category_agreement import by_category
from reports.agreement.overall.chance_corrected import (
    BRENNAN_PREDIGER,
    FLEISS_KAPPA,
    GWET_AC,
    PERCENT_AGREEMENT,
)
from reports.agreement.overall.cochran import cochran_q
from reports.agreement.overall.conger import CONGER_KAPPA
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA, WEIGHTED_ALPHA
from reports.agreement.overall.light import LIGHT_KAPPA
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.chance_corrected import brennan_prediger, gwet_ac, scott_pi
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.pairs.homogeneity import mcnemar
from reports.agreement.results import Coefficient
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Level, Weights, weighting
from tests.reference.conventions import with_gwet_error
from tests.reference.rows import figures_of
from tests.reports.agreement.properties.tables import WEIGHTS, codes_of, tables
from tests.reports.agreement.samples import from_codes, random_codes
from tests.reports.agreement.strategies import seeds, shapes

properties = settings(deadline=None, max_examples=40)
STATISTICS = [
    PERCENT_AGREEMENT,
    FLEISS_KAPPA,
    BRENNAN_PREDIGER,
    GWET_AC,
    CONGER_KAPPA,
    LIGHT_KAPPA,
    KRIPPENDORFF_ALPHA,
    WEIGHTED_ALPHA,
]
# Two raters, and the coefficient of all raters that is the same for them.
FOR_TWO = {
    FLEISS_KAPPA.name: scott_pi,
    BRENNAN_PREDIGER.name: brennan_prediger,
    GWET_AC.name: gwet_ac,
}


def sample_of(codes: np.ndarray, n_categories: int) -> Sample:
    return Sample(from_codes(codes, n_categories=n_categories))


def value_of(statistic, codes: np.ndarray, scale: Scale) -> float | None:
    return estimate(statistic, sample_of(codes, scale.n_categories), scale).value


def agree(one: Coefficient, other: Coefficient) -> bool:
    return one.reason is other.reason and (
        one.value is None or one.value == pytest.approx(other.value, abs=1e-10)
    )


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda each: each.name)
@properties
@given(seed=seeds, shape=shapes)
def test_items_raters_and_categories_have_no_order(statistic, seed, shape):
    codes, k = random_codes(seed, **shape), shape["n_categories"]
    random = np.random.default_rng(seed)
    moved = codes[random.permutation(len(codes))][:, random.permutation(codes.shape[1])]
    renamed = np.append(random.permutation(k), -1)[moved]
    scale = Scale(k)

    one = estimate(statistic, sample_of(codes, k), scale)

    assert agree(one, estimate(statistic, sample_of(moved, k), scale))
    assert agree(one, estimate(statistic, sample_of(renamed, k), scale))


@properties
@given(tables(), st.sampled_from(WEIGHTS))
def test_two_raters_have_the_coefficients_of_a_pair(counts, weights):
    k = counts.shape[1]
    scale = Scale(k, weights=Weights(weights))
    codes = codes_of(counts)
    pair = PairTables(counts, scale.weighting)
    kappa = cohen_kappa(counts, scale.weighting).kappa[0]

    for statistic in (CONGER_KAPPA, LIGHT_KAPPA):
        found = value_of(statistic, codes, scale)
        assert np.isnan(kappa) if found is None else found == pytest.approx(kappa, abs=1e-10)
    for statistic in (FLEISS_KAPPA, BRENNAN_PREDIGER, GWET_AC):
        found, theirs = value_of(statistic, codes, scale), FOR_TWO[statistic.name](pair).value[0]
        assert np.isnan(theirs) if found is None else found == pytest.approx(theirs, abs=1e-10)


@properties
@given(seeds, shapes)
def test_conger_is_the_mean_of_pairs_weighted_by_their_room(seed, shape):
    codes = random_codes(seed, **(shape | {"share": 1.0, "n_raters": max(2, shape["n_raters"])}))
    k = shape["n_categories"]
    pairs = all_pairs(from_codes(codes, n_categories=k))

    found = value_of(CONGER_KAPPA, codes, Scale(k))

    each = cohen_kappa(pairs.tables, weighting("unweighted", n_categories=k))
    room = (1 - each.expected).sum()
    if found is None:
        assert room == pytest.approx(0, abs=1e-12)
    else:
        assert found == pytest.approx((each.observed - each.expected).sum() / room, abs=1e-10)


@properties
@given(seeds, shapes)
def test_fleiss_kappa_is_the_mean_of_categories_weighted_by_their_variance(seed, shape):
    # Fleiss 1971; with p_k q_k for weights, if every rater labeled every item.
    codes = random_codes(seed, **(shape | {"share": 1.0}))
    k = shape["n_categories"]
    sample = sample_of(codes, k)

    found = estimate(FLEISS_KAPPA, sample, Scale(k)).value

    if found is not None:
        p = sample.patterns.prevalence
        categories = by_category(sample, Scale(k))
        kappas, specific = (
            np.nan_to_num(categories[name].value) for name in ("fleiss_kappa", "specific_agreement")
        )
        assert (p * (1 - p) * kappas).sum() / (p * (1 - p)).sum() == pytest.approx(found, abs=1e-10)
        used = (p > 0) & (p < 1)
        assert kappas[used] == pytest.approx((specific[used] - p[used]) / (1 - p[used]), abs=1e-10)


@properties
@given(seeds, shapes, st.floats(-20, 20), st.floats(0.1, 9))
def test_interval_alpha_knows_neither_zero_nor_unit(seed, shape, shift, unit):
    codes, k = random_codes(seed, **shape), shape["n_categories"]
    values = np.sort(np.random.default_rng(seed).choice(100, k, replace=False)).astype(float)

    one, other = (
        estimate(KRIPPENDORFF_ALPHA, sample_of(codes, k), Scale(k, level=Level.INTERVAL, values=tuple(each)))
        for each in (values, shift + unit * values)
    )

    assert one.value is None if other.value is None else one.value == pytest.approx(other.value, abs=1e-8)


@properties
@given(seeds, shapes, st.floats(0.1, 9))
def test_ratio_alpha_knows_no_unit_but_a_zero(seed, shape, unit):
    codes, k = random_codes(seed, **shape), shape["n_categories"]
    values = np.arange(1.0, k + 1)
    scale = Scale(k, level=Level.RATIO, values=tuple(values))

    one, other, shifted = (
        value_of(KRIPPENDORFF_ALPHA, codes, replace(scale, values=tuple(each)))
        for each in (values, unit * values, values + 1000)
    )

    assert one is None if other is None else one == pytest.approx(other, abs=1e-10)
    interval = value_of(KRIPPENDORFF_ALPHA, codes, replace(scale, level=Level.INTERVAL))
    # Far from zero the sums in the denominators are all alike, and what is left is the interval alpha.
    assert shifted is None if interval is None else shifted == pytest.approx(interval, abs=0.02)


@pytest.mark.parametrize("level_weights", [(Level.NOMINAL, "unweighted"), (Level.INTERVAL, "quadratic")])
@properties
@given(seed=seeds, shape=shapes)
def test_alpha_of_a_level_is_alpha_of_the_weights_with_its_difference(level_weights, seed, shape):
    level, weights = level_weights
    codes, k = random_codes(seed, **shape), shape["n_categories"]

    by_level = value_of(KRIPPENDORFF_ALPHA, codes, Scale(k, level=level))
    by_weights = value_of(WEIGHTED_ALPHA, codes, Scale(k, weights=Weights(weights)))

    assert by_level is None if by_weights is None else by_level == pytest.approx(by_weights, abs=1e-10)


@properties
@given(seeds, shapes)
def test_weighted_alpha_of_complete_data_is_weighted_fleiss_with_epsilon(seed, shape):
    codes, k = random_codes(seed, **(shape | {"share": 1.0})), shape["n_categories"]
    scale = Scale(k, weights=Weights.LINEAR)

    alpha, kappa = value_of(WEIGHTED_ALPHA, codes, scale), value_of(FLEISS_KAPPA, codes, scale)

    assert (alpha is None) == (kappa is None)
    if alpha is not None:
        assert alpha == pytest.approx(kappa + (1 - kappa) / codes.size, abs=1e-10)


@properties
@given(tables(n_categories=2))
def test_cochran_of_two_raters_is_mcnemar(counts):
    found = cochran_q(sample_of(codes_of(counts), 2))

    peer = mcnemar(counts, exact=False)
    if counts.sum():
        assert found.statistic[0] == pytest.approx(peer.statistic[0], abs=1e-10)


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic"])
@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda each: each.name)
def test_the_linearised_error_is_close_to_the_jackknife(statistic, weights):
    codes = random_codes(21, n_items=300, n_raters=5, n_categories=4, share=0.8)
    codes = codes[(codes >= 0).sum(axis=1) >= 2]
    sample, scale = sample_of(codes, 4), Scale(4, weights=Weights(weights))

    found = estimate(statistic, sample, scale)

    assert found.interval_method == ("Wilson" if statistic is PERCENT_AGREEMENT else "t over items")
    assert found.se == pytest.approx(jackknife(statistic, sample, scale).se, rel=0.02)


@pytest.mark.parametrize("statistic", [PERCENT_AGREEMENT, FLEISS_KAPPA, GWET_AC], ids=lambda each: each.name)
def test_items_with_one_label_make_gwets_errors_large_and_not_ours(statistic):
    # Gwet takes the number of items with two labels as given, and gives those with one an agreement of 0.
    codes = random_codes(22, n_items=300, n_raters=5, n_categories=4, share=1.0)
    codes[:60, 1:] = -1
    sample, scale = sample_of(codes, 4), Scale(4)

    found, right = estimate(statistic, sample, scale), jackknife(statistic, sample, scale).se

    gwet = with_gwet_error(figures_of(found), statistic, sample, scale)
    assert 1.05 < gwet.se / right < 1.6
    assert found.se == pytest.approx(right, rel=0.02)
    # Alpha has nothing to do with such items.
    alpha = estimate(KRIPPENDORFF_ALPHA, sample, scale).se
    assert alpha == pytest.approx(jackknife(KRIPPENDORFF_ALPHA, sample, scale).se, rel=0.02)
