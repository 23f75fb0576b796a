"""The items of a round over the API, a page at a time."""

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from projects.items.round_items import RoundItems
from projects.models import Item, Membership
from raters.models import Assignment
from tests import cast
from tests.labeling import copy_labels, new_question
from tests.working import new_work


@pytest.fixture
def partly_assigned(db):
    """Of 30 items, 20 are assigned, 10 twice, and 8 of the others were labeled in the round by an import."""
    work = new_work(n_items=30)
    Assignment.objects.filter(item__in=work.items[20:]).delete()
    Assignment.objects.filter(item__in=work.items[10:20], rater=work.raters[0]).delete()
    second = new_question(work.project, key="second")
    for question, items in ((work.question, work.items[18:24]), (second, work.items[22:28])):
        category = question.categories.first().pk
        rows = [(item.pk, work.raters[1].pk, category) for item in items]
        copy_labels(question, "category_id", rows, round=work.round)
    return work


@pytest.fixture
def its_lead(partly_assigned):
    return cast.signed_in(cast.member(partly_assigned.project, Membership.Role.LEAD, username="lena"))


@pytest.fixture
def none_are_few(monkeypatch):
    monkeypatch.setattr("projects.items.round_items.FEW", 0)


def page(client, work, number, size):
    address = f"/api/v1/projects/{work.project.slug}/items/"
    answer = client.get(address, {"round": work.round.key, "page": number, "page_size": size}).json()
    return answer["count"], [item["key"] for item in answer["results"]]


def of_all_pages(client, work, size, numbers):
    return [key for number in numbers for key in page(client, work, number, size)[1]]


def test_pages_have_each_item_of_the_round_once(its_lead, partly_assigned):
    expected = [item.key for item in partly_assigned.items[:28]]

    for size in (1, 5, 7, 28, 100):
        numbers = range(1, 1 + -(-28 // size))
        assert of_all_pages(its_lead, partly_assigned, size, numbers) == expected
    assert page(its_lead, partly_assigned, 1, 5)[0] == 28
    assert page(its_lead, partly_assigned, 4, 7) == (28, expected[21:])


def test_pages_in_any_order_have_the_same_items(its_lead, partly_assigned, none_are_few):
    expected = [item.key for item in partly_assigned.items[:28]]

    once = of_all_pages(its_lead, partly_assigned, 5, range(1, 7))
    again = of_all_pages(its_lead, partly_assigned, 5, range(6, 0, -1))

    assert once == expected
    assert sorted(again) == sorted(expected)


def test_a_page_goes_on_behind_the_one_before(its_lead, partly_assigned, none_are_few):
    page(its_lead, partly_assigned, 1, 5)
    Assignment.objects.filter(item__in=partly_assigned.items[:3]).delete()

    assert page(its_lead, partly_assigned, 2, 5)[1] == [item.key for item in partly_assigned.items[5:10]]
    cache.clear()
    assert page(its_lead, partly_assigned, 2, 5)[1] == [item.key for item in partly_assigned.items[8:13]]


def test_the_number_of_many_items_is_kept_for_a_while(its_lead, partly_assigned, none_are_few):
    page(its_lead, partly_assigned, 1, 5)
    Assignment.objects.filter(item=partly_assigned.items[0]).delete()

    assert page(its_lead, partly_assigned, 1, 5)[0] == 28
    cache.clear()
    assert page(its_lead, partly_assigned, 1, 5)[0] == 27


def test_the_number_of_few_items_is_current(its_lead, partly_assigned):
    page(its_lead, partly_assigned, 1, 5)
    Assignment.objects.filter(item=partly_assigned.items[0]).delete()

    assert page(its_lead, partly_assigned, 1, 5)[0] == 27


def test_other_filters_apply_as_well(its_lead, partly_assigned):
    Item.objects.filter(pk=partly_assigned.items[1].pk).update(withdrawn_at="2026-01-01T00:00Z")
    address = f"/api/v1/projects/{partly_assigned.project.slug}/items/"

    found = its_lead.get(address, {"round": partly_assigned.round.key, "withdrawn": "true"}).json()

    assert [item["key"] for item in found["results"]] == [partly_assigned.items[1].key]


def test_a_page_takes_as_many_queries_for_more_items(partly_assigned):
    def n_queries(size):
        with CaptureQueriesContext(connection) as asked:
            items = RoundItems(partly_assigned.round, reader=partly_assigned.user())
            assert len(items[:size]) == size
            assert len(items) == 28
        return len(asked)

    assert n_queries(2) == n_queries(20)


def test_each_reader_has_ends_of_their_own(its_lead, partly_assigned, none_are_few):
    """One has read the first page when an item leaves the round; the other begins in the middle."""
    other = cast.signed_in(cast.member(partly_assigned.project, Membership.Role.AUDITOR, username="otto"))
    page(its_lead, partly_assigned, 1, 5)
    Assignment.objects.filter(item=partly_assigned.items[0]).delete()

    found = page(other, partly_assigned, 2, 5)[1]

    assert found == [item.key for item in partly_assigned.items[6:11]]
