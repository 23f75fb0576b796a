"""The labels of a question, in both of their forms."""

import numpy as np
import pytest

from reports.agreement import ratings as module
from reports.agreement.ratings import only_raters, to_dense, to_sparse
from tests.reports.agreement.samples import from_codes, random_codes


@pytest.mark.parametrize("raters", [[], [2], [0, 3], [1, 2, 4], [0, 1, 2, 3, 4]])
@pytest.mark.parametrize("block", [1, 7, 1_000])
def test_labels_of_some_raters_are_the_same_in_both_forms(monkeypatch, raters, block):
    monkeypatch.setattr(module, "BLOCK_LABELS", block)
    ratings = from_codes(random_codes(5, n_items=60, n_raters=5, n_categories=3), n_categories=3)

    dense, sparse = (only_raters(form(ratings), raters) for form in (to_dense, to_sparse))

    assert (sparse.n_items, sparse.n_labels) == (dense.n_items, dense.n_labels)
    assert np.array_equal(to_dense(sparse).codes, to_dense(dense).codes)
