"""Krippendorff's alpha of two raters: published, against all raters together, and degenerate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.chance_corrected import scott_pi
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.pairs.krippendorff import krippendorff_alpha
from reports.agreement.results import Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Level, weighting
from tests.reports.agreement.pairs.tables_of_pairs import (
    AGRESTI_1992_CARCINOMA,
    COHEN_1960_1,
    COHEN_1960_2,
    GWET_ABSTRACTORS,
    LANDIS_KOCH_1977_WINNIPEG,
    jackknife_errors,
)
from tests.reports.agreement.samples import from_table


@pytest.mark.parametrize(
    ("table", "alpha"),
    [
        (COHEN_1960_1, -0.095271),
        (COHEN_1960_2, 0.488462),
        (LANDIS_KOCH_1977_WINNIPEG, 0.180995),
        (AGRESTI_1992_CARCINOMA, 0.475746),
        (GWET_ABSTRACTORS, 0.797258),
    ],
)
def test_published_tables(table, alpha):
    # R and Python irrCAC, krippendorff.
    found = krippendorff_alpha(np.array([table]), Scale(len(table))).at(0)

    assert found.value == pytest.approx(alpha, abs=6e-7)


def test_published_error():
    # Cohen 1960, first example; R and Python irrCAC from the table, with n where n - 1 is used here.
    found = krippendorff_alpha(np.array([COHEN_1960_1]), Scale(3)).at(0)

    assert found.se * np.sqrt(99 / 100) == pytest.approx(0.0575594504, abs=1e-9)
    assert (found.ci_low, found.ci_high) == pytest.approx(
        (found.value - 1.984217 * found.se, found.value + 1.984217 * found.se), abs=1e-7
    )


@pytest.mark.parametrize("values", [None, (1.0, 2.0, 4.0, 8.0), (3.0, 0.0, 1.0, 2.0)])
@pytest.mark.parametrize("level", list(Level))
def test_all_raters_together_are_the_same_if_there_are_two(level, values):
    tables = [LANDIS_KOCH_1977_WINNIPEG, AGRESTI_1992_CARCINOMA]
    scale = Scale(4, level, values)

    found = krippendorff_alpha(np.array(tables), scale, confidence=0.9)

    for position, table in enumerate(tables):
        overall = estimate(KRIPPENDORFF_ALPHA, Sample(from_table(table)), scale, confidence=0.9)
        assert found.value[position] == pytest.approx(overall.value, abs=1e-12)
        assert found.se[position] == pytest.approx(overall.se, rel=1e-9)
        assert found.ci_low[position] == pytest.approx(overall.ci_low, rel=1e-9)


@pytest.mark.parametrize("level", list(Level))
def test_the_error_is_close_to_the_jackknife(level):
    table, scale = AGRESTI_1992_CARCINOMA, Scale(4, Level(level))

    found = krippendorff_alpha(np.array([table]), scale).se[0]

    assert found == pytest.approx(
        jackknife_errors(lambda counts: krippendorff_alpha(counts, scale).value, table), rel=0.03
    )


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize(
    ("table", "value", "se", "reason"),
    [
        ([[0, 0], [0, 0]], None, None, Reason.NO_OVERLAP),
        ([[7, 0], [0, 0]], None, None, Reason.NO_VARIATION),
        ([[1, 0], [0, 0]], None, None, Reason.NO_VARIATION),
        # One disagreement of two labels is what chance expects.
        ([[0, 1], [0, 0]], 0, None, Reason.ONE_ITEM),
        # 1 - 7 * 8 / (2 * 4 * 4).
        ([[0, 4], [0, 0]], -0.75, None, Reason.DEGENERATE_MARGINS),
        ([[5, 0], [0, 2]], 1, 0, Reason.DEGENERATE_SE),
    ],
)
def test_degenerate_tables(level, table, value, se, reason):
    found = krippendorff_alpha(np.array([table]), Scale(2, level)).at(0)

    assert found.value == (None if value is None else pytest.approx(value, abs=1e-12))
    assert (found.se, found.reason) == (se, reason)
    assert (found.ci_low, found.ci_high) == (None, None)


def test_a_category_nobody_used_changes_nothing():
    table, unused = np.array([[[20, 5], [3, 10]]]), np.zeros((1, 3, 3), dtype=int)
    unused[:, :2, :2] = table

    for level in Level:
        one = krippendorff_alpha(table, Scale(2, level)).at(0)
        assert krippendorff_alpha(unused, Scale(3, level)).at(0) == one


@given(arrays(np.int64, (3, 4, 4), elements=st.integers(0, 30)))
def test_nominal_alpha_is_pi_corrected_for_the_number_of_labels(counts):
    n = counts.sum(axis=(1, 2))

    alpha = krippendorff_alpha(counts, Scale(4)).value

    pi = scott_pi(PairTables(counts, weighting("unweighted", n_categories=4))).value
    expected = pi + np.divide(1 - pi, 2 * n, out=np.full(3, np.nan), where=n > 0)
    assert alpha == pytest.approx(expected, abs=1e-12, nan_ok=True)
