"""Numbers: how the coefficients belong together, and to those of categories."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.agreement.numbers.alpha import number_alpha
from reports.agreement.numbers.bland_altman import limits_of_agreement
from reports.agreement.numbers.concordance import lin_concordance
from reports.agreement.numbers.icc import intraclass_correlations
from reports.agreement.numbers.kendall import kendall_w
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.pairs import all_number_pairs
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.weights import weighting
from tests.reports.agreement.properties.tables import codes_of, tables

properties = settings(deadline=None, max_examples=60)


@st.composite
def numbers(draw: st.DrawFn) -> np.ndarray:
    """(items, raters) whole numbers, so that sums are exact."""
    n_items, n_raters = draw(st.integers(3, 12)), draw(st.integers(2, 5))
    cells = draw(st.lists(st.integers(-9, 9), min_size=n_items * n_raters, max_size=n_items * n_raters))
    return np.array(cells, dtype=float).reshape(n_items, n_raters)


def icc(values: np.ndarray) -> dict[str, float | None]:
    return {name: found.value for name, found in intraclass_correlations(NumberSample(values)).items()}


@properties
@given(tables())
def test_quadratically_weighted_kappa_is_lins_coefficient(counts):
    # Krippendorff 1970 saw it; moments over n, categories at 1, 2, 3, …
    kappa = cohen_kappa(counts, weighting("quadratic", n_categories=counts.shape[1])).kappa[0]

    pairs = all_number_pairs(NumberSample(1.0 + codes_of(counts)))

    if not np.isnan(kappa):
        assert lin_concordance(pairs).coefficient.value[0] == pytest.approx(kappa, abs=1e-9)


@properties
@given(numbers(), st.integers(-50, 50), st.integers(1, 7))
def test_neither_zero_nor_unit_matters(values, shift, unit):
    one, other = icc(values), icc(unit * values + shift)

    for name, value in one.items():
        assert other[name] is None if value is None else other[name] == pytest.approx(value, abs=1e-8)


@properties
@given(numbers())
def test_a_rater_who_is_off_by_a_constant_is_consistent(values):
    moved = values + np.arange(values.shape[1]) * 3.0

    one, other = icc(values), icc(moved)

    for name in ("icc_c_1", "icc_c_k"):
        if one[name] is not None and other[name] is not None:
            assert other[name] == pytest.approx(one[name], abs=1e-8)


@properties
@given(numbers())
def test_means_of_raters_follow_spearman_and_brown(values):
    found, k = icc(values), values.shape[1]

    for kind in ("1", "a", "c"):
        one, mean = found[f"icc_{kind}_1"], found[f"icc_{kind}_k"]
        if one is not None and mean is not None and abs(1 + (k - 1) * one) > 1e-6:
            assert mean == pytest.approx(k * one / (1 + (k - 1) * one), rel=1e-6, abs=1e-8)


@properties
@given(numbers())
def test_lins_coefficient_is_no_further_from_zero_than_pearsons(values):
    found = lin_concordance(all_number_pairs(NumberSample(values)))

    is_there = ~np.isnan(found.correlation)
    closer = np.abs(found.coefficient.value[is_there]) <= np.abs(found.correlation[is_there]) + 1e-12
    assert closer.all()


@properties
@given(numbers())
def test_the_bias_is_the_difference_of_means_and_turns_with_the_raters(values):
    pair = values[:, :2]

    found = limits_of_agreement(all_number_pairs(NumberSample(pair)))
    turned = limits_of_agreement(all_number_pairs(NumberSample(pair[:, ::-1])))

    assert found.bias.value[0] == pytest.approx(pair[:, 0].mean() - pair[:, 1].mean(), abs=1e-12)
    assert turned.lower.value[0] == pytest.approx(-found.upper.value[0], abs=1e-10)


@properties
@given(numbers())
def test_w_asks_for_ranks_alone_and_lies_between_zero_and_one(values):
    found, stretched = kendall_w(NumberSample(values)).value, kendall_w(NumberSample(values**3)).value

    assert found is None if stretched is None else found == pytest.approx(stretched, abs=1e-12)
    assert found is None or -1e-12 <= found <= 1 + 1e-12


@properties
@given(numbers())
def test_interval_alpha_of_complete_data_comes_near_icc_1_1(values):
    # With n k labels alpha = 1 - MSW / MST, where MST has n k - 1 degrees of freedom.
    found = number_alpha(NumberSample(values), "interval").value

    within = values.var(axis=1, ddof=1).mean()
    total = values.var(ddof=1)
    assert found is None if total == 0 else found == pytest.approx(1 - within / total, abs=1e-9)
