"""The distinct rows of a matrix, as NumPy finds them more slowly."""

import numpy as np
import pytest

from reports.agreement import distinct
from reports.agreement.distinct import distinct_rows


@pytest.mark.parametrize(
    ("shape", "n_values", "kind"),
    [
        ((500, 3), 4, np.uint8),
        # More than one number holds.
        ((500, 60), 7, np.uint8),
        ((300, 4), 1 << 20, np.uint32),
        ((5, 0), 2, np.uint8),
        ((0, 3), 2, np.uint8),
        ((40, 2), 1, np.int64),
    ],
)
def test_rows_kinds_and_counts_are_those_of_numpy(shape, n_values, kind):
    chance = np.random.default_rng(5)
    rows = chance.integers(n_values, size=shape).astype(kind)
    # Many rows are alike.
    rows = rows[chance.integers(max(1, len(rows) // 3), size=len(rows))] if len(rows) else rows

    first, kinds, n_rows = distinct_rows(rows)

    expected, places, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    assert np.array_equal(rows[first], expected)
    assert np.array_equal(kinds, places.ravel())
    assert np.array_equal(n_rows, counts)


def test_rows_longer_than_a_number_are_ranked_in_parts(monkeypatch):
    rows = np.random.default_rng(6).integers(3, size=(200, 9)).astype(np.uint8)
    at_once = distinct_rows(rows)

    monkeypatch.setattr(distinct, "MOST", 10 * len(rows))

    for found, expected in zip(distinct_rows(rows), at_once, strict=True):
        assert np.array_equal(found, expected)
