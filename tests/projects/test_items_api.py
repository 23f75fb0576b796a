"""Items over the API: created many at once, all or none, and listed by filters."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from projects.models import Event, Item, ItemVersion, Project, Round
from raters.models import Assignment
from tests.cast import new_project, signed_in

TEXT = [{"name": "text", "kind": "text", "value": "Hello"}]
ITEMS = [
    {
        "key": "a",
        "content": [{"name": "text", "value": "Hello"}],
        "attributes": {"site": "Bern", "year": 2020},
    },
    {"key": "b"},
]


def post(client, project, items, query=""):
    return client.post(
        f"/api/v1/projects/{project.slug}/items/{query}", json.dumps(items), content_type="application/json"
    )


def listed(client, project, query=""):
    answer = client.get(f"/api/v1/projects/{project.slug}/items/{query}")
    assert answer.status_code == 200, answer.content
    return [item["key"] for item in answer.json()["results"]]


def test_items_are_created_with_content_and_attributes(client, project, lead):
    answer = post(client, project, ITEMS)

    first, second = Item.objects.order_by("id")
    assert answer.status_code == 201
    assert answer.json() == {
        "n_created": 2,
        "n_changed": 0,
        "n_unchanged": 0,
        "items": [{"id": first.pk, "key": "a"}, {"id": second.pk, "key": "b"}],
    }
    assert (first.content, first.attributes) == (TEXT, {"site": "Bern", "year": 2020})
    assert (second.content, second.attributes) == ([], {})
    [event] = Event.objects.filter(project_id=project.pk, kind=Event.Kind.IMPORTED)
    assert (event.detail["what"], event.detail["created"]) == ("items", 2)


def test_the_same_post_twice_changes_nothing(client, project):
    post(client, project, ITEMS)
    before = list(Item.objects.values())

    answer = post(client, project, ITEMS)

    assert answer.status_code == 200
    assert (answer.json()["n_created"], answer.json()["n_unchanged"]) == (0, 2)
    assert list(Item.objects.values()) == before
    assert Event.objects.filter(kind=Event.Kind.IMPORTED).count() == 1


@pytest.mark.parametrize(
    "other", [{"content": [{"name": "text", "value": "Bye"}]}, {"attributes": {"site": "Basel"}}]
)
def test_an_item_that_differs_is_a_conflict_unless_it_is_to_be_replaced(client, project, other):
    post(client, project, ITEMS)

    refused = post(client, project, [{"key": "c"}, {"key": "a", **other}])

    assert (refused.status_code, refused.json()["error"]) == (409, "item_exists")
    assert refused.json()["errors"][0]["field"] == "1.key"
    assert not Item.objects.filter(key="c").exists()

    replaced = post(client, project, [{"key": "a", **other}], "?on_conflict=replace")

    item = Item.objects.get(key="a")
    assert replaced.json()["n_changed"] == 1
    assert item.attributes == other.get("attributes", {"site": "Bern", "year": 2020})
    assert item.content[0]["value"] == ("Bye" if "content" in other else "Hello")
    assert ItemVersion.objects.count() == ("content" in other)


def test_what_an_item_does_not_have_yet_is_filled_in(client, project):
    post(client, project, [{"key": "a"}])

    answer = post(client, project, ITEMS)

    assert (answer.json()["n_created"], answer.json()["n_changed"]) == (1, 1)
    assert Item.objects.get(key="a").attributes == {"site": "Bern", "year": 2020}


@pytest.mark.parametrize(
    ("items", "status", "field", "code"),
    [
        ([{"key": "a"}, {"content": []}], 400, "1.key", "required"),
        ([{"key": "a"}, {"key": "b", "colour": "red"}], 400, "1.colour", "unknown_field"),
        ([{"key": "a"}, 7], 400, "1", "invalid"),
        ([{"key": "a", "attributes": {"site": ["Bern"]}}], 400, "0.attributes", "invalid_attributes"),
        ([{"key": "a", "content": [{"name": "t", "value": 5}]}], 400, "0.content.0.value", "invalid"),
        (
            [{"key": "a", "content": [{"name": "t", "value": "x", "alt": "y"}]}],
            400,
            "0.content.0.alt",
            "invalid",
        ),
        ([{"key": "a"}, {"key": "a"}], 400, "1.key", "duplicate_item"),
        ([{"key": "a"}, {"key": "A"}], 400, "1.key", "confusable_id"),
        ([{"key": "a"}, {"key": " b"}], 400, "1.key", "edge_space"),
    ],
)
def test_an_error_says_which_item_and_field(client, project, items, status, field, code):
    answer = post(client, project, items)

    errors = [(error["field"], error["code"]) for error in answer.json()["errors"]]
    assert (answer.status_code, errors) == (status, [(field, code)])
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [({"key": "a"}, 400, "not_an_array"), ([], 400, "empty_array"), ([{"key": "a"}] * 5001, 413, "too_many")],
)
def test_the_body_is_an_array_of_a_stated_size(client, project, body, status, code):
    answer = post(client, project, body)

    assert (answer.status_code, answer.json()["error"]) == (status, code)


def test_the_number_of_queries_does_not_grow(client, project):

    def n_queries(prefix, n):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert (
                post(client, project, [{"key": f"{prefix}{place}"} for place in range(n)]).status_code == 201
            )
        return len(asked)

    n_queries("first", 1)
    assert n_queries("few", 10) == n_queries("many", 500)


def test_items_are_found_by_filters(client, project):
    post(client, project, [*ITEMS, {"key": "ab", "attributes": {"site": "Bern", "new": True}}])
    round_ = Round.objects.create(project=project, key="one")
    Assignment.objects.create(item=Item.objects.get(key="b"), round=round_, is_on_demand=True)
    Item.objects.filter(key="ab").update(withdrawn_at="2026-01-01T00:00Z")

    assert listed(client, project, "?key_prefix=a") == ["a", "ab"]
    assert listed(client, project, "?round=one") == ["b"]
    assert listed(client, project, "?attribute=site:Bern") == ["a", "ab"]
    assert listed(client, project, "?attribute=year:2020") == ["a"]
    assert listed(client, project, "?attribute=new:true") == ["ab"]
    assert listed(client, project, "?withdrawn=true") == ["ab"]
    assert listed(client, project, "?withdrawn=false&key_prefix=a") == ["a"]
    assert listed(client, project, "?key_prefix=%25") == []


@pytest.mark.parametrize(
    ("query", "status"),
    [("?prefix=a", 400), ("?withdrawn=yes", 400), ("?attribute=site", 400), ("?round=x", 404)],
)
def test_a_filter_that_is_not_known_is_refused(client, project, query, status):
    assert client.get(f"/api/v1/projects/{project.slug}/items/{query}").status_code == status


def test_a_closed_project_takes_no_items(client, project):
    Project.objects.update(state="closed")

    assert post(client, project, ITEMS).status_code == 409


@pytest.mark.parametrize("role", ["rita", "auditor", "adjudicator", "stranger"])
def test_only_leads_create_items(request, project, role):
    answer = post(signed_in(request.getfixturevalue(role)), project, ITEMS)

    assert answer.status_code == (404 if role == "stranger" else 403)
    assert not Item.objects.exists()


def test_items_of_another_project_stay_apart(client, project):
    Item.objects.create(project=new_project("Other"), key="a")

    assert post(client, project, ITEMS).json()["n_created"] == 2
