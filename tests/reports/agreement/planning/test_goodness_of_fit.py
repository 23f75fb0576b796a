"""Items by the goodness of fit of a table with common margins: as published, and what is refused."""

import numpy as np
import pytest

from reports.agreement.planning.goodness_of_fit import (
    common_correlation,
    items_for_fit_test,
    items_for_lower_limit,
)


def test_published_number_of_items_for_a_lower_limit():
    # Rotondi & Donner 2012: R kappaSize 1.2, CIBinary.
    assert items_for_lower_limit([0.3, 0.7], kappa=0.6, lower=0.4).n_items == 66


@pytest.mark.parametrize(
    ("prevalence", "n"),
    # Donner & Eliasziw 1992: R kappaSize 1.2, PowerBinary and Power3Cats.
    [([0.3, 0.7], 191), ([0.3, 0.3, 0.4], 108)],
)
def test_published_numbers_of_items_for_a_test(prevalence, n):
    found = items_for_fit_test(prevalence, kappa=0.6, null=0.4)

    assert found.n_items == n
    assert 0.8 <= found.reached < 0.81


def test_the_table_has_the_margins_and_the_kappa():
    table = common_correlation(np.array([0.2, 0.3, 0.5]), 0.4)

    assert table.sum() == pytest.approx(1)
    assert table.sum(axis=0) == pytest.approx([0.2, 0.3, 0.5])
    expected = 0.04 + 0.09 + 0.25
    assert (np.trace(table) - expected) / (1 - expected) == pytest.approx(0.4)


def test_a_category_that_nobody_uses_changes_nothing():
    assert items_for_fit_test([0.3, 0.7, 0], kappa=0.6, null=0.4).n_items == 191


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kappa": 0.6, "null": 0.6}, "must differ"),
        ({"kappa": 0.6, "null": -0.9}, r"between -0\.429 and 1"),
        ({"kappa": 0.6, "null": 1.0}, "must be above -1 and below 1"),
        ({"kappa": 1.4, "null": 0.4}, "cannot be 1.4"),
    ],
)
def test_bad_tests_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        items_for_fit_test([0.3, 0.7], **options)


def test_a_limit_above_kappa_is_refused():
    with pytest.raises(ValueError, match="must be below kappa"):
        items_for_lower_limit([0.3, 0.7], kappa=0.4, lower=0.6)
