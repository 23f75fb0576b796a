"""The history of the labels of a project: its page, its filters, its files, its API, and the ways to it."""

import csv
import io
import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.models import Event
from raters.labeling.saving import set_history_context
from raters.log.label_changes import ChangeFilter, change_page, every_change
from raters.models import Label
from tests import cast
from tests.files import load
from tests.sizes import some

pytestmark = pytest.mark.signed_in("auditor")

# Three labels are imported; then ben's is changed on a page, and ann's of the other question is withdrawn over the API.
FILE = b"item,rater,question,label\ni-1,ann,tone,good\ni-1,ben,tone,bad\ni-2,ann,topic,praise\n"


@pytest.fixture
def three_changed(project, lead) -> None:
    load(project, FILE, by=lead)
    set_history_context(lead, "page")
    label = Label.objects.get(rater__key="ben")
    label.category = project.questions.get(key="tone").categories.get(key="good")
    label.revision += 1
    label.save()
    set_history_context(lead, "api")
    Label.objects.get(question__key="topic").delete()


def shown(client: Client, project, **query) -> list[tuple[str, str, str]]:
    response = client.get(reverse("label_changes", args=[project.slug]), query)
    assert response.status_code == 200
    return [(row.item, row.change.rater, row.change.change) for row in response.context["rows"]]


def over_api(client: Client, project, **query) -> list[tuple[str, str, str]]:
    response = client.get(reverse("api_label_changes", args=[project.slug]), query)
    assert response.status_code == 200
    return [(row["item"], row["rater"], row["change"]) for row in response.json()["results"]]


def in_file(client: Client, project, **query) -> list[tuple[str, str, str]]:
    """Files have the oldest change first."""
    response = client.get(reverse("label_changes_file", args=[project.slug, "jsonl"]), query)
    lines = b"".join(response.streaming_content).decode().splitlines()
    return [(row["item"], row["rater"], row["change"]) for row in map(json.loads, lines)][::-1]


CREATED = [("i-2", "ann", "Created"), ("i-1", "ben", "Created"), ("i-1", "ann", "Created")]
CHANGED, WITHDRAWN = ("i-1", "ben", "Changed"), ("i-2", "ann", "Withdrawn")


@pytest.mark.parametrize(
    ("query", "found"),
    some(
        [
            ({}, [WITHDRAWN, CHANGED, *CREATED]),
            ({"change": "I"}, CREATED),
            ({"change": "U"}, [CHANGED]),
            ({"change": "D"}, [WITHDRAWN]),
            ({"question": "topic"}, [WITHDRAWN, CREATED[0]]),
            ({"item": "i-1"}, [CHANGED, *CREATED[1:]]),
            ({"item": "i-9"}, []),
            ({"person": "BEN"}, [CHANGED, CREATED[1]]),
            ({"person": "lena"}, [WITHDRAWN, CHANGED, *CREATED]),
            ({"way": "import"}, CREATED),
            ({"way": "page"}, [CHANGED]),
            ({"way": "api"}, [WITHDRAWN]),
            ({"way": "adjudication"}, []),
            ({"until": "2001-01-01"}, []),
            ({"since": "2001-01-01", "question": "tone", "change": "U"}, [CHANGED]),
        ],
        every=2,
    ),
)
@pytest.mark.parametrize("way", [shown, over_api, in_file])
def test_the_filter_is_the_same_everywhere(client, project, three_changed, query, found, way):
    assert sorted(way(client, project, **query)) == sorted(found)


def test_the_newest_change_comes_first_with_who_and_from_where(client, project, three_changed):
    response = client.get(reverse("label_changes", args=[project.slug]))

    first, second = response.context["rows"][:2]
    assert (first.change.old, first.change.new, first.change.way_in) == ("praise", "", "API")
    assert (second.change.old, second.change.new, second.change.way_in) == ("bad", "good", "labeling page")
    assert first.change.by == "lena"
    assert reverse("item", args=[project.slug, second.item_id]) in response.content.decode()


@pytest.mark.parametrize(
    "query",
    [
        {"change": "X"},
        {"question": "none"},
        {"way": "mail"},
        {"since": "x"},
        {"after": "-1"},
        {"person": "a\0"},
    ],
)
def test_a_bad_filter_is_refused(client, project, three_changed, query):
    assert client.get(reverse("label_changes", args=[project.slug]), query).status_code == 400
    assert client.get(reverse("api_label_changes", args=[project.slug]), query).status_code == 400
    assert client.get(reverse("label_changes_file", args=[project.slug, "csv"]), query).status_code in {
        400,
        404,
    }
    assert not Event.objects.filter(kind=Event.Kind.EXPORTED).exists()


def test_an_invalid_place_is_refused_by_the_api_alone(client, project, three_changed):
    page = client.get(reverse("label_changes", args=[project.slug]), {"before": "x"})
    api = client.get(reverse("api_label_changes", args=[project.slug]), {"before": "x"})

    assert (page.status_code, len(page.context["rows"])) == (200, 5)
    assert (api.status_code, api.json()["error"]) == (400, "invalid_parameter")


def test_pages_follow_each_other_without_gap_or_repetition(project, three_changed):
    whole = [row.revision.pk for row in change_page(project, ChangeFilter(), None, size=50).rows]

    found, before = [], None
    while True:
        page = change_page(project, ChangeFilter(), before, size=2)
        found += [row.revision.pk for row in page.rows]
        before = page.older
        if before is None:
            break

    assert found == whole
    assert len(found) == 5
    assert sorted(whole) == sorted(row.revision.pk for row in every_change(project, ChangeFilter()))


def test_other_projects_are_not_in_it(client, project, three_changed, lead):
    elsewhere = cast.new_project("Elsewhere", unique=True)
    load(elsewhere, b"item,rater,question,label\ni-9,zoe,tone,good\n", by=lead)

    assert len(shown(client, project)) == 5
    assert shown(client, project, item="i-9") == shown(client, project, person="zoe") == []


def test_a_file_is_safe_for_spreadsheets_and_logged(client, project, lead):
    load(project, b"item,rater,question,label\n=1+1,ann,tone,good\n", by=lead)

    response = client.get(reverse("label_changes_file", args=[project.slug, "csv"]))

    rows = list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))
    assert [(row["item"], row["new"], row["by"]) for row in rows] == [("'=1+1", "good", "lena")]
    assert [each.about for each in Event.objects.filter(kind=Event.Kind.EXPORTED)] == ["label-history.csv"]


def test_a_large_history_is_paged_with_as_many_queries(
    client, project, three_changed, django_assert_max_num_queries
):
    with django_assert_max_num_queries(20):
        shown(client, project)


def test_a_name_that_nobody_has_is_not_looked_for_in_the_changes(project):
    with CaptureQueriesContext(connection) as asked:
        found = change_page(project, ChangeFilter(person="nobody"), None, size=50)

    assert (found.rows, found.older) == ([], None)
    assert not any("raters_labelrevision" in query["sql"] for query in asked)
