"""Swapped categories and shifted columns, found again after they were made."""

import numpy as np
import pytest

from reports.agreement.pairs.mistakes import best_relabeling, shifted_tables


def test_swapped_categories_are_found():
    counts = np.array([[2, 30, 1], [28, 3, 0], [1, 0, 25]])

    assert best_relabeling(counts).tolist() == [1, 0, 2]


def test_categories_that_agree_or_that_nobody_used_stay():
    counts = np.zeros((4, 4), dtype=np.int64)
    counts[1, 1] = counts[2, 2] = 7

    assert best_relabeling(counts).tolist() == [0, 1, 2, 3]


def test_a_table_must_be_square():
    with pytest.raises(ValueError, match="square"):
        best_relabeling(np.zeros((2, 3), dtype=np.int64))


@pytest.mark.parametrize("moved", [-2, -1, 1, 3])
def test_a_shifted_column_agrees_with_itself_at_its_offset(moved):
    a = np.random.default_rng(1).integers(0, 3, size=200)
    b = np.roll(a, moved)
    offsets = (-3, -2, -1, 0, 1, 2, 3)

    tables = shifted_tables(a, b, offsets, n_categories=3)
    agreeing = np.einsum("pkk->p", tables) / tables.sum(axis=(1, 2))

    assert offsets[int(agreeing.argmax())] == moved
    assert agreeing.max() == 1
    assert tables.sum(axis=(1, 2)).tolist() == [197, 198, 199, 200, 199, 198, 197]


def test_items_without_a_label_of_both_count_nowhere():
    a, b = np.array([0, 2, 1]), np.array([1, 0, 2])

    [table] = shifted_tables(a, b, [1], n_categories=2)

    assert table.tolist() == [[1, 0], [0, 0]]


def test_shifting_further_than_there_are_items_leaves_nothing():
    [later, earlier] = shifted_tables(np.array([0, 1]), np.array([0, 1]), [3, -3], n_categories=2)

    assert later.sum() == earlier.sum() == 0


def test_both_need_the_same_items():
    with pytest.raises(ValueError, match="same items"):
        shifted_tables(np.array([0]), np.array([0, 1]), [1], n_categories=2)
