"""Lin's concordance against R, against direct moments, and where it is undefined."""

import numpy as np
import pytest

from reports.agreement.numbers.concordance import lin_concordance
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.pairs import all_number_pairs
from reports.agreement.results import Estimate
from tests.reports.agreement.numbers.published import ANXIETY, PEFR, SHROUT_FLEISS


def concordance_of(values: object) -> Estimate:
    return lin_concordance(all_number_pairs(NumberSample(values))).coefficient.at(0)


@pytest.mark.parametrize(
    ("values", "value", "se", "low", "high", "bias_correction"),
    [
        (PEFR, 0.942742431427484, 0.028616737460649, 0.85049187316856, 0.978726279170122, 0.999430693136343),
        (
            SHROUT_FLEISS[:, :2],
            0.106951871657754,
            0.08255493557637154,
            -0.0562550071259736,
            0.264591773823591,
            0.143490993208543,
        ),
        (
            ANXIETY[:, :2],
            0.29676511954993,
            0.21260000951417463,
            -0.149824997390372,
            0.642781085920829,
            0.990059810373462,
        ),
    ],
)
def test_the_coefficient_is_as_r_gives_it(values, value, se, low, high, bias_correction):
    """R: epiR::epi.ccc(x, y, ci = "z-transform") and DescTools::CCC(x, y)."""
    found = lin_concordance(all_number_pairs(NumberSample(values)))

    each = found.coefficient.at(0)
    assert (each.value, each.se) == pytest.approx((value, se), abs=1e-10)
    assert (each.ci_low, each.ci_high) == pytest.approx((low, high), abs=1e-9)
    assert found.bias_correction[0] == pytest.approx(bias_correction, abs=1e-10)


def test_every_pair_uses_the_items_it_shares():
    random = np.random.default_rng(7)
    values = random.normal(size=(40, 1)) + random.normal(size=(40, 6)) * 0.5 + np.arange(6)
    values[random.random(values.shape) < 0.3] = np.nan

    pairs = all_number_pairs(NumberSample(values))
    found = lin_concordance(pairs)

    assert len(pairs) == 15
    for place, (a, b) in enumerate(zip(pairs.rater_a, pairs.rater_b, strict=True)):
        x, y = values[~np.isnan(values[:, [a, b]]).any(axis=1)][:, [a, b]].T
        direct = 2 * np.cov(x, y, bias=True)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
        assert pairs.n[place] == len(x)
        assert found.coefficient.value[place] == pytest.approx(direct, abs=1e-12)
        assert found.correlation[place] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-12)


NAN = np.nan


@pytest.mark.parametrize(
    ("values", "value", "se", "reason"),
    [
        ([[3, 3], [3, 3], [3, 3]], None, None, "no_variation"),
        ([[3, 3]], None, None, "no_variation"),
        ([[3, 4]], 0.0, None, "n<2"),
        ([[3, 3], [3, 4], [3, 5]], 0.0, None, "degenerate_margins"),
        ([[0, 1], [1, 0], [2, 1]], 0.0, None, "degenerate_margins"),
        ([[1, 1], [2, 3]], 2 / 3, None, "too_few_items"),
        ([[0.1, 0.1], [0.2, 0.2], [0.7, 0.7]], 1.0, 0.0, "degenerate_se"),
    ],
)
def test_cases_without_value_or_interval(values, value, se, reason):
    found = concordance_of(values)

    assert found.value == (None if value is None else pytest.approx(value, abs=1e-15))
    assert (found.se, found.ci_low, found.ci_high) == (se, None, None)
    assert found.reason == reason


def test_without_correlation_there_is_no_bias_correction():
    pairs = all_number_pairs(NumberSample([[0.1, 1.1], [1.1, 0.1], [2.1, 1.1]]))

    found = lin_concordance(pairs)

    assert found.correlation[0] == 0
    assert np.isnan(found.bias_correction[0])


def test_raters_who_share_no_item_are_no_pair():
    pairs = all_number_pairs(NumberSample([[1, NAN, 1], [NAN, 2, 2], [3, NAN, NAN]]))

    assert list(zip(pairs.rater_a.tolist(), pairs.rater_b.tolist(), strict=True)) == [(0, 2), (1, 2)]


def test_no_labels_no_pairs():
    found = lin_concordance(all_number_pairs(NumberSample(np.full((3, 2), np.nan))))

    assert len(found.coefficient.value) == 0


@pytest.mark.parametrize(("factor", "precision"), [(1e-320, 0.01), (2.0**-600, 1e-12), (2.0**600, 1e-12)])
def test_the_unit_of_the_numbers_does_not_count(factor, precision):
    # Squares of such numbers are 0 or infinite, as floats.
    numbers = np.array([[1, 2], [3, 3], [5, 4], [1, 1], [8, 6]])

    found, plain = concordance_of(numbers * factor), concordance_of(numbers)

    assert (found.value, found.se, found.ci_low) == pytest.approx(
        (plain.value, plain.se, plain.ci_low), rel=precision
    )
