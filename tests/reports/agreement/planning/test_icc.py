"""Items for the interval of an ICC, against published sizes, simulated studies and formulas for large samples."""

import math

import numpy as np
import pytest
from scipy.stats import f, norm

from reports.agreement.numbers.icc import intraclass_correlations
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.planning.icc import IccForm, IccStudy, items_for_icc_power, items_for_icc_width
from tests.sizes import only_in_full, some


def mean_half_width(rng, n, *, icc, k, n_studies=3000):
    """Of ICC(1,1) over simulated studies, with limits by scipy.stats."""
    subjects = rng.standard_normal((n_studies, n, 1)) * np.sqrt(icc)
    ratings = subjects + rng.standard_normal((n_studies, n, k)) * np.sqrt(1 - icc)
    between = k * ratings.mean(axis=2).var(axis=1, ddof=1)
    ratio = between / ratings.var(axis=2, ddof=1).mean(axis=1)
    low, high = ratio / f.isf(0.025, n - 1, n * (k - 1)), ratio * f.isf(0.025, n * (k - 1), n - 1)
    return float(np.mean((high - 1) / (high + k - 1) - (low - 1) / (low + k - 1))) / 2


@pytest.mark.parametrize(("icc", "k", "half_width"), [(0.5, 2, 0.15), (0.9, 3, 0.05), (0.7, 5, 0.1)])
def test_the_interval_has_the_width_in_simulated_studies(rng, icc, k, half_width):
    found = items_for_icc_width(IccStudy(icc=icc, n_raters=k), half_width=half_width)

    assert found.reached <= half_width
    assert found.reached == pytest.approx(mean_half_width(rng, found.n_items, icc=icc, k=k), rel=0.02)
    assert mean_half_width(rng, found.n_items - 3, icc=icc, k=k) > half_width * 0.99


def test_many_items_are_those_of_the_large_sample_formula():
    # 8 z^2 (1 - r)^2 (1 + (k - 1) r)^2 / (k (k - 1) w^2) + 1 for r = .5, k = 3, w = .1.
    found = items_for_icc_width(IccStudy(icc=0.5, n_raters=3), half_width=0.05)

    assert found.n_items == pytest.approx(513.2, rel=0.01)


@pytest.mark.parametrize(
    ("icc", "k", "published"),
    # Bonett 2002: with two raters, 51 by the formula and 5 x .8 more; in his example with four, 20.
    [(0.8, 2, 55), (0.85, 4, 20)],
)
def test_published_sizes_for_a_width(icc, k, published):
    found = items_for_icc_width(IccStudy(icc=icc, n_raters=k), half_width=0.1)

    assert abs(found.n_items - published) <= 1


@pytest.mark.parametrize(
    ("null", "icc", "k"), [(0.6, 0.8, 2), (0.2, 0.4, 2), (0.4, 0.6, 3), (0.7, 0.8, 5), (0, 0.2, 2)]
)
def test_sizes_for_a_power_are_those_of_walter_and_others(null, icc, k):
    # One-sided at 5%: n = 1 + 2 (z_alpha + z_beta)^2 k / ((k - 1) (ln C)^2); 39 in their first example.
    c = (1 + k * null / (1 - null)) / (1 + k * icc / (1 - icc))
    formula = 1 + 2 * (norm.isf(0.05) + norm.isf(0.2)) ** 2 * k / ((k - 1) * math.log(c) ** 2)

    found = items_for_icc_power(IccStudy(icc=icc, n_raters=k, confidence=0.9), null=null)

    assert found.n_items == pytest.approx(formula, rel=0.03, abs=1)
    assert found.reached >= 0.8
    if (null, icc) == (0.6, 0.8):
        assert found.n_items == 39


def test_consistency_has_fewer_degrees_of_freedom():
    alike = {"icc": 0.6, "n_raters": 4}
    consistent, one_way = (
        items_for_icc_width(IccStudy(**alike, form=form), half_width=0.2).n_items
        for form in (IccForm.CONSISTENCY, IccForm.ONE_WAY)
    )

    assert consistent >= one_way > 10


def simulated_agreement(rng, n, *, icc, k, rater_share, null, n_studies=1500):
    """The mean half width of ICC(A,1) in studies as reports analyze them, and how many intervals lie above null."""
    items, raters = (each.ravel() for each in np.indices((n, k)))

    def labeled(numbers):
        return NumberSample.from_labels(items, raters, numbers.ravel(), n_items=n, n_raters=k)

    widths, above = [], 0
    for _ in range(n_studies):
        numbers = rng.standard_normal((n, 1)) * icc**0.5 + rng.standard_normal((1, k)) * rater_share**0.5
        numbers = numbers + rng.standard_normal((n, k)) * (1 - icc - rater_share) ** 0.5
        found = intraclass_correlations(labeled(numbers))["icc_a_1"]
        widths.append((found.ci_high - found.ci_low) / 2)
        above += found.ci_low > null
    return float(np.mean(widths)), above / n_studies


@only_in_full
@pytest.mark.parametrize(
    ("icc", "k", "rater_share", "n"),
    some([(0.7, 3, 0.05, 30), (0.8, 5, 0.05, 50), (0.6, 2, 0.0, 20)], every=2),
)
def test_absolute_agreement_has_the_width_and_the_power_of_simulated_studies(rng, icc, k, rater_share, n):
    study = IccStudy(icc=icc, n_raters=k, form=IccForm.ABSOLUTE, rater_share=rater_share)

    width, power = simulated_agreement(rng, n, icc=icc, k=k, rater_share=rater_share, null=icc - 0.2)

    assert study.half_width(n) == pytest.approx(width, rel=0.03)
    assert study.power(n, icc - 0.2) == pytest.approx(power, abs=0.035)


def test_absolute_agreement_of_raters_alike_needs_hardly_more_items_than_consistency():
    alike = {"icc": 0.8, "n_raters": 6}

    agreement = items_for_icc_width(IccStudy(**alike, form=IccForm.ABSOLUTE), half_width=0.08)
    consistency = items_for_icc_width(IccStudy(**alike, form=IccForm.CONSISTENCY), half_width=0.08)

    assert agreement.n_items == pytest.approx(consistency.n_items, rel=0.1)
    assert agreement.reached <= 0.08


@only_in_full
def test_raters_who_differ_are_not_replaced_by_items():
    study = IccStudy(icc=0.7, n_raters=3, form=IccForm.ABSOLUTE, rater_share=0.1)

    with pytest.raises(ValueError, match=r"no number of items is enough with 3 raters .* at least 5 raters"):
        items_for_icc_width(study, half_width=0.1)

    enough = IccStudy(icc=0.7, n_raters=5, form=IccForm.ABSOLUTE, rater_share=0.1)
    assert items_for_icc_width(enough, half_width=0.1).n_items > 50


def test_some_precision_is_out_of_reach_for_any_raters():
    study = IccStudy(icc=0.5, n_raters=3, form=IccForm.ABSOLUTE, rater_share=0.4)

    with pytest.raises(ValueError, match="nor with 1,000"):
        items_for_icc_width(study, half_width=0.001)


@only_in_full
def test_items_for_a_power_of_absolute_agreement(rng):
    study = IccStudy(icc=0.8, n_raters=5, form=IccForm.ABSOLUTE, rater_share=0.02)

    found = items_for_icc_power(study, null=0.6)

    _, power = simulated_agreement(rng, found.n_items, icc=0.8, k=5, rater_share=0.02, null=0.6)
    assert power == pytest.approx(0.8, abs=0.035)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"icc": 1}, "ICC must be above 0 and below 1"),
        ({"n_raters": 1}, "2 to 1,000 raters"),
        ({"half_width": 0}, "half width"),
        ({"half_width": 1e-5}, "more than 10,000,000 items"),
        ({"form": IccForm.ABSOLUTE, "rater_share": 0.5}, "below 1 minus the expected value, got 0.5"),
    ],
)
def test_bad_plans_are_refused(options, message):
    asked = {"icc": 0.5, "n_raters": 2, "half_width": 0.1} | options
    half_width = asked.pop("half_width")

    with pytest.raises(ValueError, match=message):
        items_for_icc_width(IccStudy(**asked), half_width=half_width)


@pytest.mark.parametrize("null", [-0.1, 0.5, 0.7])
def test_a_lower_value_lies_below_the_expected_one(null):
    with pytest.raises(ValueError, match="from 0 to below the expected value"):
        items_for_icc_power(IccStudy(icc=0.5, n_raters=2), null=null)
