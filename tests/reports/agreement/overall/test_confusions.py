"""Pairs of labels of one item by their categories, counted one by one beside the program."""

from itertools import combinations

import numpy as np
import pytest

from reports.agreement.overall import confusions as module
from reports.agreement.overall.confusions import confusions, labels_by_category
from reports.agreement.patterns import item_patterns
from reports.agreement.ratings import to_dense, to_sparse
from tests.reports.agreement.samples import from_codes, from_lines, random_codes


def test_pairs_of_labels_and_items_by_hand():
    """Items: aab, ab, ccc, b."""
    ratings = from_lines("aacb", "abc.", "b.c.", categories="abc")

    found = confusions(item_patterns(ratings))

    assert found.n_pairs.tolist() == [[1, 3, 0], [3, 0, 0], [0, 0, 3]]
    assert found.n_items.tolist() == [[1, 2, 0], [2, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("cells", [2, 1 << 22])
def test_every_pair_of_labels_is_counted_once(monkeypatch, cells):
    monkeypatch.setattr(module, "BLOCK_CELLS", cells)
    codes = random_codes(5, n_items=40, n_raters=6, n_categories=4)
    expected = np.zeros((4, 4), dtype=np.int64)
    for row in codes:
        for a, b in combinations([int(code) for code in row if 0 <= code < 4], 2):
            expected[a, b] += 1
            expected[b, a] += a != b

    found = confusions(item_patterns(from_codes(codes, n_categories=4)))

    assert found.n_pairs.tolist() == expected.tolist()


@pytest.mark.parametrize("kind", [to_dense, to_sparse])
def test_labels_of_each_rater_by_category(kind):
    ratings = kind(from_lines("aab.", "bb.c", categories="abc"))

    assert labels_by_category(ratings).tolist() == [[2, 1, 0], [0, 2, 1]]
