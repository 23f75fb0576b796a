"""Items for Cohen's kappa: as published, and that a test with so many items has the power it should."""

import numpy as np
import pytest

from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.planning.kappa import items_for_kappa_test, items_for_kappa_width
from reports.agreement.planning.margins import Margins
from reports.agreement.weights import weighting

THREE = [0.3, 0.3, 0.4]


def unweighted(n_categories):
    return weighting("unweighted", n_categories=n_categories)


def needed(margins, **options):
    return items_for_kappa_test(margins, margins, unweighted(len(margins)), **options)


@pytest.mark.parametrize(
    ("margins", "kappa", "null", "n_sides", "power", "n"),
    [
        # Cantor 1996: R irr 0.84.1, N.cohen.kappa; the second also N2.cohen.kappa.
        ([0.3, 0.7], 0.8, 0.4, 1, 0.8, 30),
        ([0.5, 0.5], 0.6, 0.4, 1, 0.8, 119),
        ([0.5, 0.5], 0.6, 0.4, 2, 0.9, 200),
        ([0.1, 0.9], 0.9, 0.6, 2, 0.8, 120),
        # Flack et al. 1988: R irr 0.84.1, N2.cohen.kappa.
        (THREE, 0.6, 0.4, 1, 0.8, 83),
    ],
)
def test_published_numbers_of_items(margins, kappa, null, n_sides, power, n):
    found = needed(margins, kappa=kappa, null=null, n_sides=n_sides, power=power)

    assert found.n_items == n
    assert power <= found.reached < power + 0.01


def test_tau_of_two_categories_is_the_error_of_the_only_table():
    # Rows 50 and 50, columns 60 and 40, kappa .7: the table is [45 5; 15 35] of 100.
    found = Margins([0.5, 0.5], [0.6, 0.4], unweighted(2)).tau(0.6)

    one = cohen_kappa(np.array([[[45, 5], [15, 35]]]), unweighted(2))
    assert one.kappa[0] == pytest.approx(0.6)
    assert found == pytest.approx(10 * one.se[0], abs=1e-9)


def test_tau_of_more_categories_is_above_that_of_any_table(rng):
    weights = weighting("linear", n_categories=3)
    tables = rng.multinomial(60, [0.25, 0.05, 0.05, 0.05, 0.15, 0.05, 0.05, 0.05, 0.3], size=40).reshape(
        -1, 3, 3
    )
    kappas = cohen_kappa(tables, weights)

    for table, kappa, se in zip(tables, kappas.kappa, kappas.se, strict=True):
        largest = Margins(table.sum(axis=1) / 60, table.sum(axis=0) / 60, weights).tau(kappa)
        assert largest >= np.sqrt(60) * se - 1e-6


def test_bounds_of_kappa_are_kappa_max_and_the_most_disagreement():
    low, high = Margins([0.5, 0.5], [0.6, 0.4], unweighted(2)).kappa_bounds()

    assert (low, high) == pytest.approx((-0.8, 0.8))


def test_width_is_that_of_the_interval_of_a_study_of_this_size():
    found = items_for_kappa_width([0.5, 0.5], [0.6, 0.4], unweighted(2), kappa=0.6, half_width=0.1)

    one = cohen_kappa(np.array([[[45, 5], [15, 35]]]), unweighted(2))
    half_width = float(one.ci_high[0] - one.kappa[0])
    assert found.n_items == int(np.ceil(100 * (half_width / 0.1) ** 2))
    assert 0.099 < found.reached <= 0.1


def test_a_study_of_this_size_has_the_power(rng):
    margins, kappa, null = [0.3, 0.7], 0.8, 0.5
    n = needed(margins, kappa=kappa, null=null, n_sides=1, power=0.8).n_items
    p = 0.21 * (1 - kappa)
    tables = rng.multinomial(n, [0.3 - p, p, p, 0.7 - p], size=4000).reshape(-1, 2, 2)

    tau = Margins(margins, margins, unweighted(2)).tau(null)
    z = (cohen_kappa(tables, unweighted(2)).kappa - null) * np.sqrt(n) / tau
    # 4,000 studies tell the power to 0.0063; a large-sample formula is itself a little off.
    assert np.mean(z > 1.6448536) == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize(
    ("margins", "options", "message"),
    [
        ([0.3, 0.7], {"kappa": 0.6, "null": 0.6}, "must differ"),
        ([0.3, 0.6], {"kappa": 0.6, "null": 0.4}, "must sum to 1"),
        ([0.3, -0.3, 1], {"kappa": 0.6, "null": 0.4}, "from 0 to 1"),
        ([1.0], {"kappa": 0.6, "null": 0.4}, "2 to 30 shares"),
        ([1.0, 0.0], {"kappa": 0.6, "null": 0.4}, "at least two categories"),
        ([float("nan"), 0.5], {"kappa": 0.6, "null": 0.4}, "from 0 to 1"),
        ([0.3, 0.7], {"kappa": 0.6, "null": 0.4, "power": 1.0}, "power"),
        ([0.3, 0.7], {"kappa": 0.6, "null": 0.4, "confidence": 0}, "confidence"),
        ([0.3, 0.7], {"kappa": 0.6, "null": 0.4, "n_sides": 3}, "n_sides"),
        ([0.3, 0.7], {"kappa": 0.6, "null": 0.599999}, "more than 10,000,000 items"),
        ([0.3, 0.7], {"kappa": 1.2, "null": 0.4}, "between -0.429 and 1.000, so it cannot be 1.2"),
    ],
)
def test_bad_plans_are_refused(margins, options, message):
    with pytest.raises(ValueError, match=message):
        needed(margins, **options)


def test_a_kappa_that_the_margins_do_not_allow_is_refused():
    with pytest.raises(ValueError, match=r"between -0\.724 and 0\.310, so it cannot be 0\.9"):
        items_for_kappa_width([0.3, 0.7], [0.7, 0.3], unweighted(2), kappa=0.9, half_width=0.1)


def test_perfect_agreement_has_no_width():
    with pytest.raises(ValueError, match="has no error"):
        items_for_kappa_width([0.3, 0.7], [0.3, 0.7], unweighted(2), kappa=1, half_width=0.1)
