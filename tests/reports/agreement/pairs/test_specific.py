"""Specific agreement: by hand, published, close to the jackknife, and degenerate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reports.agreement.pairs.specific import specific_agreement
from reports.agreement.results import Reason
from tests.reports.agreement.pairs.tables_of_pairs import (
    AGRESTI_1992_CARCINOMA,
    FEINSTEIN_CICCHETTI_1990_1A,
    GWET_ABSTRACTORS,
    KNIME_BASE,
    LANDIS_KOCH_1977_WINNIPEG,
    jackknife_errors,
)


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
    assert (found.value, found.n) == (0.75, 10)
    assert found.se == pytest.approx(se, abs=1e-15)
    assert found.ci_low == pytest.approx(0.75 - 1.959964 * se, abs=1e-6)
    assert found.ci_high == pytest.approx(0.75 + 1.959964 * se, abs=1e-6)


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
        ([[7, 0], [0, 0]], 1, 0, Reason.DEGENERATE_SE),
        ([[5, 0], [0, 2]], 1, 0, Reason.DEGENERATE_SE),
        ([[0, 7], [0, 0]], 0, 0, Reason.DEGENERATE_SE),
        ([[1, 0], [0, 7]], 1, None, Reason.ONE_ITEM),
        ([[0, 1], [0, 0]], 0, None, Reason.ONE_ITEM),
    ],
)
def test_degenerate_tables(table, value, se, reason):
    found = specific_agreement(np.array([table])).at(0, 0)

    assert (found.value, found.se, found.reason) == (value, se, reason)
    assert (found.ci_low, found.ci_high) == (None, None)


def test_limits_are_clipped_to_shares():
    found = specific_agreement(np.array([[[5, 1, 0], [0, 1, 3], [0, 2, 0]]]))

    assert found.ci_high[0, 0] == 1
    assert found.ci_low[0, 1] == 0


@given(arrays(np.int64, (2, 4, 4), elements=st.integers(0, 20)))
def test_observed_agreement_is_their_mean_over_labels(counts):
    labels = counts.sum(axis=1) + counts.sum(axis=2)

    found = specific_agreement(counts).value

    agreeing = np.nansum(found * labels, axis=1) / 2
    assert agreeing == pytest.approx(np.einsum("pkk->p", counts), abs=1e-9)
