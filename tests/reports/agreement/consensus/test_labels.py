"""The labels of a question one by one."""

import numpy as np

from reports.agreement.consensus.item_labels import ItemLabels, label_sets, labels_of
from reports.agreement.ratings import to_dense, to_sparse
from tests.reports.agreement.samples import from_lines


def test_labels_are_the_same_however_they_are_stored():
    ratings = from_lines("ab.", ".ba", categories="ab")

    for labels in (labels_of(to_dense(ratings)), labels_of(to_sparse(ratings))):
        found = list(zip(labels.items, labels.raters, labels.codes, strict=True))
        assert found == [(0, 0, 0), (1, 0, 1), (1, 1, 1), (2, 1, 0)]


def test_items_with_the_same_labels_are_one_set():
    # Items 0 and 3 have the same three labels in another order; item 2 has one of them twice; item 4 has none.
    labels = ItemLabels(
        items=np.array([0, 0, 0, 1, 2, 2, 2, 2, 3, 3, 3]),
        raters=np.array([0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0]),
        codes=np.array([0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0]),
        n_items=5,
        n_raters=2,
        n_categories=2,
    )

    sets = label_sets(labels)

    assert sets.kinds[0] == sets.kinds[3]
    assert len({*sets.kinds[:3].tolist()}) == 3
    assert sets.kinds[4] == -1
    assert sets.n_items[sets.kinds[:3]].tolist() == [2, 1, 1]
    assert sets.n_labels[sets.kinds[:3]].tolist() == [3, 1, 4]
    start = sets.starts[sets.kinds[0]]
    assert sets.raters[start : start + 3].tolist() == [0, 0, 1]
    assert sets.codes[start : start + 3].tolist() == [0, 1, 1]
