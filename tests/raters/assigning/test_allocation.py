"""Plans are even, complete, and never touch what is there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raters.rounds.assigning.allocation import allocate, shared_items
from tests.sizes import some


def off_diagonal(matrix: np.ndarray) -> np.ndarray:
    return matrix[np.triu_indices(len(matrix), k=1)]


@pytest.mark.parametrize(
    ("n_items", "n_raters", "k"),
    [(1_000, 10, 3), (300, 5, 3), (1_000, 50, 3), (2_000, 30, 2), (1_000, 12, 4)],
)
def test_work_and_overlap_are_even(n_items, n_raters, k):
    new = allocate(
        np.full(n_items, k), available=np.ones(n_raters, dtype=bool), random=np.random.default_rng(1)
    )

    assert (new.sum(axis=1) == k).all()
    assert np.ptp(new.sum(axis=0)) <= 1
    assert np.ptp(off_diagonal(shared_items(new))) <= 2


@pytest.mark.parametrize(
    ("n_items", "n_raters", "k"), some([(40_000, 5, 5), (50_000, 40, 2), (100_003, 7, 3)], every=3)
)
def test_work_and_overlap_of_very_many_items_are_even(n_items, n_raters, k):
    new = allocate(
        np.full(n_items, k), available=np.ones(n_raters, dtype=bool), random=np.random.default_rng(1)
    )

    shared = off_diagonal(shared_items(new))
    assert (new.sum(axis=1) == k).all()
    assert np.ptp(new.sum(axis=0)) <= 1
    assert np.ptp(shared) <= max(3, 0.02 * shared.mean())


def test_very_many_items_level_what_raters_did_before():
    taken = np.zeros((60_000, 4), dtype=bool)
    taken[:300, 0] = True

    new = allocate(
        np.ones(60_000, dtype=np.int64),
        available=np.ones(4, dtype=bool),
        taken=taken,
        random=np.random.default_rng(3),
    )

    assert np.ptp((new | taken).sum(axis=0)) <= 1
    assert not (new & taken).any()


@settings(deadline=None)
@given(
    n_items=st.integers(1, 40), n_raters=st.integers(1, 8), k=st.integers(1, 10), seed=st.integers(0, 2**32)
)
def test_what_is_taken_stays_and_counts(n_items, n_raters, k, seed):
    random = np.random.default_rng(seed)
    taken = random.random((n_items, n_raters)) < 0.3
    available = random.random(n_raters) < 0.7

    new = allocate(np.full(n_items, k), available=available, taken=taken, random=random)

    assert not (new & taken).any()
    assert not new[:, ~available].any()
    possible = taken.sum(axis=1) + (available & ~taken).sum(axis=1)
    assert ((new | taken).sum(axis=1) == np.maximum(taken.sum(axis=1), np.minimum(k, possible))).all()


def test_one_who_joins_late_gets_the_work_that_is_left():
    random = np.random.default_rng(2)
    taken = np.zeros((100, 3), dtype=bool)
    taken[:50, :2] = True

    new = allocate(np.full(100, 2), available=np.ones(3, dtype=bool), taken=taken, random=random)

    assert not new[:50].any()
    assert new.sum(axis=0).tolist() == [25, 25, 50]


def test_the_same_seed_gives_the_same_plan():
    plans = [
        allocate(np.full(60, 2), available=np.ones(6, dtype=bool), random=np.random.default_rng(seed))
        for seed in (7, 7, 8)
    ]

    assert (plans[0] == plans[1]).all()
    assert (plans[0] != plans[2]).any()


def test_shared_items_by_hand():
    has = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)

    assert shared_items(has).tolist() == [[0, 2, 1], [2, 0, 2], [1, 2, 0]]
