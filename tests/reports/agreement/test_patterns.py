"""Items by how their labels split over the categories."""

import numpy as np

from reports.agreement.patterns import item_patterns
from tests.reports.agreement.samples import from_codes, from_counts, random_codes


def test_patterns_are_the_distinct_splits():
    ratings = from_counts([[2, 0, 1], [1, 1, 0], [2, 0, 1], [0, 0, 3], [2, 0, 1]])

    patterns = item_patterns(ratings)

    found = dict(zip(map(tuple, patterns.counts.tolist()), patterns.n_items.tolist(), strict=True))
    assert found == {(2, 0, 1): 3, (1, 1, 0): 1, (0, 0, 3): 1}


def test_patterns_merged_on_the_way_are_the_same(monkeypatch):
    ratings = from_codes(random_codes(12, n_items=900, n_raters=4, n_categories=3), n_categories=3)
    whole = item_patterns(ratings)
    monkeypatch.setattr("reports.agreement.ratings.BLOCK_LABELS", 8)
    monkeypatch.setattr("reports.agreement.patterns.FEW_PATTERNS", 3)

    merged = item_patterns(ratings)

    assert np.array_equal(whole.counts, merged.counts)
    assert np.array_equal(whole.n_items, merged.n_items)
