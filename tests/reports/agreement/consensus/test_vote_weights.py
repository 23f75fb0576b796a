"""How much the vote of each rater weighs."""

from collections import Counter
from math import log

import numpy as np
import pytest

from reports.agreement.consensus import vote_weights as module
from reports.agreement.consensus.item_labels import ItemLabels
from reports.agreement.consensus.vote_weights import vote_weights


def labels_of(rows: list[tuple[int, int, int]], *, n_raters: int, k: int) -> ItemLabels:
    items, raters, codes = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return ItemLabels(items, raters, codes, int(items.max()) + 1, n_raters, k)


# By item, what raters A, B and C say; None for no label.
TABLE = [(0, 0, 0), (0, 0, 1), (1, 1, 1), (1, 1, 0), (0, 1, None)]
ROWS = [
    (item, rater, code)
    for item, codes in enumerate(TABLE)
    for rater, code in enumerate(codes)
    if code is not None
]


@pytest.mark.parametrize(
    ("k", "weights"),
    [
        # A is compared on items 1, 3 and 5, and right on two; so is B. C is compared on four, and right on two. On
        # items 2 and 4, the others of A and of B say one thing each.
        (2, [log(3 / 2), log(3 / 2), log(3 / 3)]),
        (3, [log(2 * 3 / 3), log(2 * 3 / 3), log(2 * 3 / 4)]),
    ],
)
def test_a_table_worked_by_hand(k, weights):
    assert vote_weights(labels_of(ROWS, n_raters=3, k=k)) == pytest.approx(weights, abs=1e-12)


def test_who_is_worse_than_chance_or_never_compared_weighs_nothing():
    rows = [(item, rater, int(rater == 2)) for item in range(5) for rater in range(4)] + [(9, 4, 1)]

    found = vote_weights(labels_of(rows, n_raters=5, k=2))

    assert found.tolist() == [log(6), log(6), 0, log(6), 0]


def test_one_category_says_nothing_of_anybody():
    assert vote_weights(labels_of([(0, 0, 0), (0, 1, 0)], n_raters=2, k=1)).tolist() == [0, 0]


def naive(rows: list[tuple[int, int, int]], n_raters: int, k: int) -> list[float]:
    n, alike = [0] * n_raters, [0] * n_raters
    for item, rater, code in rows:
        first = Counter(c for i, r, c in rows if i == item and r != rater).most_common(2)
        if first and (len(first) == 1 or first[0][1] > first[1][1]):
            n[rater] += 1
            alike[rater] += first[0][0] == code
    return [max(0.0, log((k - 1) * (a + 1) / (m - a + k - 1))) for m, a in zip(n, alike, strict=True)]


@pytest.mark.parametrize("seed", range(5))
def test_arrays_say_what_counting_says(seed, monkeypatch):
    random = np.random.default_rng(seed)
    k = int(random.integers(2, 5))
    rows = [(i, r, int(random.integers(k))) for i in range(40) for r in range(6) if random.random() < 0.6]
    random.shuffle(rows)
    labels = labels_of(rows, n_raters=6, k=k)

    found = vote_weights(labels)
    monkeypatch.setattr(module, "BLOCK_CELLS", 7 * k)

    assert found == pytest.approx(naive(rows, 6, k), abs=1e-12)
    assert vote_weights(labels).tolist() == found.tolist()
