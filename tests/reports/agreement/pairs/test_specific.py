"""Specific agreement: by hand, published, close to the jackknife, and degenerate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reports.agreement.overall.category_agreement import by_category
from reports.agreement.pairs.specific import specific_agreement
from reports.agreement.results import Reason
from reports.agreement.sample import Sample, Scale
from tests.reports.agreement.pairs.tables_of_pairs import (
    AGRESTI_1992_CARCINOMA,
    FEINSTEIN_CICCHETTI_1990_1A,
    GWET_ABSTRACTORS,
    KNIME_BASE,
    LANDIS_KOCH_1977_WINNIPEG,
    jackknife_errors,
)
from tests.reports.agreement.samples import from_codes


@pytest.mark.parametrize(
    ("table", "values"),
    [
        # Cicchetti & Feinstein 1990, JCE 43, 551-558: positive and negative agreement.
        (FEINSTEIN_CICCHETTI_1990_1A, [16 / 19, 6 / 7]),
        # DKPro Statistics and scikit-learn's F1.
        (KNIME_BASE, [0.3157894737, 504 / 543]),
        (GWET_ABSTRACTORS, [1.0, 0.7843137255, 0.9105691057]),
    ],
)
def test_published_tables(table, values):
    found = specific_agreement(np.array([table]))

    assert found.value[0] == pytest.approx(values, abs=1e-9)


def test_an_error_worked_by_hand():
    # 6 items in the first category for both, 4 for one: 12/16; var = 4 * 6 * 4 * 10 / 16^4 * 20 / 19.
    found = specific_agreement(np.array([[[6, 3], [1, 10]]])).at(0, 0)

    se = np.sqrt(960 / 65536 * 20 / 19)
    assert found.n == 10
    assert found.value == pytest.approx(0.75, abs=1e-15)
    assert found.se == pytest.approx(se, abs=1e-15)
    # Wilson for 6 of 10, .312674 to .831820, and 2 J / (1 + J) of each.
    assert (found.ci_low, found.ci_high) == pytest.approx((0.476392, 0.908189), abs=1e-5)


@pytest.mark.parametrize(
    "table", [LANDIS_KOCH_1977_WINNIPEG, AGRESTI_1992_CARCINOMA, FEINSTEIN_CICCHETTI_1990_1A]
)
def test_the_error_is_close_to_the_jackknife(table):
    found = specific_agreement(np.array([table])).se[0]

    assert found == pytest.approx(
        jackknife_errors(lambda counts: specific_agreement(counts).value, table), rel=0.05
    )


def test_the_error_of_many_items_is_that_of_the_jackknife():
    table = np.array(LANDIS_KOCH_1977_WINNIPEG) * 100

    found = specific_agreement(table[None]).se[0]

    by_jackknife = jackknife_errors(lambda counts: specific_agreement(counts).value, table.tolist())
    assert found == pytest.approx(by_jackknife, rel=5e-4)


@pytest.mark.parametrize(
    ("table", "value", "se", "reason"),
    [
        ([[0, 0], [0, 0]], None, None, Reason.NO_OVERLAP),
        ([[0, 0], [0, 7]], None, None, Reason.CATEGORY_UNUSED),
        ([[1, 0], [0, 7]], 1, None, Reason.ONE_ITEM),
        ([[0, 1], [0, 0]], 0, None, Reason.ONE_ITEM),
    ],
)
def test_degenerate_tables(table, value, se, reason):
    found = specific_agreement(np.array([table])).at(0, 0)

    assert (found.value, found.se, found.reason) == (value, se, reason)
    assert (found.ci_low, found.ci_high) == (None, None)


@pytest.mark.parametrize(
    ("table", "value", "low", "high"),
    [
        # Wilson for 7 of 7, 5 of 5, and 0 of 7, and 2 J / (1 + J) of each.
        ([[7, 0], [0, 0]], 1, 0.784689, 1),
        ([[5, 0], [0, 2]], 1, 0.722467, 1),
        ([[0, 7], [0, 0]], 0, 0, 0.523256),
    ],
)
def test_limits_of_all_and_none(table, value, low, high):
    found = specific_agreement(np.array([table])).at(0, 0)

    assert (found.value, found.se, found.reason) == (value, 0, Reason.NONE)
    assert (found.ci_low, found.ci_high) == pytest.approx((low, high), abs=1e-5)


@given(arrays(np.int64, (2, 3, 3), elements=st.integers(0, 9)))
def test_limits_are_shares_about_the_value(counts):
    found = specific_agreement(counts)

    has_interval = ~np.isnan(found.ci_low)
    low, value, high = (each[has_interval] for each in (found.ci_low, found.value, found.ci_high))
    assert ((low >= 0) & (low <= value + 1e-12) & (value <= high + 1e-12) & (high <= 1)).all()


@given(arrays(np.int64, (1, 3, 3), elements=st.integers(0, 6)))
def test_all_raters_of_two_have_the_interval_of_their_pair(counts):
    codes = [(a, b) for a in range(3) for b in range(3) for _ in range(counts[0, a, b])]
    ratings = from_codes(np.array(codes, dtype=np.int64).reshape(-1, 2), n_categories=3)

    found = by_category(Sample(ratings), Scale(3))["specific_agreement"]
    pair = specific_agreement(counts)

    for ours, theirs in ((found.ci_low, pair.ci_low[0]), (found.ci_high, pair.ci_high[0])):
        assert ours == pytest.approx(theirs, abs=1e-9, nan_ok=True)


@given(arrays(np.int64, (2, 4, 4), elements=st.integers(0, 20)))
def test_observed_agreement_is_their_mean_over_labels(counts):
    labels = counts.sum(axis=1) + counts.sum(axis=2)

    found = specific_agreement(counts).value

    agreeing = np.nansum(found * labels, axis=1) / 2
    assert agreeing == pytest.approx(np.einsum("pkk->p", counts), abs=1e-9)
