"""How alike sets are on average, by hand."""

import pytest

from reports.agreement.sets.similarity import mean_similarities
from tests.reports.agreement.sets.samples import NINE_ITEMS, sets_of


def test_the_nine_items_by_hand():
    found = mean_similarities(sets_of(NINE_ITEMS))

    assert found["percent_agreement"].value == pytest.approx(3 / 9)
    assert found["mean_jaccard"].value == pytest.approx((3 + 3 / 2 + 1 / 3) / 9)
    assert found["mean_masi"].value == pytest.approx((3 + 1 + 1 / 9) / 9)
    # Three of nine are 1, the others 0: variance 2/9, over n - 1 = 8.
    assert found["percent_agreement"].se == pytest.approx((2 / 9 / 8) ** 0.5)


def test_items_count_alike_however_many_labels_they_have():
    found = mean_similarities(sets_of([("A", "A", "B"), ("A", "AB", None), ("A", None, None)]))

    assert found["percent_agreement"].value == pytest.approx((1 / 3 + 0) / 2)
    assert found["mean_jaccard"].value == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert (found["mean_jaccard"].used.n_labels, found["mean_jaccard"].left_out.n_labels) == (5, 1)


@pytest.mark.parametrize(
    ("rows", "reason"), [([], "no_items"), ([("A", None)], "no_overlap"), ([("A", "A")], "n<2")]
)
def test_cases_without_value_or_interval(rows, reason):
    found = mean_similarities(sets_of(rows))

    assert {str(each.reason) for each in found.values()} == {reason}
