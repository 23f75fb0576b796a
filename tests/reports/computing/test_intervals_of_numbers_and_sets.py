"""The intervals of numbers and sets are those that a report asks for."""

import pytest

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.weights import Level
from reports.analysis.kinds import feasible
from reports.analysis.options import IntervalMethod, Options
from reports.analysis.question import Kind
from tests.reports.agreement.numbers.published import ANXIETY, SHROUT_FLEISS
from tests.reports.agreement.sets.samples import random_sets, sets_of
from tests.reports.analyzed import analyzed

METHODS = {
    IntervalMethod.PERCENTILE: "percentile bootstrap",
    IntervalMethod.BCA: "bca bootstrap",
    IntervalMethod.JACKKNIFE: "jackknife, t over items",
}


def of_numbers(values, options: Options):
    """The coefficients."""
    result, _ = analyzed(NumberSample(values), Kind.NUMBER, level=Level.INTERVAL, options=options)
    return dict(result.coefficients)


@pytest.mark.parametrize("method", METHODS)
def test_all_coefficients_of_numbers_have_the_interval_asked_for(method):
    by_formula = of_numbers(ANXIETY, Options())

    found = of_numbers(ANXIETY, Options(interval=method))

    for name, each in found.items():
        assert each.interval_method == METHODS[method]
        assert each.value == by_formula[name].value
        assert each.ci_low == pytest.approx(by_formula[name].ci_low, abs=0.2)
        assert each.ci_high == pytest.approx(by_formula[name].ci_high, abs=0.2)


@pytest.mark.parametrize("method", METHODS)
def test_all_coefficients_of_sets_have_the_interval_asked_for(method):
    sample = sets_of(random_sets(4), "ABCD")
    by_formula = analyzed(sample, Kind.MULTIPLE, options=Options())[0]

    found = analyzed(sample, Kind.MULTIPLE, options=Options(interval=method))[0]

    rows = found.categories["fleiss_kappa"]
    for each in [*found.coefficients.values(), *rows]:
        assert each.interval_method == METHODS[method]
    for name, each in found.coefficients.items():
        assert each.se == pytest.approx(by_formula.coefficients[name].se, rel=0.2)


def test_the_seed_decides_the_bootstrap():
    def low(seed: int) -> float:
        options = Options(interval=IntervalMethod.PERCENTILE, seed=seed)
        return of_numbers(SHROUT_FLEISS, options)["icc_c_1"].ci_low

    assert low(1) == low(1)
    assert low(1) != low(2)


def test_what_would_take_too_long_keeps_its_formula(monkeypatch):
    monkeypatch.setattr(feasible, "MAX_STEPS", 1000)
    options = Options(interval=IntervalMethod.PERCENTILE)

    found = of_numbers(ANXIETY, options)

    assert found["icc_1_1"].interval_method == "F"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("values", [[[1.0]], [[1, 1], [1, 1]], [[1, 2]], [[1, 1], [2, 2], [3, 3]]])
def test_undefined_and_perfect_numbers_have_no_interval(method, values):
    found = of_numbers(values, Options(interval=method))

    # An item that is drawn twice is a tie, so that W without their correction is not 1 in each replicate.
    uncorrected = found.pop("kendall_w_uncorrected")
    assert uncorrected.value == found["kendall_w"].value
    for each in found.values():
        assert each.ci_low is None
        assert each.reason
