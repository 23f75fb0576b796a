"""Columns of kept labels in the type that they are kept in, and held in memory between two looks."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from reports.models import QuestionAgreement
from reports.sources import stored_blocks as held
from reports.sources.filtered import LabelCriteria, read_filtered
from reports.sources.packing import has_any, packed, unpack, unpacked


@pytest.mark.parametrize("highest", [0, 1, 255, 256, 65_535, 65_536, 1 << 40])
@pytest.mark.parametrize("base", [0, -7, 1 << 45])
def test_a_narrow_column_says_what_the_wide_one_says(highest, base):
    column = np.random.default_rng(14).integers(0, highest, size=500, endpoint=True) + base
    column[:2] = base, base + highest
    wanted = np.array([base, base + highest, base - 1, base + highest + 1, int(column[7])])

    found = unpack(packed(column))

    assert np.array_equal(found.wide, column)
    assert np.array_equal(unpacked(packed(column)), column)
    assert np.array_equal(found.is_one_of(wanted), np.isin(column, wanted))
    assert np.array_equal(found.at(np.array([3, 499])), column[[3, 499]])
    assert found.values.dtype == np.min_scalar_type(highest)


def test_other_numbers_stay_as_they_are():
    seconds = np.array([1.5, np.nan, 3.0])

    assert np.array_equal(unpack(packed(seconds)).at(np.array([1, 2])), seconds[1:], equal_nan=True)
    assert unpack(packed(np.array([True, False]))).wide.tolist() == [True, False]
    assert not len(unpack(packed(np.empty(0, dtype=np.int64))).is_one_of(np.array([1])))


@pytest.fixture
def agreement(cats_computed):
    held._held.clear()
    return QuestionAgreement.objects.select_related("report__project").get(report=cats_computed)


def read(agreement, keep=LabelCriteria()):  # noqa: B008
    with CaptureQueriesContext(
        connection,
    ) as queries:
        found = read_filtered(agreement, keep)
    return found, [each["sql"] for each in queries if '"raters"' in each["sql"]]


def test_a_second_look_reads_no_labels(agreement):
    first, asked = read(agreement)
    second, asked_again = read(agreement)

    assert len(asked) == 1
    assert asked_again == []
    assert np.array_equal(first.labels.values, second.labels.values)
    assert len(first.labels) == agreement.n_labels


def test_a_column_that_was_not_needed_before_is_read_alone(agreement):
    whole, _ = read(agreement)
    since, asked = read(agreement, LabelCriteria(since=0))

    assert len(asked) == 1
    assert np.array_equal(whole.labels.raters, since.labels.raters)


def test_no_more_is_held_than_there_is_room_for(agreement, monkeypatch):
    monkeypatch.setattr(held, "MAX_BYTES", 10)

    first, _ = read(agreement)
    again, asked = read(agreement)

    assert not [each for each in held._held.values() if each.values.nbytes >= 10]
    assert len(asked) == 1
    assert np.array_equal(first.labels.values, again.labels.values)


@given(
    st.lists(st.integers(-(2**40), 2**40), max_size=20), st.lists(st.integers(-(2**40), 2**40), max_size=4)
)
def test_whether_any_is_among_them(kept, wanted):
    column = packed(np.array(kept, dtype=np.int64))

    assert has_any(column, np.array([*wanted, *kept[:1]], dtype=np.int64)) == bool(
        {*wanted, *kept[:1]} & {*kept}
    )
    assert has_any(column, np.array(wanted, dtype=np.int64)) == bool({*wanted} & {*kept})
    # Near by, but not among them.
    beside = [value + 1 for value in kept if value + 1 not in kept]
    assert not has_any(column, np.array(beside, dtype=np.int64))
