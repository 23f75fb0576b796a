"""Ratings out of labels in any order, dense or sparse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.agreement import building
from reports.agreement.building import RatingsBuilder, build, is_dense_faster
from reports.agreement.digest import labels_digest
from reports.agreement.ratings import BitLayout, DenseRatings, SparseRatings, to_dense, to_sparse
from tests.reports.agreement.samples import from_codes, random_codes


def labels(ratings: DenseRatings | SparseRatings) -> list[int]:
    return [key for keys in ratings.packed_blocks() for key in keys.tolist()]


def test_rows_in_any_order_give_the_same_ratings():
    items, raters = np.nonzero(np.ones((40, 6)))
    codes = (items * 3 + raters) % 4
    order = np.random.default_rng(1).permutation(len(items))

    one, item_ids, rater_ids = build(items + 900, raters * 10**12 - 5, codes, n_categories=4)
    other, *other_ids = build(items[order] + 900, raters[order] * 10**12 - 5, codes[order], n_categories=4)

    assert labels(one) == labels(other)
    assert item_ids.tolist() == other_ids[0].tolist() == list(range(900, 940))
    assert rater_ids.tolist() == other_ids[1].tolist() == [n * 10**12 - 5 for n in range(6)]


def test_dense_and_sparse_hold_the_same_labels():
    ratings = from_codes(random_codes(2, n_items=90, n_raters=7, n_categories=5), n_categories=5)

    dense, sparse = to_dense(ratings), to_sparse(ratings)

    assert labels(dense) == labels(sparse) == labels(to_sparse(dense)) == labels(to_dense(sparse))
    assert dense.labels_per_rater().tolist() == sparse.labels_per_rater().tolist()
    for name in ("n_items", "n_raters", "n_labels", "n_categories"):
        assert getattr(dense, name) == getattr(sparse, name)


def test_category_counts_are_those_of_the_items(monkeypatch):
    monkeypatch.setattr("reports.agreement.ratings.BLOCK_LABELS", 20)
    codes = random_codes(3, n_items=50, n_raters=6, n_categories=4, share=0.5)
    codes = codes[(codes >= 0).any(axis=1)]
    ratings = from_codes(codes, n_categories=4)
    expected = [[(row == k).sum() for k in range(4)] for row in codes]

    for kept in (to_dense(ratings), to_sparse(ratings)):
        assert np.concatenate(list(kept.category_counts())).tolist() == expected


def slices_of(codes: np.ndarray, *bounds: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    parts = []
    for low, high in zip((0, *bounds), (*bounds, len(codes)), strict=True):
        items, raters = np.nonzero(codes[low:high] >= 0)
        parts.append((items + low, raters, codes[low:high][items, raters]))
    return parts


@pytest.mark.parametrize("share", [0.02, 0.5, 1.0])
@pytest.mark.parametrize("kind", [DenseRatings, SparseRatings])
def test_slices_in_any_order_give_the_same_ratings(share, kind, monkeypatch):
    monkeypatch.setattr(RatingsBuilder, "_is_dense", lambda self, n_items: kind is DenseRatings)
    codes = random_codes(4, n_items=200, n_raters=60, n_categories=3, share=share)
    parts = slices_of(codes, 20, 25, 130)
    builder = RatingsBuilder(n_categories=3, rater_bounds=(0, 59))

    for part in reversed(parts):
        builder.add(*part)
    ratings, item_ids, rater_ids = builder.finish()

    assert isinstance(ratings, kind)
    assert labels(ratings) == labels(from_codes(codes, n_categories=3))
    assert item_ids.tolist() == np.flatnonzero((codes >= 0).any(axis=1)).tolist()
    assert rater_ids.tolist() == np.flatnonzero((codes >= 0).any(axis=0)).tolist()


def test_raters_are_found_by_search_where_ids_are_far_apart(monkeypatch):
    codes = random_codes(5, n_items=100, n_raters=9, n_categories=3)
    expected = labels(from_codes(codes, n_categories=3))
    monkeypatch.setattr(building, "MAX_TABLE", 0)

    builder = RatingsBuilder(n_categories=3)
    for items, raters, positions in reversed(slices_of(codes, 30, 60)):
        builder.add(items, raters * (1 << 40), positions)
    ratings, _, rater_ids = builder.finish()

    assert labels(ratings) == expected
    assert rater_ids.tolist() == [n * (1 << 40) for n in range(9)]


@pytest.mark.parametrize("is_dense", [True, False])
def test_a_rater_twice_on_an_item_is_refused(is_dense, monkeypatch):
    monkeypatch.setattr(RatingsBuilder, "_is_dense", lambda self, n_items: is_dense)
    # So many raters that the slice is kept as packed labels, or so few that it is a matrix.
    for n_others in (0, 100):
        raters = [3, 3, *range(10, 10 + n_others)]
        items = [1, 1, *range(2, 2 + n_others)]

        with pytest.raises(ValueError, match="once only"):
            build(items, raters, [0, 1, *[0] * n_others], n_categories=2)


def test_an_item_in_two_slices_is_refused():
    builder = RatingsBuilder(n_categories=2)
    builder.add(np.array([1, 2]), np.array([1, 1]), np.array([0, 0]))
    builder.add(np.array([2, 3]), np.array([2, 2]), np.array([0, 0]))

    with pytest.raises(ValueError, match="one slice only"):
        builder.finish()


def test_a_slice_out_of_order_is_refused():
    with pytest.raises(ValueError, match="ascending order"):
        RatingsBuilder(n_categories=2).add(np.array([2, 1]), np.array([1, 1]), np.array([0, 0]))


@pytest.mark.parametrize(
    ("codes", "message"), [([0, 2], "from 0 to 1"), ([0, -1], "from 0 to 1"), ([0], "same length")]
)
def test_codes_that_are_not_declared_are_refused(codes, message):
    with pytest.raises(ValueError, match=message):
        build([1, 2], [1, 1], codes, n_categories=2)


def test_labels_that_do_not_fit_64_bits_are_refused():
    with pytest.raises(ValueError, match="too many"):
        BitLayout.of(n_items=1 << 40, n_raters=1 << 20, n_categories=1 << 10)


def test_the_cheaper_way_is_chosen():
    assert is_dense_faster(n_items=100_000, n_raters=50, n_categories=5, n_events=122_500_000)
    assert is_dense_faster(n_items=100_000, n_raters=50, n_categories=100, n_events=122_500_000)
    assert not is_dense_faster(n_items=1_000_000, n_raters=2_000, n_categories=5, n_events=3_000_000)


def test_the_digest_is_that_of_the_triples():
    ratings, item_ids, rater_ids = build([5, 5, 9], [2, 7, 2], [0, 1, 1], n_categories=2)
    given = {"item_ids": item_ids, "rater_ids": rater_ids, "category_ids": [30, 20]}

    digest = labels_digest(to_dense(ratings), **given)

    assert digest == labels_digest(to_sparse(ratings), **given)
    assert len(digest) == 64
    for name, other in (("item_ids", item_ids + 1), ("rater_ids", rater_ids * 2), ("category_ids", [20, 30])):
        assert digest != labels_digest(ratings, **(given | {name: other}))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from([0.1, 0.4, 1.0]), st.integers(1, 3))
def test_extent_is_that_of_items_with_enough_labels(seed, share, least):
    codes = random_codes(seed, n_items=30, n_raters=5, n_categories=3, share=share)
    ratings = from_codes(codes, n_categories=3)

    enough = codes[(codes >= 0).sum(axis=1) >= least] >= 0
    expected = (len(enough), int(enough.any(axis=0).sum()), int(enough.sum()))

    assert to_dense(ratings).extent(least=least) == expected
    assert to_sparse(ratings).extent(least=least) == expected
