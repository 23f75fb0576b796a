"""Tables of two raters with their margins, and one category against the rest."""

import numpy as np
import pytest

from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.weights import weighting


def test_margins_worked_by_hand():
    tables = PairTables(np.array([[[3, 1], [2, 4]]]), weighting("unweighted", n_categories=2))

    assert tables.n.tolist() == [10]
    assert tables.rows[0] == pytest.approx([0.4, 0.6])
    assert tables.columns[0] == pytest.approx([0.5, 0.5])
    assert tables.prevalence[0] == pytest.approx([0.45, 0.55])
    assert tables.observed == pytest.approx([0.7])


def test_no_items_shared_leave_no_shares():
    tables = PairTables(np.zeros((1, 2, 2), dtype=int), weighting("linear", n_categories=2))

    assert tables.n.tolist() == [0]
    assert np.isnan(tables.observed[0])
    assert np.isnan(tables.rows).all()
