"""Numbers as they come: a table with gaps, or a list of labels."""

import numpy as np
import pytest

from reports.agreement.numbers.matrix import NumberSample

NAN = np.nan


def test_sizes_count_items_raters_and_labels():
    sample = NumberSample([[1, 2, NAN], [3, NAN, NAN], [NAN, NAN, NAN], [4, 5, NAN]])

    assert (sample.size.n_items, sample.size.n_raters, sample.size.n_labels) == (3, 2, 5)
    assert (sample.pairable_size.n_items, sample.pairable_size.n_labels) == (2, 4)
    assert (sample.complete_size.n_items, sample.complete_size.n_labels) == (2, 4)
    assert sample.complete.tolist() == [[1, 2], [4, 5]]


def test_labels_in_any_order_are_the_same_sample():
    sample = NumberSample.from_labels([1, 0, 1], [0, 1, 1], [4.0, 2.0, 5.0], n_items=2, n_raters=2)

    assert (sample.items.tolist(), sample.raters.tolist()) == ([0, 1, 1], [1, 0, 1])
    assert sample.values.tolist() == [2, 4, 5]


def test_two_numbers_of_one_rater_on_an_item_are_refused():
    with pytest.raises(ValueError, match="one number"):
        NumberSample.from_labels([0, 0], [1, 1], [1.0, 2.0], n_items=1, n_raters=2)


@pytest.mark.parametrize("values", [[1.0, 2.0], [[np.inf, 1.0]]])
def test_other_shapes_and_infinity_are_refused(values):
    with pytest.raises(ValueError, match="must be"):
        NumberSample(values)
