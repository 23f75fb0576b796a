"""Percent agreement and the coefficients that correct it for chance."""

import itertools

import numpy as np
import pytest

from reports.agreement.overall.chance_corrected import (
    BRENNAN_PREDIGER,
    FLEISS_KAPPA,
    GWET_AC,
    PERCENT_AGREEMENT,
)
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights, weighting
from tests.reports.agreement.published import GWET_4_RATERS, KRIPPENDORFF_2011
from tests.reports.agreement.samples import all_coefficients, from_codes, from_table, random_codes


def test_percent_agreement_is_the_mean_over_items():
    # The pairable items agree fully, except the fifth (all pairs differ), the ninth and the tenth.
    found = all_coefficients(KRIPPENDORFF_2011)["percent_agreement"]

    assert found.value == pytest.approx(0.818182, abs=6e-7)
    assert found.method == "item mean"


def test_two_raters_have_scotts_pi():
    # Cohen 1960, example 2: pi .487179, AC1 .575972 (R irrCAC 1.4 and Python irrCAC 0.4.4).
    found = all_coefficients(from_table([[88, 14, 18], [10, 40, 10], [2, 6, 12]]))

    assert found["fleiss_kappa"].value == pytest.approx(0.487179, abs=6e-7)
    assert found["gwet_ac1"].value == pytest.approx(0.575972, abs=6e-7)
    assert found["krippendorff_alpha"].value == pytest.approx(0.488462, abs=6e-7)


def test_fleiss_kappa_is_near_the_mean_of_cohens_kappas():
    codes = random_codes(13, n_items=200, n_raters=4, n_categories=3, share=1.0)
    tables = np.array(
        [
            [[((codes[:, a] == k) & (codes[:, b] == m)).sum() for m in range(3)] for k in range(3)]
            for a, b in itertools.combinations(range(4), 2)
        ]
    )

    mean = cohen_kappa(tables, weighting("unweighted", n_categories=3)).kappa.mean()

    assert all_coefficients(from_codes(codes, n_categories=3))["fleiss_kappa"].value == pytest.approx(
        mean, abs=0.01
    )


# R irrCAC 1.4 and Python irrCAC 0.4.4 on four raters, with the values 1 to 5 as numbers.
AC2 = [
    ("linear", 0.858739),
    ("quadratic", 0.914001),
    ("ordinal", 0.898940),
    ("radical", 0.819812),
    ("ratio", 0.857368),
    ("circular", 0.830195),
    ("bipolar", 0.900373),
]


@pytest.mark.parametrize(("weights", "value"), AC2)
def test_published_weighted_values(weights, value):
    scale = Scale(5, values=(1, 2, 3, 4, 5), weights=Weights(weights))

    found = estimate(GWET_AC, Sample(GWET_4_RATERS), scale)

    assert found.value == pytest.approx(value, abs=6e-7)
    assert found.method == weights


@pytest.mark.parametrize("statistic", [PERCENT_AGREEMENT, FLEISS_KAPPA, BRENNAN_PREDIGER, GWET_AC])
def test_custom_weights_that_are_linear_give_the_linear_value(statistic):
    similarity = weighting("linear", n_categories=5).similarity
    sample = Sample(GWET_4_RATERS)

    custom = estimate(statistic, sample, Scale(5, weights=Weights.CUSTOM, custom=similarity))
    linear = estimate(statistic, sample, Scale(5, weights=Weights.LINEAR))

    assert (custom.value, custom.se) == pytest.approx((linear.value, linear.se), abs=1e-12)
