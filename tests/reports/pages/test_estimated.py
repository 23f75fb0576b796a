"""The lists behind the numbers of Dawid and Skene's estimate, and lists that are narrowed twice."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from reports.results.items import question_items
from tests.reports.looking import text_of


def opened(world, name: str, **query):
    client = Client()
    client.force_login(world.users["lead"])
    args = [world.project.slug, world.report.pk, world.question.pk]
    return client.get(reverse(name, args=args), query)


def n_listed(world, **query) -> int:
    page = text_of(opened(world, "report_items", **query))
    return int(re.search(r"(\d+) items?, question", page).group(1))


def test_as_many_items_are_listed_as_the_estimate_has(rated_round):
    found = rated_round.agreement.statistics["consensus"]["dawid_skene"]

    listed = [
        n_listed(rated_round, estimated=category["key"]) for category in rated_round.agreement.categories
    ]

    assert listed == found["items"]
    assert n_listed(rated_round, unlike="majority") == found["n_unlike_majority"]
    page = opened(rated_round, "report_raters").content.decode()
    assert [f"?estimated={key}" in page for key in ("good", "fair", "bad")] == [n > 0 for n in listed]


def test_a_search_narrows_a_list_that_is_narrowed_already(rated_round):
    by_estimate, by_words = n_listed(rated_round, estimated="good"), n_listed(rated_round, q="item-0")
    by_both = n_listed(rated_round, estimated="good", q="item-0")
    beside = n_listed(rated_round, also="round:round 1", estimated="good")

    assert 0 < by_both < min(by_estimate, by_words)
    assert beside == by_estimate


@pytest.mark.parametrize("query", [{"estimated": "x"}, {"unlike": "x"}])
def test_an_estimate_that_there_is_not_is_not_found(rated_round, query):
    assert opened(rated_round, "report_items", **query).status_code == 404


def test_of_too_many_labels_no_list_is_offered(rated_round, monkeypatch):
    monkeypatch.setattr(question_items, "MOST_LABEL_CELLS", 10)

    assert "?estimated=" not in opened(rated_round, "report_raters").content.decode()
    assert opened(rated_round, "report_items", estimated="good").status_code == 404
