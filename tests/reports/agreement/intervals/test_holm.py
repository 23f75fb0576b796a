"""Holm's correction."""

import pytest

from reports.agreement.intervals.holm import holm


def test_as_r_corrects():
    """R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") is 0.03 0.06 0.06 0.02."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_none_is_no_test():
    assert holm([0.02, None, 0.6]) == pytest.approx([0.04, None, 0.6])


@pytest.mark.parametrize(("given", "corrected"), [([], []), ([0.2], [0.2]), ([0.9, 0.8], [1.0, 1.0])])
def test_edges(given, corrected):
    assert holm(given) == corrected
