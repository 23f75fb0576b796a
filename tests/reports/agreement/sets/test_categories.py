"""Each category against the rest, for all raters and for pairs."""

import numpy as np
import pytest

from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.ratings import to_sparse
from reports.agreement.sets.category_agreement import by_category, shares_chosen
from reports.agreement.sets.members import SetSample
from reports.agreement.sets.pairs import set_pairs
from reports.agreement.weights import weighting
from tests.reports.agreement.samples import all_coefficients, from_codes
from tests.reports.agreement.sets.samples import NINE_ITEMS, random_sets, sets_of


def test_a_category_against_the_rest_is_a_question_with_two_categories():
    rows = random_sets(3)
    codes = np.array([[-1 if chosen is None else int("B" in chosen) for chosen in row] for row in rows])

    found = by_category(sets_of(rows, "ABCD"))

    expected = all_coefficients(from_codes(codes, n_categories=2))
    for name in ("percent_agreement", "fleiss_kappa", "krippendorff_alpha"):
        one = found[name].at(1)
        assert (one.value, one.se) == (expected[name].value, expected[name].se)
        assert one.n == expected["krippendorff_alpha"].used.n_items


def test_sparse_labels_give_the_same():
    dense = sets_of(random_sets(5), "ABCD")
    sparse = SetSample(to_sparse(dense.ratings), dense.members)

    for name, one in by_category(dense).items():
        assert by_category(sparse)[name].value.tolist() == one.value.tolist()


def test_a_category_that_no_one_chose_has_no_kappa():
    found = by_category(sets_of([("A", "A"), ("", "A"), ("A", "")], "AB"))

    assert found["fleiss_kappa"].at(1).value is None
    assert found["fleiss_kappa"].at(1).reason == "no_variation"
    assert found["percent_agreement"].at(1).value == 1
    assert found["fleiss_kappa"].at(0).value == pytest.approx(1 - (2 / 3) / (4 / 9))


def test_shares_are_of_labels():
    assert shares_chosen(sets_of([("A", "AB"), ("", None)], "AB")).tolist() == [2 / 3, 1 / 3]


def test_the_pair_of_the_nine_items_by_hand():
    [pairs] = set_pairs(sets_of(NINE_ITEMS))

    assert (pairs.rater_a.tolist(), pairs.rater_b.tolist(), pairs.n.tolist()) == ([0], [1], [9])
    assert pairs.tables[0].tolist() == [[[1, 2], [2, 4]], [[5, 1], [2, 1]], [[5, 1], [0, 3]]]
    assert pairs.identical[0] == 3 / 9
    # 1, 0, 1, 0, 1/2, 1/3, 1, 1/2, 1/2 and the same times 1, 2/3 or 1/3.
    assert pairs.jaccard[0] == pytest.approx((3 + 3 / 2 + 1 / 3) / 9)
    assert pairs.masi[0] == pytest.approx((3 + 1 + 1 / 9) / 9)
    tables = pairs.tables.reshape(-1, 2, 2)
    expected = cohen_kappa(tables, weighting("unweighted", n_categories=2))
    assert pairs.kappas().kappa.tolist() == expected.kappa.tolist()
    # Category C: 8 of 9 agree, 3 * 4 + 6 * 5 of 81 by chance.
    assert pairs.kappas().kappa[2] == pytest.approx((8 / 9 - 42 / 81) / (1 - 42 / 81))


def test_pairs_stand_on_the_items_they_share():
    rows = random_sets(8)
    blocks = list(set_pairs(sets_of(rows, "ABCD")))

    of_each = [(pairs, place) for pairs in blocks for place in range(len(pairs))]
    assert len(of_each) > len(blocks)
    for pairs, place in of_each:
        a, b = pairs.rater_a[place], pairs.rater_b[place]
        both = [(row[a], row[b]) for row in rows if row[a] is not None and row[b] is not None]
        assert pairs.n[place] == len(both)
        assert pairs.identical[place] == pytest.approx(sum(x == y for x, y in both) / len(both))
        assert pairs.tables[place, 2, 1, 0] == sum("C" in x and "C" not in y for x, y in both)


def test_raters_who_share_no_item_are_no_pair():
    assert sum(map(len, set_pairs(sets_of([("A", None), (None, "A")])))) == 0
