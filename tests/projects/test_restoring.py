"""Restoring a deleted project, above all with the command."""

import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.runs.ledger import run_models
from projects.deletion import actions as deletion
from projects.members import invitations
from projects.models import Event, Project
from reports.store import links
from tests import cast
from tests.finished import World
from tests.live import administering
from tests.projects.test_deletion import client_of, doomed_and_spared, doomed_world, make_due
from tests.projects.test_purging import doomed, fill

__all__ = ["doomed", "doomed_and_spared", "doomed_world"]

# Only these change: the log, with its entries in the history, and runs, which are canceled.
CHANGED = {"projects_event", "core_historyentry"} | {model._meta.db_table for model in run_models()}


def printed(*args: str, **options: object) -> str:
    out = io.StringIO()
    call_command("delete_project", *args, stdout=out, **options)
    return out.getvalue()


def rows_of(project: Project) -> dict[str, list[str]]:
    found = {}
    with connection.cursor() as cursor:
        for table, where in deletion.TABLES:
            columns = "t.id" if table in CHANGED else "to_jsonb(t)"
            cursor.execute(f"SELECT {columns}::text FROM {table} t WHERE {where}", {"project": project.pk})
            found[table] = sorted(row for (row,) in cursor.fetchall())
    return found


def test_everything_is_back(doomed_world):
    project, people = doomed_world.project, doomed_world.people
    fill(doomed_world)
    _, token = links.share(doomed_world.report, by=doomed_world.lead)
    _, key = invitations.invite(project, by=doomed_world.lead, role="rater")
    addresses = [
        project.get_absolute_url(),
        reverse("report", args=[project.slug, doomed_world.report.pk]),
        reverse("api_item", args=[project.slug, doomed_world.item.pk]),
    ]

    def answers() -> list[list[int]]:
        return [
            [client_of(people[role]).get(address).status_code for address in addresses]
            for role in ("auditor", "lead", "rater")
        ]

    before, answered = rows_of(project), answers()
    printed(project.slug, name=project.name, by=doomed_world.lead.username)
    hidden = answers()

    shown = printed(project.slug, restore=True, by=doomed_world.lead.username)

    after = rows_of(project)
    assert project.name in shown
    assert answered[0] == [200, 302, 200]
    assert hidden == [[404] * 3] * 3
    assert answers() == answered
    assert {table for table in before if before[table] != after[table]} == {
        "projects_event",
        "core_historyentry",
    }
    links.opened(token)
    assert invitations.find(invitations.hashed(key)).project == project
    assert not client_of(people["lead"]).get(reverse("projects")).context["deleted"].exists()


def test_what_was_not_deleted_is_not_restored(project):
    with pytest.raises(CommandError, match=project.name):
        printed(project.slug, restore=True)
    with pytest.raises(CommandError, match="no-such-project"):
        printed("no-such-project", restore=True)
    assert not Event.objects.filter(project_id=project.pk).exists()


def test_an_unknown_person_restores_nothing(project):
    printed(project.slug, name=project.name)

    with pytest.raises(CommandError, match="nobody"):
        printed(project.slug, restore=True, by="nobody")

    project.refresh_from_db()
    assert project.deletion_due_at is not None


def test_deleting_again_does_not_begin_another_period(project):
    printed(project.slug, name=project.name)
    due = timezone.now() + timedelta(days=3)
    Project.objects.filter(pk=project.pk).update(deletion_due_at=due)

    assert f"{due:%Y-%m-%d %H:%M}" in printed(project.slug, name=project.name)


def test_a_project_can_be_restored_until_it_is_purged(doomed: tuple[World, World], settings):
    late, purged = (world.project for world in doomed)
    make_due(late, settings)
    printed(late.slug, restore=True)
    make_due(purged, settings)

    with administering():
        call_command("purge_deleted_projects", stdout=io.StringIO())

    assert Client().get(late.get_absolute_url()).status_code == 302
    assert Project.objects.filter(pk=late.pk, deletion_due_at=None).exists()
    with pytest.raises(CommandError, match=purged.slug):
        printed(purged.slug, restore=True)


def test_a_project_that_is_purged_at_the_same_time_is_gone(project, lead, monkeypatch):
    """The purge ends after the project was found, and before it is restored."""
    printed(project.slug, name=project.name)
    monkeypatch.setattr(deletion, "record", lambda *args, **more: pytest.fail("nothing was restored"))
    found = Project(pk=project.pk + 1_000_000, deletion_due_at=timezone.now())

    with pytest.raises(deletion.AlreadyPurged) as refused:
        deletion.restore(found, by=lead)

    assert refused.value.status_code == 404
    client = client_of(cast.person("olga", is_superuser=True))
    monkeypatch.setattr("projects.deletion.pages.project_to_delete", lambda user, slug: found)
    assert client.post(reverse("project_restore", args=[project.slug])).status_code == 404
