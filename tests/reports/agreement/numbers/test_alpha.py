"""Alpha of numbers against published values, and against the way over tables of categories."""

import numpy as np
import pytest

from reports.agreement.numbers.alpha import number_alpha
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.overall import label_differences
from tests.reports.agreement.numbers.published import ANXIETY
from tests.reports.agreement.samples import all_coefficients, from_codes, random_codes

NAN = np.nan
# Krippendorff 2011, Computing Krippendorff's alpha-reliability, section D: four observers, twelve units.
FOUR_OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T


@pytest.mark.parametrize(
    ("level", "published"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_the_four_observers_are_as_printed(level, published):
    """Krippendorff 2011, section D."""
    found = number_alpha(NumberSample(FOUR_OBSERVERS), level)

    assert round(found.value, 3) == published


def test_the_error_of_the_ratio_alpha():
    """R: irrCAC::krippen.alpha.raw(ratings, weights = "ratio"), which takes one item more for the quantile of t."""
    found = number_alpha(NumberSample(FOUR_OBSERVERS), "ratio")

    assert (found.value, found.se) == pytest.approx((0.797402774711612, 0.140360385074878), abs=1e-9)
    assert (found.used.n_items, found.left_out.n_items, found.left_out.n_labels) == (11, 1, 1)


@pytest.mark.parametrize(("level", "value"), [("interval", 0.170098607888631), ("ratio", 0.141801340561872)])
def test_complete_data(level, value):
    """Python: krippendorff.alpha(anxiety.T, level_of_measurement=level)."""
    assert number_alpha(NumberSample(ANXIETY), level).value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("seed", range(4))
def test_numbers_have_the_alpha_that_equal_categories_have(level, seed):
    codes = random_codes(seed, n_items=60, n_raters=5, n_categories=7)
    values = [0.0, 0.5, 2.0, 3.25, 4.0, 7.5, 11.0]
    numbers = np.where(codes >= 0, np.array(values)[codes], np.nan)

    found = number_alpha(NumberSample(numbers), level)

    given = values if level in {"interval", "ratio"} else None
    table = all_coefficients(from_codes(codes, n_categories=7), level, given)["krippendorff_alpha"]
    assert (found.value, found.se) == pytest.approx((table.value, table.se), abs=1e-12)
    assert found.ci_low == pytest.approx(table.ci_low, abs=1e-11)
    assert (found.used, found.left_out) == (table.used, table.left_out)


@pytest.mark.parametrize(
    ("values", "level", "reason"),
    [
        ([[NAN, NAN]], "interval", "no_items"),
        ([[1, NAN], [NAN, 1]], "interval", "no_overlap"),
        ([[0.1, 0.1], [0.1, 0.1], [0.1, 0.1]], "interval", "no_variation"),
        ([[0.1, 0.1, 0.1], [0.1, 0.1, 0.1]], "ratio", "no_variation"),
        ([[0.1, 0.1, 0.1], [0.1, 0.1, 0.1]], "ordinal", "no_variation"),
        ([[-1, 2], [1, 2]], "ratio", "negative_values"),
    ],
)
def test_undefined(values, level, reason):
    found = number_alpha(NumberSample(values), level)

    assert (found.value, found.se, str(found.reason)) == (None, None, reason)


def test_full_agreement():
    found = number_alpha(NumberSample([[0.1, 0.1, 0.1], [0.7, 0.7, 0.7]]), "interval")

    assert (found.value, found.se, found.ci_low, str(found.reason)) == (1.0, 0.0, None, "degenerate_se")


def test_zero_and_zero_are_no_ratio_apart():
    found = number_alpha(NumberSample([[0, 0], [0, 0], [1, 3]]), "ratio")

    # N = 6: observed 2 (2/4)^2; expected 2 (4 * 1 * 1 + 4 * 1 * 1 + 1 * 1 * (2/4)^2).
    assert found.value == pytest.approx(1 - 5 * 0.5 / (2 * 8.25), abs=1e-12)


def test_numbers_far_from_zero_keep_their_alpha():
    plain = number_alpha(NumberSample(ANXIETY), "interval")
    far = number_alpha(NumberSample(ANXIETY + 1e8), "interval")

    assert (far.value, far.se) == pytest.approx((plain.value, plain.se), abs=1e-9)


def test_too_many_distinct_numbers_for_ratios_are_named(monkeypatch):
    monkeypatch.setattr(label_differences, "MAX_DIFFERENCES", 8)

    found = number_alpha(NumberSample([[1, 2], [3, 4]]), "ratio")

    assert (found.value, str(found.reason)) == (None, "too_many_values")
    assert number_alpha(NumberSample([[1, 2], [3, 4]]), "interval").value is not None


@pytest.mark.parametrize("factor", [2.0**-1060, 2.0**-600, 2.0**600])
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_the_unit_of_the_numbers_does_not_count(level, factor):
    # Squares of such numbers are 0 or infinite, as floats.
    found, plain = (
        number_alpha(NumberSample(each), level) for each in (FOUR_OBSERVERS * factor, FOUR_OBSERVERS)
    )

    assert (found.value, found.se) == pytest.approx((plain.value, plain.se), rel=1e-12)
