"""Tables of counts: every way of counting gives the integers that a plain loop gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.agreement import counting_dense, counting_sparse
from reports.agreement.counting import all_pairs, count_pairs, n_blocks, places_of_blocks
from reports.agreement.pair_counts import PairCounts
from reports.agreement.ratings import DenseRatings, to_dense, to_sparse
from tests.reports.agreement.samples import from_codes, from_lines, random_codes


def by_hand(codes: np.ndarray, n_categories: int) -> dict[tuple[int, int], list[list[int]]]:
    """Tables of all pairs that share an item, by a loop over everything."""
    tables: dict[tuple[int, int], list[list[int]]] = {}
    for row in codes:
        for a in range(len(row)):
            for b in range(a + 1, len(row)):
                if row[a] >= 0 and row[b] >= 0:
                    table = tables.setdefault((a, b), [[0] * n_categories for _ in range(n_categories)])
                    table[row[a]][row[b]] += 1
    return tables


def as_dict(pairs: PairCounts) -> dict[tuple[int, int], list[list[int]]]:
    keys = zip(pairs.rater_a.tolist(), pairs.rater_b.tolist(), strict=True)
    return dict(zip(keys, pairs.tables.tolist(), strict=True))


def assert_same(one: PairCounts, other: PairCounts) -> None:
    for name in ("rater_a", "rater_b", "n", "tables"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_a_table_has_the_first_rater_in_its_rows():
    ratings = from_lines("aab.c", "abb.a", categories="abc")

    pairs = all_pairs(ratings)

    assert as_dict(pairs) == {(0, 1): [[1, 1, 0], [0, 1, 0], [1, 0, 0]]}
    assert pairs.n.tolist() == [4]


@settings(deadline=None, max_examples=150)
@given(
    st.integers(0, 2**32),
    st.integers(1, 40),
    st.integers(1, 12),
    st.integers(1, 16),
    st.sampled_from([0.05, 0.3, 0.7, 1.0]),
)
def test_every_way_counts_the_same(seed, n_items, n_raters, n_categories, share):
    codes = random_codes(seed, n_items=n_items, n_raters=n_raters, n_categories=n_categories, share=share)
    used = codes[:, (codes >= 0).any(axis=0)]
    ratings = from_codes(codes, n_categories=n_categories)
    dense, sparse = to_dense(ratings), to_sparse(ratings)

    expected = by_hand(used, n_categories)

    assert as_dict(all_pairs(dense)) == expected
    assert as_dict(all_pairs(sparse)) == expected
    for way in (counting_dense.by_products, counting_dense.by_bincount):
        counted = [as_dict(block.only(block.n > 0)) for block in way(dense, threads=2) if dense.n_raters > 1]
        assert {pair: table for block in counted for pair, table in block.items()} == expected


@pytest.mark.parametrize("share", [0.4, 1.0])
@pytest.mark.parametrize("n_categories", [3, 20])
def test_blocks_and_panels_do_not_change_counts(n_categories, share, monkeypatch):
    codes = random_codes(5, n_items=300, n_raters=30, n_categories=n_categories, share=share)
    ratings = from_codes(codes, n_categories=n_categories)
    whole = all_pairs(ratings)

    monkeypatch.setattr(counting_dense, "BLOCK_ITEMS", 7)
    monkeypatch.setattr(counting_dense, "PANEL_COLUMNS", 4 * n_categories)
    monkeypatch.setattr(counting_dense, "BLOCK_CELLS", 5 * n_categories**2)
    monkeypatch.setattr(counting_sparse, "BLOCK_CELLS", 5 * n_categories**2)
    monkeypatch.setattr(counting_sparse, "MAX_EVENTS", 500)
    monkeypatch.setattr(counting_sparse, "BLOCK_EVENTS", 40)
    monkeypatch.setattr(counting_sparse, "BLOCK_LABELS", 64)
    monkeypatch.setattr("reports.agreement.ratings.BLOCK_LABELS", 64)

    assert_same(all_pairs(to_dense(ratings)), whole)
    assert_same(all_pairs(to_sparse(ratings)), whole)
    assert len(list(count_pairs(to_dense(ratings)))) > 20
    assert len(list(count_pairs(to_sparse(ratings)))) > 20


def test_counts_leave_float32_before_they_lose_one(monkeypatch):
    codes = random_codes(6, n_items=5_000, n_raters=4, n_categories=2, share=1.0)
    ratings = to_dense(from_codes(codes, n_categories=2))
    whole = all_pairs(ratings)

    monkeypatch.setattr(counting_dense, "EXACT_ITEMS", 100)

    assert_same(all_pairs(ratings), whole)


def test_more_items_than_float32_can_count():
    n_items = (1 << 24) + 3
    ratings = DenseRatings(np.zeros((n_items, 2), dtype=np.uint8), 1, 2 * n_items)

    assert all_pairs(ratings).n.tolist() == [n_items]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_counts(threads):
    codes = random_codes(7, n_items=9_000, n_raters=6, n_categories=4)
    ratings = to_dense(from_codes(codes, n_categories=4))

    [block] = count_pairs(ratings, threads=threads)

    assert_same(block, all_pairs(ratings))


@pytest.mark.parametrize("longest", [0, 2, 5])
@pytest.mark.parametrize("max_events", [60, 1 << 24])
def test_how_events_are_written_does_not_change_counts(longest, max_events, monkeypatch):
    """Items size by size or label by label, all at once or in ranges of raters, in blocks of any size."""
    codes = random_codes(14, n_items=200, n_raters=12, n_categories=3, share=0.3)
    ratings = from_codes(codes, n_categories=3)

    monkeypatch.setattr(counting_sparse, "SHORT_ITEM", longest)
    monkeypatch.setattr(counting_sparse, "MAX_EVENTS", max_events)
    monkeypatch.setattr(counting_sparse, "BLOCK_EVENTS", 25)
    monkeypatch.setattr(counting_sparse, "BLOCK_LABELS", 64)

    assert_same(all_pairs(to_sparse(ratings)), all_pairs(to_dense(ratings)))


def test_blocks_before_the_first_one_wanted_are_not_counted_again(monkeypatch):
    """A shard of pairs costs what its own raters cost."""
    monkeypatch.setattr(counting_sparse, "MAX_EVENTS", 200)
    monkeypatch.setattr(counting_sparse, "BLOCK_CELLS", 27)
    ratings = to_sparse(from_codes(random_codes(9, n_items=200, n_raters=20, n_categories=3), n_categories=3))
    blocks = list(counting_sparse.count(ratings, min_shared=1))
    assert counting_sparse.n_blocks(ratings) == len(blocks)
    n_ranges = len(counting_sparse._ranges_of(ratings).n_events)
    written, write = [], counting_sparse._events

    def noting(*of):
        written.append(of)
        return write(*of)

    monkeypatch.setattr(counting_sparse, "_events", noting)

    n_written = []
    for first in (1, len(blocks) // 2, len(blocks) - 1):
        left = list(counting_sparse.count(ratings, min_shared=1, first=first))

        assert [block.tables.tolist() for block in left] == [
            block.tables.tolist() for block in blocks[first:]
        ]
        n_written.append(len(written))
        written.clear()
    assert n_ranges == n_written[0] > n_written[1] > n_written[2] == 1


def test_with_the_place_of_a_block_none_before_it_is_counted(monkeypatch):
    """Another worker, which has counted nothing yet."""
    monkeypatch.setattr(counting_sparse, "MAX_EVENTS", 200)
    monkeypatch.setattr(counting_sparse, "BLOCK_CELLS", 27)
    codes = random_codes(9, n_items=200, n_raters=20, n_categories=3)
    ratings, same = (to_sparse(from_codes(codes, n_categories=3)) for _ in range(2))
    blocks = list(count_pairs(ratings))
    firsts = [0, 1, len(blocks) // 2, len(blocks) - 1]
    found = places_of_blocks(ratings, firsts)
    written, write = [], counting_sparse._events

    def noting(ratings, layout, ranges, number):
        written.append(number)
        return write(ratings, layout, ranges, number)

    monkeypatch.setattr(counting_sparse, "_events", noting)

    for first, place in zip(firsts, found, strict=True):
        written.clear()
        some = list(count_pairs(same, first=first, last=first + 1, place=place))

        assert_same(some[0], blocks[first])
        assert written == [place["range"]]


def test_pairs_that_share_too_few_items_are_left_out():
    codes = random_codes(8, n_items=60, n_raters=20, n_categories=3, share=0.3)
    ratings = from_codes(codes, n_categories=3)

    few = [all_pairs(kept, min_shared=6) for kept in (to_dense(ratings), to_sparse(ratings))]

    everything = all_pairs(ratings)
    assert_same(few[0], everything.only(everything.n >= 6))
    assert_same(few[1], few[0])


def test_many_raters_on_one_item():
    """An item that everybody labeled, among many that few did."""
    codes = np.full((400, 250), -1)
    codes[0] = np.arange(250) % 3
    for item in range(1, 400):
        codes[item, [item % 250, (item * 7 + 1) % 250]] = item % 3
    ratings = from_codes(codes, n_categories=3)

    assert_same(all_pairs(to_sparse(ratings)), all_pairs(to_dense(ratings)))
    assert len(all_pairs(ratings)) == 250 * 249 // 2


@pytest.mark.parametrize("lines", [[], ["aba"], ["ab..", "..ba"]])
def test_nobody_to_compare_with_gives_no_pairs(lines):
    ratings = from_lines(*lines, categories="ab")

    assert len(all_pairs(to_dense(ratings))) == len(all_pairs(to_sparse(ratings))) == 0


@pytest.mark.parametrize("keep", [to_dense, to_sparse])
@pytest.mark.parametrize("n_categories", [3, 40])
def test_blocks_are_counted_alone_as_among_all(keep, n_categories, monkeypatch):
    monkeypatch.setattr(counting_dense, "PANEL_COLUMNS", 4 * n_categories)
    monkeypatch.setattr(counting_dense, "BLOCK_CELLS", 5 * n_categories**2)
    monkeypatch.setattr(counting_sparse, "BLOCK_CELLS", 5 * n_categories**2)
    monkeypatch.setattr(counting_sparse, "MAX_EVENTS", 500)
    monkeypatch.setattr(counting_sparse, "BLOCK_EVENTS", 100)
    codes = random_codes(5, n_items=60, n_raters=15, n_categories=n_categories, share=1.0)
    ratings = keep(from_codes(codes, n_categories=n_categories))

    blocks = list(count_pairs(ratings))

    assert n_blocks(ratings) == len(blocks) > 5
    for first, last in ((0, 1), (2, 5), (len(blocks) - 1, len(blocks)), (1, None)):
        some = list(count_pairs(ratings, first=first, last=last))
        for one, other in zip(some, blocks[first:last], strict=True):
            assert_same(one, other)


@pytest.mark.parametrize("keep", [to_dense, to_sparse])
def test_nobody_to_compare_with_gives_no_blocks(keep):
    alone = keep(from_lines("aba", categories="ab"))

    assert n_blocks(alone) == len(list(count_pairs(alone))) == 0
