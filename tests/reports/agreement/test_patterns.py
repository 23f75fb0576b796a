"""Items by how their labels split over the categories."""

import numpy as np
import pytest

from reports.agreement.patterns import item_patterns
from tests.reports.agreement.samples import from_codes, from_counts, random_codes


def test_patterns_are_the_distinct_splits():
    ratings = from_counts([[2, 0, 1], [1, 1, 0], [2, 0, 1], [0, 0, 3], [2, 0, 1]])

    patterns = item_patterns(ratings)

    found = dict(zip(map(tuple, patterns.counts.tolist()), patterns.n_items.tolist(), strict=True))
    assert found == {(2, 0, 1): 3, (1, 1, 0): 1, (0, 0, 3): 1}


@pytest.mark.parametrize("n_categories", [2, 21, 22, 70])
def test_patterns_do_not_depend_on_how_rows_are_distinguished(n_categories):
    """Three bits for a count: 21 of them fit a number of 64 bits, and 22 do not."""
    codes = random_codes(13, n_items=60, n_raters=7, n_categories=2)
    codes[0] = 0
    codes[codes == 1] = n_categories - 1
    counts = np.stack([(codes == category).sum(axis=1) for category in range(n_categories)], axis=1)
    distinct, n_items = np.unique(counts, axis=0, return_counts=True)

    patterns = item_patterns(from_codes(codes, n_categories=n_categories))

    found = dict(zip(map(tuple, patterns.counts.tolist()), patterns.n_items.tolist(), strict=True))
    assert counts.max().item().bit_length() == 3
    assert found == dict(zip(map(tuple, distinct.tolist()), n_items.tolist(), strict=True))


def test_patterns_merged_on_the_way_are_the_same(monkeypatch):
    ratings = from_codes(random_codes(12, n_items=900, n_raters=4, n_categories=3), n_categories=3)
    whole = item_patterns(ratings)
    monkeypatch.setattr("reports.agreement.ratings.BLOCK_LABELS", 8)
    monkeypatch.setattr("reports.agreement.patterns.FEW_PATTERNS", 3)

    merged = item_patterns(ratings)

    assert np.array_equal(whole.counts, merged.counts)
    assert np.array_equal(whole.n_items, merged.n_items)
