"""The log of a project: its page, its filters, its files and its API."""

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from projects import actions
from projects.events import record
from projects.members import actions as members
from projects.models import Event, Membership
from raters.actions import rater_of
from raters.models import Assignment
from tests import cast
from tests.live import as_superuser

pytestmark = pytest.mark.signed_in("auditor")


@pytest.fixture
def events(project, lead, stranger) -> list[Event]:
    member = Membership.objects.create(project=project, user=stranger, role="rater")
    record(Event.Kind.MEMBER_JOINED, by=lead, project=project, about=stranger.username, role="rater")
    members.change_role(member, by=stranger, role="auditor")
    actions.change_project(project, by=lead, shows_names=True)
    return list(Event.objects.filter(project_id=project.pk).order_by("pk"))


def shown(client, project, **query) -> list[str]:
    response = client.get(reverse("log", args=[project.slug]), query)
    assert response.status_code == 200
    return [row.event.kind for row in response.context["rows"]]


def over_api(client, project, **query) -> list[str]:
    response = client.get(reverse("api_events", args=[project.slug]), query)
    assert response.status_code == 200
    return [row["kind"] for row in response.json()["results"]]


def in_file(client, project, **query) -> list[str]:
    """Files have the oldest event first."""
    response = client.get(reverse("log_file", args=[project.slug, "jsonl"]), query)
    lines = b"".join(response.streaming_content).decode().splitlines()
    return [json.loads(line)["kind"] for line in lines][::-1]


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ({}, ["project_changed", "role_changed", "member_joined"]),
        ({"kind": "role_changed"}, ["role_changed"]),
        ({"person": "LENA"}, ["project_changed", "member_joined"]),
        ({"person": "stell"}, ["role_changed", "member_joined"]),
        ({"kind": "member_joined", "person": "lena"}, ["member_joined"]),
        ({"person": "nobody"}, []),
    ],
)
@pytest.mark.parametrize("way", [shown, over_api, in_file])
def test_the_filter_is_the_same_everywhere(client, project, events, query, kinds, way):
    assert way(client, project, **query) == kinds


@pytest.mark.parametrize("way", [shown, over_api, in_file])
def test_both_days_are_included(committed_db, way):
    project = cast.new_project("Days", unique=True)
    client = Client()
    client.force_login(cast.member(project, Membership.Role.AUDITOR, username="otto", unique=True))
    # The program cannot choose when something happened.
    with as_superuser() as superuser:
        for day in (1, 2, 3, 4):
            at = datetime(2026, 3, day, 23 if day % 2 else 0, tzinfo=UTC)
            superuser.execute(
                "INSERT INTO projects_event (kind, project_id, at, about, user_name, detail)"
                " VALUES ('imported', %s, %s, %s, '', '{}')",
                [project.pk, at, str(day)],
            )

    query = {"since": "2026-03-02", "until": "2026-03-03"}

    assert len(way(client, project, **query)) == 2
    assert len(way(client, project, since="2026-03-04", until="2026-03-04")) == 1
    assert len(way(client, project, until="2026-03-01")) == 1


@pytest.mark.parametrize(
    "query",
    [
        {"kind": "nonsense"},
        {"since": "x"},
        {"until": "9999-12-31"},
        {"since": "0001-01-01"},
        {"person": "a\0"},
    ],
)
def test_a_bad_filter_is_refused(client, project, query):
    assert client.get(reverse("log", args=[project.slug]), query).status_code == 400
    assert client.get(reverse("api_events", args=[project.slug]), query).status_code == 400
    assert client.get(reverse("log_file", args=[project.slug, "csv"]), query).status_code in {400, 404}
    assert not Event.objects.filter(kind="exported").exists()


@pytest.mark.parametrize("name", ["kind", "since", "until"])
def test_a_program_sends_no_empty_filter(client, project, name):
    assert client.get(reverse("log", args=[project.slug]), {name: ""}).status_code == 200

    response = client.get(reverse("api_events", args=[project.slug]), {name: ""})

    assert (response.status_code, response.json()["error"]) == (400, "invalid_parameter")


def test_old_and_new_values_are_readable(client, project, events):
    response = client.get(reverse("log", args=[project.slug]))

    details = {row.event.kind: row.details for row in response.context["rows"]}
    (setting,) = details["project_changed"]
    (role,) = details["role_changed"]
    assert (setting.name, setting.old, setting.new) == ("raters see names", "no", "yes")
    assert (role.old, role.new) == ("rater", "auditor")
    assert re.search(r"<del><bdi>no</bdi></del>.*<ins><bdi>yes</bdi></ins>", response.content.decode())


@pytest.mark.parametrize(
    ("kind", "detail", "shown"),
    [
        (
            Event.Kind.FINAL_RULE_CHANGED,
            {"changed": {"final_rule": {"old": "plurality", "new": "dawid_skene"}}},
            ("rule for final labels", "Most frequent label", "Dawid–Skene"),
        ),
        (
            Event.Kind.CODEBOOK_CHANGED,
            {"changed": {"kind": {"old": "number", "new": "single"}}},
            ("answer type", "Number", "Single choice"),
        ),
        (
            Event.Kind.PROJECT_CHANGED,
            {"rater": 1, "changed": {"kind": {"old": "human", "new": "model"}}},
            ("type of rater", "Person", "Model"),
        ),
        (Event.Kind.FINAL_RULE_ESTIMATED, {"rule": "weighted"}, ("rule", None, "Weighted vote")),
        # What a later version or a project file may hold is shown as it is.
        (Event.Kind.FINAL_RULE_ESTIMATED, {"rule": "by_lot"}, ("rule", None, "by_lot")),
        (Event.Kind.FINAL_RULE_ESTIMATED, {"rule": ["mean", 3]}, ("rule", None, "Mean, 3")),
        (Event.Kind.AUDIT_ASSIGNED, {"n_assignments": 3}, ("assignments", None, "3")),
        (Event.Kind.CODEBOOK_CHANGED, {"change": "made"}, ("", None, "question added")),
        (
            Event.Kind.CODEBOOK_CHANGED,
            {"change": "category merged", "into": "b"},
            ("", None, "category merged"),
        ),
        (
            Event.Kind.CODEBOOK_CHANGED,
            {"change": "changed", "changed": {"unit": {"old": "", "new": "mm"}}},
            ("unit", "none", "mm"),
        ),
        (
            Event.Kind.EXPORTED,
            {"also_rates": True},
            ("exported by a person who labels here", None, "yes"),
        ),
        (Event.Kind.EXPORTED, {"format": "csv-wide"}, ("format", None, "CSV, wide")),
        (Event.Kind.FINAL_LABELS_TAKEN, {"what": "final"}, ("content", None, "final labels")),
        (Event.Kind.EXPORTED, {"rounds": None}, ("rounds", None, "all")),
        (Event.Kind.EXPORTED, {"rounds": ["a", "b"]}, ("rounds", None, "a, b")),
        (Event.Kind.LOOK_REFUSED, {"rounds": []}, ("rounds", None, "none")),
        (Event.Kind.ADAPTIVE_CHANGED, {"rule": ""}, ("rule", None, "no more raters are added")),
        (Event.Kind.INVITATION_MADE, {"max_uses": 3}, ("maximum uses", None, "3")),
        (
            Event.Kind.WEBHOOK_CHANGED,
            {"changed_fields": ["url", "events", "is_active"]},
            ("changed", None, "address, events, active"),
        ),
        (
            Event.Kind.IMPORT_UNDONE,
            {"deleted": {"item": 3, "rater": 1}},
            ("deleted", None, "item: 3, rater: 1"),
        ),
        (
            Event.Kind.PROJECT_CHANGED,
            {"changed": {"thresholds": {"old": [], "new": [{"from": 0.8, "name": "good"}]}}},
            ("custom thresholds", "none", "0.8 good"),
        ),
    ],
)
def test_stored_names_are_shown_in_words(client, project, lead, kind, detail, shown):
    record(kind, by=lead, project=project, **detail)

    (row,) = client.get(reverse("log", args=[project.slug])).context["rows"]

    first = row.details[0]
    assert (first.name, first.old, first.new) == shown


def test_people_in_details_are_shown_by_their_present_name(client, project, lead, rita):
    record(Event.Kind.RATER_LINKED, by=lead, project=project, about="R.", user=rita.pk, rater=1)
    type(rita).objects.filter(pk=rita.pk).update(username="renamed")

    (row,) = client.get(reverse("log", args=[project.slug])).context["rows"]

    assert row.details[0].new == "renamed"


def test_a_rater_in_details_is_shown_by_name(client, project, lead, rita):
    rater = rater_of(project, rita)
    record(Event.Kind.RATER_UNLINKED, by=lead, project=project, about=rater.key, rater=rater.pk)

    (row,) = client.get(reverse("log", args=[project.slug])).context["rows"]

    assert [(detail.name, detail.new) for detail in row.details] == [("rater", rater.key)]


def shown_details(client, project):
    (row,) = client.get(reverse("log", args=[project.slug])).context["rows"]
    return [(detail.name, detail.new) for detail in row.details]


def test_what_was_decided_at_once_is_shown_by_name(client, project, lead, rita):
    rater, round_ = rater_of(project, rita), project.rounds.create(key="pilot")
    asked = {"rater": rater.pk, "round": round_.pk, "question": None, "list": None}
    record(Event.Kind.DISPUTES_DECIDED, by=lead, project=project, bulk="x", n=3, n_left=1, **asked)

    assert dict(shown_details(client, project)) == {
        "decisions": "3",
        "left open": "1",
        "rater": rater.key,
        "round": "pilot",
        "question": "all",
    }


def test_who_could_not_be_reminded_is_shown_by_name(client, project, lead, rita):
    rater = rater_of(project, rita)
    record(Event.Kind.ROUND_REMINDED, by=lead, project=project, raters=[], without_address=[rater.pk])

    assert ("without a confirmed email address", rater.key) in shown_details(client, project)


def test_names_are_those_of_the_project(client, project, lead, rita):
    """An event of a project file may have any number."""
    elsewhere = cast.new_project("Elsewhere").rounds.create(key="secret")
    record(Event.Kind.DISPUTES_DECIDED, by=lead, project=project, round=elsewhere.pk)

    assert shown_details(client, project) == [("round", str(elsewhere.pk))]


def test_numbers_that_only_programs_need_are_not_shown(client, project, lead):
    record(Event.Kind.ROUND_DELETED, by=lead, project=project, about="pilot", round=7, n_assignments=2)

    assert shown_details(client, project) == [("assignments", "2")]


def test_an_export_is_one_event_and_not_in_its_own_file(client, project, events):
    assert in_file(client, project) == ["project_changed", "role_changed", "member_joined"]

    told = Event.objects.filter(kind="exported")
    assert [(event.user_name, event.about) for event in told] == [("otto", "log.jsonl")]


@pytest.mark.parametrize("name", ["log_file", "api_events_file"])
def test_a_csv_file_holds_every_event_in_safe_cells(client, project, lead, name):
    actions.change_project(project, by=lead, name="Ünï")
    record(Event.Kind.IMPORTED, by=lead, project=project, about="=cmd()|' '!A1", created=1)
    args, query = ([project.slug, "csv"], {}) if name == "log_file" else ([project.slug], {"as": "csv"})

    response = client.get(reverse(name, args=args), query)

    rows = list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))
    assert [row["kind"] for row in rows] == ["project_changed", "imported"]
    assert rows[1]["about"] == "'=cmd()|' '!A1"
    assert json.loads(rows[0]["detail"]) == {"changed": {"name": {"old": "Reviews", "new": "Ünï"}}}
    assert datetime.fromisoformat(rows[0]["at"]) > timezone.now() - timedelta(minutes=5)


def test_events_of_other_projects_are_not_shown(client, project, lead):
    other = cast.new_project("Other")
    record(Event.Kind.IMPORTED, by=lead, project=other, about="x")

    assert shown(client, project) == over_api(client, project) == []


def queries(client, project) -> int:
    with CaptureQueriesContext(connection) as seen:
        client.get(reverse("log", args=[project.slug]))
    return len(seen)


def test_the_page_asks_the_database_as_often_for_many_as_for_few(client, project, lead, rita):
    for _ in range(2):
        record(Event.Kind.RATER_LINKED, by=lead, project=project, about="R.", user=rita.pk, raters=[1, 2])
    few = queries(client, project)

    for n in range(20):
        record(Event.Kind.RATER_LINKED, by=lead, project=project, about="R.", user=n, raters=[n])

    assert queries(client, project) == few


def test_log_and_history_link_to_each_other(client, project):
    log, history = (reverse(name, args=[project.slug]) for name in ("log", "project_history"))

    assert f'href="{history}"' in client.get(log).content.decode()
    shown = client.get(history).content.decode()
    assert f'<a class="button" href="{log}"' in shown
    assert f'<a href="{log}" aria-current="page"' in " ".join(shown.split())


def test_a_lead_who_still_labels_is_not_led_to_the_history(client, project, auditor):
    item = project.items.create(key="item-1")
    round_ = project.rounds.create(key="round 1", state="open")
    Assignment.objects.create(rater=rater_of(project, auditor), item=item, round=round_)
    log, history = (reverse(name, args=[project.slug]) for name in ("log", "project_history"))

    assert client.get(history).status_code == 403
    assert f'href="{history}"' not in client.get(log).content.decode()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("2026-12-22T15:04:05.123456+00:00", "22 Dec 2026, 15:04"),
        # From a project file, in which anything may stand.
        ("soon", "soon"),
        ("2026-12-22", "2026-12-22"),
        ("9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59-14:00"),
        (7, "7"),
    ],
)
def test_a_due_date_is_shown_like_other_dates(client, project, lead, value, words):
    record(Event.Kind.PROJECT_DELETION_REQUESTED, by=lead, project=project, due=value)

    (row,) = client.get(reverse("log", args=[project.slug])).context["rows"]

    assert [(detail.name, detail.new) for detail in row.details] == [("due", words)]


def test_the_log_has_a_tab_in_the_set_up_of_leads_and_auditors(client, project, lead, rita):
    address, set_up = reverse("log", args=[project.slug]), reverse("codebook", args=[project.slug])
    found = {}
    for user in (lead, rita):
        other = Client()
        other.force_login(user)
        found[user.username] = f'href="{address}"' in other.get(set_up).content.decode()

    assert f'href="{address}"' in client.get(set_up).content.decode()
    assert found == {"lena": True, "rita": False}
