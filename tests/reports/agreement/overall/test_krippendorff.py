"""Krippendorff's alpha."""

import numpy as np
import pytest
from hypothesis import given, settings

from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA, WEIGHTED_ALPHA, krippendorff_alpha
from reports.agreement.overall.statistic import estimate
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Level, Weights
from tests.reports.agreement.published import GWET_4_RATERS, HAYES_KRIPPENDORFF_2007, KRIPPENDORFF_2011
from tests.reports.agreement.samples import all_coefficients, from_codes, from_counts, random_codes
from tests.reports.agreement.strategies import seeds, shapes


@pytest.mark.parametrize(
    ("ratings", "level", "value"),
    [
        # Published: .743, .815, .849.
        (KRIPPENDORFF_2011, "nominal", 0.743421052631579),
        (KRIPPENDORFF_2011, "ordinal", 0.815387503754881),
        (KRIPPENDORFF_2011, "interval", 0.849107142857143),
        # Published: .7598.
        (HAYES_KRIPPENDORFF_2007, "ordinal", 0.759829189151434),
        (HAYES_KRIPPENDORFF_2007, "interval", 0.757378277153558),
    ],
)
def test_published_alphas(ratings, level, value):
    assert all_coefficients(ratings, level)["krippendorff_alpha"].value == pytest.approx(value, abs=1e-12)


def test_declared_values_enter_the_interval_alpha():
    far = all_coefficients(KRIPPENDORFF_2011, "interval", [1, 2, 3, 4, 50])["krippendorff_alpha"]
    shifted = all_coefficients(KRIPPENDORFF_2011, "interval", [11, 13, 15, 17, 19])["krippendorff_alpha"]

    assert far.value != pytest.approx(0.849107, abs=1e-3)
    assert shifted.value == pytest.approx(0.849107142857143, abs=1e-12)


@settings(deadline=None)
@given(seeds, shapes)
def test_the_nominal_alpha_is_fleiss_kappa_with_epsilon(seed, shape):
    # For complete data alpha = kappa + (1 - kappa) / N (Gwet 2011).
    codes = random_codes(seed, **(shape | {"share": 1.0}))
    found = all_coefficients(from_codes(codes, n_categories=shape["n_categories"]))
    alpha, kappa = found["krippendorff_alpha"], found["fleiss_kappa"]

    assert (alpha.value is None) == (kappa.value is None)
    if alpha.value is not None:
        assert alpha.value == pytest.approx(kappa.value + (1 - kappa.value) / codes.size, abs=1e-12)


@pytest.mark.parametrize(
    ("ratings", "values", "alpha"),
    [
        # Krippendorff 2011, example C: .797.
        (KRIPPENDORFF_2011, (1, 2, 3, 4, 5), 0.797402774711612),
        # Zero is one of the values here, and differs from itself by nothing.
        (HAYES_KRIPPENDORFF_2007, (0, 1, 2, 3), 0.662123),
    ],
)
def test_published_alphas_of_ratios(ratings, values, alpha):
    found = all_coefficients(ratings, "ratio", values)["krippendorff_alpha"]

    assert found.value == pytest.approx(alpha, abs=6e-7)
    assert found.method == "ratio"


@pytest.mark.parametrize(
    ("weights", "value", "se"),
    # R irrCAC 1.4 and Python irrCAC 0.4.4 on four raters.
    [
        ("linear", 0.800383877159309, 0.13538360890867),
        ("ordinal", 0.833638025594149, 0.130987596253533),
        ("radical", 0.771981312138564, 0.139514727819243),
        ("circular", 0.789980267899151, 0.140936404214065),
        ("bipolar", 0.834990520023737, 0.128040281983412),
    ],
)
def test_published_weighted_alphas(weights, value, se):
    scale = Scale(5, values=(1, 2, 3, 4, 5), weights=Weights(weights))

    found = estimate(WEIGHTED_ALPHA, Sample(GWET_4_RATERS), scale)

    assert (found.value, found.se) == pytest.approx((value, se), abs=1e-7)


@pytest.mark.parametrize("level", Level)
def test_weights_on_kinds_of_items_are_as_good_as_items(level):
    random = np.random.default_rng(3)
    codes = random_codes(3, n_items=60, n_raters=4, n_categories=4)
    scale = Scale(4, level)
    patterns = Sample(from_codes(codes, n_categories=4)).patterns
    weights = random.multinomial(60, patterns.n_items / 60, size=5).astype(np.float64)

    values = krippendorff_alpha(patterns, scale, weights)

    for row, value in zip(weights.astype(int), values, strict=True):
        counts = np.repeat(patterns.counts, row, axis=0)
        drawn = estimate(KRIPPENDORFF_ALPHA, Sample(from_counts(counts)), scale)
        assert value == pytest.approx(drawn.value, abs=1e-12)


def test_the_order_of_declared_values_is_that_of_the_scale():
    # The same labels with the categories declared in another order.
    codes = random_codes(5, n_items=40, n_raters=3, n_categories=4)
    order = np.array([2, 0, 3, 1])
    moved = np.where(codes >= 0, np.argsort(order)[codes], -1)

    one = all_coefficients(from_codes(codes, n_categories=4), "ordinal", [1, 2, 3, 4])
    other = all_coefficients(from_codes(moved, n_categories=4), "ordinal", [3, 1, 4, 2])

    assert one["krippendorff_alpha"].value == pytest.approx(other["krippendorff_alpha"].value, abs=1e-12)


def test_of_two_categories_the_ordinal_error_is_the_nominal_one():
    # The only difference of ranks is N / 2, whatever the labels are. Nominal errors are those of irrCAC.
    codes = np.minimum(random_codes(8, n_items=50, n_raters=4, n_categories=3, share=0.8), 1)
    of_two = from_codes(codes, n_categories=2)

    nominal, ordinal = (
        all_coefficients(of_two, level)["krippendorff_alpha"] for level in ("nominal", "ordinal")
    )

    assert (ordinal.value, ordinal.se) == pytest.approx((nominal.value, nominal.se), rel=1e-12)
