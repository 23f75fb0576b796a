"""A connection that sees the database at one moment."""

import psycopg
import pytest
from psycopg.errors import ReadOnlySqlTransaction

from core.snapshots import snapshot_connection
from projects.models import Project
from tests import cast


def names(opened, project):
    rows = opened.execute("SELECT name FROM projects_project WHERE id = %s", [project.pk])
    return [name for (name,) in rows]


def test_it_sees_nothing_that_is_written_later(committed_db):
    project = cast.new_project("Before", unique=True)

    with snapshot_connection() as opened:
        before = names(opened, project)
        Project.objects.filter(pk=project.pk).update(name="After")
        later = names(opened, project)

    assert before == later == [project.name]


def test_it_writes_nothing(committed_db):
    with snapshot_connection() as opened, pytest.raises(ReadOnlySqlTransaction):
        opened.execute("DELETE FROM projects_project")


def test_its_settings_are_for_it_alone(committed_db):
    with snapshot_connection(["SET LOCAL statement_timeout = '7min'"]) as opened:
        assert opened.execute("SHOW statement_timeout").fetchone() == ("7min",)

    with snapshot_connection() as opened:
        assert opened.execute("SHOW statement_timeout").fetchone() != ("7min",)


@pytest.mark.parametrize("setting", ["SET LOCAL no_such_setting = 1", "SELECT 1"])
def test_it_is_closed_at_the_end_whatever_happened(committed_db, monkeypatch, setting):
    made, connect = [], psycopg.connect

    def remembered(**params):
        made.append(connect(**params))
        return made[0]

    monkeypatch.setattr(psycopg, "connect", remembered)

    with pytest.raises((psycopg.Error, ZeroDivisionError)), snapshot_connection([setting]):
        raise ZeroDivisionError

    assert made[0].closed
