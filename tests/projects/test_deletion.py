"""Deleting a project: requested, restored, purged."""

import json
from collections.abc import Iterator
from copy import deepcopy
from datetime import timedelta
from functools import cache

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from projects.deletion import actions as deletion
from projects.members import invitations
from projects.models import Event, Project
from reports.models import OnDemandFigures, Report
from reports.store import links
from tests import cast
from tests.finished import World, new_world


@cache
def made_once(name: str) -> World:
    return new_world(name, n_items=6, n_raters=3)


@pytest.fixture
def doomed_and_spared(committed_db) -> Iterator[tuple[World, World]]:
    """Two worlds that are made once; what a test does to them is taken back after it."""
    made = made_once("doomed"), made_once("spared")
    with transaction.atomic():
        yield deepcopy(made)
        transaction.set_rollback(True)


@pytest.fixture
def doomed_world(doomed_and_spared) -> World:
    return doomed_and_spared[0]


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def send(client: Client, method: str, project: Project, body=None):
    address = reverse("api_project_deletion", args=[project.slug])
    return client.generic(method, address, json.dumps(body) if body else "", "application/json")


def make_due(project: Project, settings) -> None:
    settings.PROJECT_DELETION_DAYS = 0
    deletion.request_deletion(project, by=None, name=project.name)
    Project.objects.filter(pk=project.pk).update(deletion_due_at=timezone.now() - timedelta(seconds=1))


def test_a_lead_deletes_by_page_and_restores(project, lead):
    client, address = client_of(lead), reverse("project_delete", args=[project.slug])

    refused = client.post(address, {"name": "Review"})
    done = client.post(address, {"name": project.name})

    project.refresh_from_db()
    assert (refused.status_code, done.status_code) == (400, 302)
    left = project.deletion_due_at - timezone.now()
    assert timedelta(days=29) < left <= timedelta(days=30)
    assert client.get(address).context["is_deleted"]

    client.post(reverse("project_restore", args=[project.slug]))

    assert client.get(project.get_absolute_url()).status_code == 200
    told = Event.objects.filter(project_id=project.pk).order_by("pk").values_list("kind", "user_name")
    assert list(told) == [("project_deletion_requested", "lena"), ("project_deletion_canceled", "lena")]


def test_over_the_api(project, lead):
    client = client_of(lead)

    wrong = send(client, "POST", project, {"name": "other"})
    deleted = send(client, "POST", project, {"name": project.name}).json()
    again = send(client, "POST", project, {"name": project.name}).json()
    shown = send(client, "GET", project).json()
    restored = send(client, "DELETE", project).json()

    assert (wrong.status_code, wrong.json()["error"]) == (400, "name_differs")
    assert deleted == again == shown
    assert (deleted["due_at"] is None, restored) == (False, {"due_at": None})
    assert Event.objects.filter(project_id=project.pk).count() == 2


def test_on_the_command_line(project, lead):
    with pytest.raises(CommandError):
        call_command("delete_project", project.slug, name="other")
    call_command("delete_project", project.slug, name=project.name, by="lena")
    project.refresh_from_db()
    assert project.deletion_due_at

    call_command("delete_project", project.slug, restore=True)

    project.refresh_from_db()
    assert project.deletion_due_at is None
    assert list(Event.objects.order_by("pk").values_list("user_name", flat=True)) == ["lena", ""]


def test_an_owner_of_the_server_deletes_without_being_a_member(project):
    client = client_of(cast.person("olga", is_superuser=True))

    done = client.post(reverse("project_delete", args=[project.slug]), {"name": project.name})

    assert done.status_code == 302
    assert client.get(reverse("projects")).context["deleted"].get() == project
    assert client.get(project.get_absolute_url()).status_code == 404


def test_a_deleted_project_is_hidden_from_everybody(project, lead, adjudicator, auditor, rita):
    deletion.request_deletion(project, by=lead, name=project.name)

    found = {}
    for user in (lead, adjudicator, auditor, rita):
        client = client_of(user)
        pages = [project.get_absolute_url(), reverse("api_project", args=[project.slug])]
        delete = client.get(reverse("project_delete", args=[project.slug])).status_code
        listed = client.get(reverse("projects")).context
        shown = client.get(reverse("api_projects")).json()["count"] + len(listed["rows"])
        found[user.username] = (
            {client.get(page).status_code for page in pages},
            delete,
            shown,
            len(listed["deleted"]),
        )

    others = ({404}, 404, 0, 0)
    assert found == {"lena": ({404}, 200, 0, 1), "ada": others, "otto": others, "rita": others}


def test_one_who_still_labels_finds_nothing_of_it_either(doomed_world):
    lead, project, report = doomed_world.lead, doomed_world.project, doomed_world.report
    round_ = project.rounds.create(key="open", state="open", opened_at=timezone.now())
    rater = project.raters.create(key="lead-too", user=lead)
    doomed_world.item.assignments.create(rater=rater, round=round_)
    pages = [
        reverse("report", args=[project.slug, report.pk]),
        reverse("api_report", args=[project.slug, report.pk]),
        reverse("api_project_file", args=[project.slug]),
    ]
    client = client_of(lead)
    assert {client.get(page).status_code for page in pages} == {403}

    deletion.request_deletion(project, by=lead, name=project.name)

    assert {client.get(page).status_code for page in pages} == {404}


def test_links_invitations_and_runs_stop(doomed_world):
    _, token = links.share(doomed_world.report, by=doomed_world.lead)
    _, key = invitations.invite(doomed_world.project, by=doomed_world.lead, role="rater")
    waiting = Report.objects.create(
        project=doomed_world.project, scope=doomed_world.report.scope, asked_by=doomed_world.lead
    )
    figures = OnDemandFigures.objects.create(agreement=doomed_world.agreement, what="time", asked={"by": "x"})

    deletion.request_deletion(doomed_world.project, by=doomed_world.lead, name=doomed_world.project.name)

    with pytest.raises(links.InvalidLink):
        links.opened(token)
    with pytest.raises(invitations.InvalidInvitation):
        invitations.find(invitations.hashed(key))
    waiting.refresh_from_db()
    figures.refresh_from_db()
    assert (waiting.state, figures.state) == ("cancelled", "cancelled")
    assert Report.objects.get(pk=doomed_world.report.pk).state == "done"
