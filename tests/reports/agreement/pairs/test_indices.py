"""Prevalence index, bias index and PABAK: published, close to the jackknife, degenerate, and their identity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.pairs.indices import bias_index, pabak, prevalence_index
from reports.agreement.results import Reason
from reports.agreement.weights import weighting
from tests.reports.agreement.pairs.tables_of_pairs import (
    CATS_DOGS_3,
    COHEN_1960_1,
    FEINSTEIN_CICCHETTI_1990_1A,
    FEINSTEIN_CICCHETTI_1990_1B,
    KNIME_BASE,
    jackknife_errors,
)

INDICES = [prevalence_index, bias_index, pabak]


@pytest.mark.parametrize(
    ("table", "prevalence", "bias", "adjusted"),
    [
        # Values of R epiR and DescTools.
        (FEINSTEIN_CICCHETTI_1990_1A, -0.05, 0.03, 0.70),
        (FEINSTEIN_CICCHETTI_1990_1B, 0.75, 0.05, 0.70),
        (KNIME_BASE, -0.81, 0.01, 0.74),
    ],
)
def test_published_tables(table, prevalence, bias, adjusted):
    found = [each(np.array([table])).value[0] for each in INDICES]

    assert found == pytest.approx([prevalence, bias, adjusted], abs=1e-12)


def test_errors_worked_by_hand():
    # 10, 7, 5 and 8 of 30: variances of scores 1, 0, 0, -1 and 0, 1, -1, 0; 2 sqrt(0.6 * 0.4 / 30) for PABAK.
    table = np.array([[[10, 7], [5, 8]]])

    assert prevalence_index(table).se[0] == pytest.approx(np.sqrt((18 / 30 - (2 / 30) ** 2) / 30))
    assert bias_index(table).se[0] == pytest.approx(np.sqrt((12 / 30 - (2 / 30) ** 2) / 30))
    assert pabak(table).se[0] == pytest.approx(2 * np.sqrt(0.6 * 0.4 / 30))
    assert pabak(table).ci_low[0] == pytest.approx(0.2 - 1.959964 * 2 * np.sqrt(0.008), abs=1e-6)


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("table", [FEINSTEIN_CICCHETTI_1990_1B, KNIME_BASE, CATS_DOGS_3])
def test_the_error_is_that_of_the_jackknife(index, table):
    # A mean's jackknife divides by n (n - 1).
    n = np.sum(table)

    found = index(np.array([table])).se[0]

    by_jackknife = jackknife_errors(lambda counts: index(counts).value, table)
    assert found * np.sqrt(n / (n - 1)) == pytest.approx(by_jackknife, rel=1e-9)


@pytest.mark.parametrize("index", INDICES)
def test_degenerate_tables(index):
    tables = np.array([[[0, 0], [0, 0]], [[1, 0], [0, 0]], [[7, 0], [0, 0]]])

    found = index(tables)

    reasons = [found.at(position).reason for position in range(3)]
    # Only PABAK has an interval in full agreement: see test_full_agreement.
    of_full = Reason.NONE if index is pabak else Reason.DEGENERATE_SE
    assert reasons == [Reason.NO_OVERLAP, Reason.ONE_ITEM, of_full]
    assert found.at(0).value is None
    assert (found.at(1).se, found.at(2).se) == (None, 0)
    assert np.isnan(found.ci_low[: 2 if index is pabak else 3]).all()


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("table", [COHEN_1960_1, [[9]]])
def test_they_are_for_two_categories_only(index, table):
    found = index(np.array([table])).at(0)

    assert (found.value, found.reason) == (None, Reason.NOT_TWO_CATEGORIES)


@given(arrays(np.int64, (5, 2, 2), elements=st.integers(0, 40)))
def test_byrt_bishop_and_carlins_identity(counts):
    # JCE 46, 1993, 423-429.
    kappa = cohen_kappa(counts, weighting("unweighted", n_categories=2)).kappa
    p, b, adjusted = (each(counts).value for each in INDICES)
    is_defined = ~np.isnan(kappa)

    by_indices = (adjusted - p**2 + b**2)[is_defined] / (1 - p**2 + b**2)[is_defined]

    assert kappa[is_defined] == pytest.approx(by_indices, abs=1e-9)
