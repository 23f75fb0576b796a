"""Every coefficient of all raters: published, degenerate, and their properties."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.overall.chance_corrected import (
    BRENNAN_PREDIGER,
    FLEISS_KAPPA,
    GWET_AC,
    PERCENT_AGREEMENT,
)
from reports.agreement.overall.coefficients import COEFFICIENTS, overall
from reports.agreement.overall.conger import CONGER_KAPPA
from reports.agreement.overall.statistic import estimate
from reports.agreement.ratings import Ratings, to_dense, to_sparse
from reports.agreement.results import Coefficient, Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Level, Weights
from tests.reference.conventions import with_gwet_error
from tests.reference.rows import figures_of
from tests.reports.agreement.published import (
    FLEISS_1971,
    GWET_4_RATERS,
    HAYES_KRIPPENDORFF_2007,
    KRIPPENDORFF_2011,
    WIKIPEDIA,
)
from tests.reports.agreement.samples import all_coefficients, from_codes, from_lines, random_codes
from tests.reports.agreement.strategies import levels, seeds, shapes

OF_SINGLE = (PERCENT_AGREEMENT, FLEISS_KAPPA, BRENNAN_PREDIGER, GWET_AC, CONGER_KAPPA)
TELL_RATERS_APART = {"conger_kappa", "light_kappa", "kendall_w", "kendall_w_uncorrected"}
# R irrCAC 1.4, values confirmed by R irr and DescTools, DKPro, Python krippendorff and nltk where these have them.
PUBLISHED = [
    # ratings, coefficient, value, standard error, interval
    (FLEISS_1971, "percent_agreement", 0.555556, 0.044098, None, None),
    (FLEISS_1971, "fleiss_kappa", 0.430245, 0.054199, 0.319395, 0.541094),
    (FLEISS_1971, "krippendorff_alpha", 0.433410, 0.054199, 0.322561, 0.544259),
    (FLEISS_1971, "gwet_ac1", 0.447885, 0.055662, 0.334043, 0.561726),
    (GWET_4_RATERS, "percent_agreement", 0.818182, 0.125609, None, None),
    (GWET_4_RATERS, "fleiss_kappa", 0.761169, 0.153019, 0.424376, 1.0),
    # Gwet's own print of AC1: .77544, SE .14295.
    (GWET_4_RATERS, "gwet_ac1", 0.775444, 0.142950, 0.460813, 1.0),
    (HAYES_KRIPPENDORFF_2007, "percent_agreement", 0.625000, 0.049610, None, None),
    (HAYES_KRIPPENDORFF_2007, "fleiss_kappa", 0.469685, 0.069604, 0.328898, 0.610472),
    (HAYES_KRIPPENDORFF_2007, "krippendorff_alpha", 0.476510, 0.067557, None, None),
    (HAYES_KRIPPENDORFF_2007, "gwet_ac1", 0.509349, 0.065443, 0.376978, 0.641720),
    # alpha's error: R irrCAC; its interval there counts an item that nobody could be compared on.
    (KRIPPENDORFF_2011, "krippendorff_alpha", 0.743421, 0.145479, None, None),
    (WIKIPEDIA, "fleiss_kappa", 0.209931, 0.092371, None, None),
    (WIKIPEDIA, "krippendorff_alpha", 0.215574, 0.092371, None, None),
    (WIKIPEDIA, "gwet_ac1", 0.225614, 0.093324, None, None),
]


@pytest.mark.parametrize(("ratings", "name", "value", "se", "low", "high"), PUBLISHED)
def test_published_values(ratings, name, value, se, low, high):
    found = all_coefficients(ratings)[name]
    statistic = next((each for each in OF_SINGLE if each.name == name), None)
    if statistic is not None and (Sample(ratings).patterns.n_labels < 2).any():
        gwet = with_gwet_error(figures_of(found), statistic, Sample(ratings), Scale(ratings.n_categories))
        found = replace(found, se=gwet.se, ci_low=gwet.low, ci_high=gwet.high)

    assert (found.value, found.se) == pytest.approx((value, se), abs=6e-7)
    if low is not None:
        assert (found.ci_low, found.ci_high) == pytest.approx((low, high), abs=6e-7)


@pytest.mark.parametrize("statistic", OF_SINGLE, ids=lambda each: each.name)
def test_the_error_is_that_of_one_more_item_of_each_kind(statistic):
    """A derivation of its own: the statistic of a million copies, and of a thousand more of one kind of item."""
    codes = random_codes(2, n_items=40, n_raters=3, n_categories=3, share=0.5)
    sample, scale = Sample(from_codes(codes, n_categories=3)), Scale(3)
    units = statistic.units(sample)
    assert (units.n_labels == 1).any()
    n_items = units.n_items.astype(float)
    copies = n_items * 1e6

    middle = statistic.values(units, scale, copies[None, :])[0]
    more = statistic.values(units, scale, copies + 1e3 * np.eye(len(copies)))
    slopes = (more - middle) * copies.sum() / 1e3

    n = n_items.sum()
    expected = np.sqrt((slopes**2 * n_items).sum() / n / (n - 1))
    assert estimate(statistic, sample, scale).se == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("statistic", OF_SINGLE, ids=lambda each: each.name)
def test_single_labels_leave_the_error_near_the_jackknife(statistic):
    codes = random_codes(5, n_items=200, n_raters=3, n_categories=3, share=0.5)
    sample, scale = Sample(from_codes(codes, n_categories=3)), Scale(3)

    found = estimate(statistic, sample, scale).se

    assert found == pytest.approx(jackknife(statistic, sample, scale).se, rel=0.03)


def test_counts_of_what_a_value_rests_on():
    found = all_coefficients(KRIPPENDORFF_2011)

    assert (found["fleiss_kappa"].used.n_items, found["fleiss_kappa"].used.n_labels) == (12, 41)
    # The twelfth item has one label, which alpha leaves out.
    assert (found["krippendorff_alpha"].used.n_items, found["krippendorff_alpha"].used.n_labels) == (11, 40)


def named(ratings: Ratings, name: str) -> Coefficient:
    return all_coefficients(ratings)[name]


@pytest.mark.parametrize("name", ["percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1"])
@pytest.mark.parametrize(
    ("lines", "reason"),
    [([], Reason.NO_ITEMS), (["yyn"], Reason.NO_OVERLAP), (["yn..", "..yn"], Reason.NO_OVERLAP)],
)
def test_nothing_to_compare_is_none_with_a_reason(lines, reason, name):
    found = named(from_lines(*lines, categories="yn"), name)

    assert (found.value, found.se, found.ci_low, found.ci_high) == (None, None, None, None)
    assert found.reason is reason


def test_all_labels_the_same():
    ratings = from_lines("yyyy", "yyyy", categories="yn")

    for name in ("fleiss_kappa", "krippendorff_alpha"):
        assert (named(ratings, name).value, named(ratings, name).reason) == (None, Reason.NO_VARIATION)
    found = named(ratings, "gwet_ac1")
    assert (found.value, found.se, found.ci_low) == (1.0, 0.0, None)
    assert found.reason is Reason.DEGENERATE_SE


def test_one_declared_category():
    found = all_coefficients(from_lines("yyyy", "yyyy", categories="y"))

    for name in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1"):
        assert (found[name].value, found[name].reason) == (None, Reason.NO_VARIATION)


def test_one_says_yes_the_other_no():
    # Section "all y, all n": pi -1, alpha -.75.
    ratings = from_lines("yyyy", "nnnn", categories="yn")

    for name, value in (("fleiss_kappa", -1.0), ("krippendorff_alpha", -0.75)):
        found = named(ratings, name)
        assert found.value == pytest.approx(value, abs=1e-15)
        assert (found.se, found.ci_low, found.reason) == (None, None, Reason.DEGENERATE_MARGINS)


def test_perfect_agreement():
    ratings = from_lines("yynn", "yynn", "yynn", categories="yn")

    for name in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1"):
        found = named(ratings, name)
        assert (found.value, found.se, found.ci_low, found.ci_high) == (1.0, 0.0, None, None)
        assert found.reason is Reason.DEGENERATE_SE


@pytest.mark.parametrize(("other", "value"), [("n", -1.0), ("y", None)])
def test_one_item(other, value):
    found = named(from_lines("y", other, categories="yn"), "fleiss_kappa")

    assert (found.value, found.se) == (value, None)
    assert found.reason is (Reason.NO_VARIATION if value is None else Reason.ONE_ITEM)


def test_three_shared_items_and_a_single_one():
    # Section "3 shared + 1 single": Fleiss .2889, AC1 .3725, alpha .4444.
    ratings = from_lines("yyny", "ynn.", categories="yn")

    found = all_coefficients(ratings)

    assert found["krippendorff_alpha"].value == pytest.approx(0.4444, abs=5e-5)
    assert found["fleiss_kappa"].value == pytest.approx(0.2889, abs=5e-5)
    assert found["gwet_ac1"].value == pytest.approx(0.3725, abs=5e-5)


@settings(deadline=None)
@given(seeds, shapes, levels)
def test_dense_and_sparse_give_the_same_to_the_last_bit(seed, shape, level):
    ratings = from_codes(random_codes(seed, **shape), n_categories=shape["n_categories"])

    assert all_coefficients(to_dense(ratings), level) == all_coefficients(to_sparse(ratings), level)


@settings(deadline=None)
@given(seeds, shapes, levels)
def test_the_order_of_items_changes_no_bit(seed, shape, level):
    codes = random_codes(seed, **shape)
    moved = np.random.default_rng(seed).permutation(codes)

    one = all_coefficients(from_codes(codes, n_categories=shape["n_categories"]), level)

    assert one == all_coefficients(from_codes(moved, n_categories=shape["n_categories"]), level)


@settings(deadline=None)
@given(seeds, shapes, levels)
def test_the_order_of_raters_changes_no_bit(seed, shape, level):
    codes = random_codes(seed, **shape)
    moved = codes[:, np.random.default_rng(seed).permutation(codes.shape[1])]

    one = all_coefficients(from_codes(codes, n_categories=shape["n_categories"]), level)
    other = all_coefficients(from_codes(moved, n_categories=shape["n_categories"]), level)

    for name in one.keys() - TELL_RATERS_APART:
        assert one[name] == other[name]
    for name in one.keys() & TELL_RATERS_APART:
        # Their errors are sums over raters, in the order of these.
        assert (one[name].value, one[name].reason) == (other[name].value, other[name].reason)


@settings(deadline=None)
@given(seeds, shapes)
def test_relabeling_changes_no_nominal_value(seed, shape):
    codes = random_codes(seed, **shape)
    n_categories = shape["n_categories"]
    renamed = np.where(codes >= 0, n_categories - 1 - codes, -1)

    one = all_coefficients(from_codes(codes, n_categories=n_categories))
    other = all_coefficients(from_codes(renamed, n_categories=n_categories))

    for name, found in one.items():
        assert found.reason is other[name].reason
        if found.value is not None:
            assert found.value == pytest.approx(other[name].value, abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(seeds, shapes, st.sampled_from([each for each in Weights if each is not Weights.CUSTOM]))
def test_weights_of_every_kind_give_values_or_reasons(seed, shape, weights):
    ratings = from_codes(random_codes(seed, **shape), n_categories=shape["n_categories"])
    scale = Scale(shape["n_categories"], Level.ORDINAL, weights=weights)

    dense, sparse = overall(Sample(to_dense(ratings)), scale), overall(Sample(to_sparse(ratings)), scale)

    assert dense == sparse
    for found in dense.values():
        assert (found.value is None) <= (found.reason is not Reason.NONE)
        assert found.value is None or found.value <= 1 + 1e-12
        assert (found.ci_low is None) == (found.reason is not Reason.NONE)


def test_weighted_values_are_shown_with_unweighted_ones():
    found = overall(Sample(GWET_4_RATERS), Scale(5, weights=Weights.LINEAR))

    assert [name for name in found if "weighted" in name or name == "gwet_ac2"] == [
        "percent_agreement_weighted",
        "fleiss_kappa_weighted",
        "gwet_ac2",
        "brennan_prediger_weighted",
        "conger_kappa_weighted",
        "light_kappa_weighted",
        "percent_agreement_by_labels_weighted",
        "percent_agreement_by_pairs_weighted",
        "krippendorff_alpha_weighted",
    ]
    assert found["fleiss_kappa"].method == "unweighted"
    assert found["fleiss_kappa_weighted"].method == "linear"
    assert found["krippendorff_alpha"].method == "nominal"


def test_the_linearised_errors_of_all_are_close_to_the_jackknife():
    codes = random_codes(17, n_items=400, n_raters=5, n_categories=4, share=0.8)
    sample = Sample(from_codes(codes, n_categories=4))

    for weights in (Weights.UNWEIGHTED, Weights.QUADRATIC):
        scale = Scale(4, Level.INTERVAL, weights=weights)
        for statistic in COEFFICIENTS:
            found = estimate(statistic, sample, scale)
            assert found.se == pytest.approx(jackknife(statistic, sample, scale).se, rel=0.03)


def test_a_sample_too_large_for_some_has_the_others(monkeypatch):
    monkeypatch.setattr("reports.agreement.profiles.MOST_CELLS", 10)

    found = all_coefficients(GWET_4_RATERS)

    assert {name for name, each in found.items() if each.reason is Reason.TOO_LARGE} == {
        "conger_kappa",
        "light_kappa",
    }
    assert found["fleiss_kappa"].value == pytest.approx(0.761169, abs=6e-7)
