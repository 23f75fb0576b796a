"""What `migrate` does before and after the tables of an older version change (P19)."""

import json
from importlib import import_module
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, migrations
from django.db.utils import DataError

from config.backups.encrypting import Keys
from config.backups.restoring import checked
from core import database_roles
from raters.models import LabelRevision
from reports.store.history_verification import verify_history
from tests import live, services
from tests.sizes import FULL, only_in_full
from tests.upgrades.test_upgrade import FOLDER, restore

LAST = import_module("reports.migrations.0002_history_chain").Migration


@pytest.fixture
def old(live_database, django_db_blocker, tmp_path, monkeypatch):
    """A database as 0.1.0 left it, which its role owns; Django is pointed at it."""
    name = f"{live_database}_old"
    monkeypatch.setenv("BACKUP_FOLDER", str(tmp_path / "backups"))
    with django_db_blocker.unblock():
        live.make_database(name, owner=database_roles.PROGRAM)
        with live.use_database(name):
            restore(FOLDER / "interrater-0.1.0.dump")
            yield tmp_path / "backups"
        live.drop_database(name)


def migrate(**options):
    with live.administering():
        database_roles.ensure_database()
        call_command("migrate", interactive=False, verbosity=0, **options)


def applied():
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations")
        return set(cursor.fetchall())


@only_in_full
def test_a_backup_of_the_old_tables_is_made_first(old, live_database, monkeypatch):
    before = applied()
    old.mkdir()
    # The last one has the newest name and the oldest time.
    for name in ("0.1.0-20260101T", "0.2.0-20260301T", "0.10.0-20260201T", "0.9.0-20251231T"):
        (old / f"before-{name}000000000000Z.tar").touch()
    (old / "before-lunch.tar").touch()
    migrate()

    kept = {path.name for path in old.iterdir()}
    assert kept > {
        "before-0.2.0-20260301T000000000000Z.tar", "before-0.10.0-20260201T000000000000Z.tar", "before-lunch.tar",
    }  # fmt: skip
    [file] = (path for path in old.iterdir() if path.stat().st_size)
    assert len(kept) == 4
    with file.open("rb") as source:
        manifest = checked(source, Keys())
    assert manifest.migrations == sorted(f"{app}.{name}" for app, name in before)
    assert manifest.counts["raters_labelrevision"] > 0

    again = f"{live_database}_again"
    live.make_database(again)
    monkeypatch.setenv("ADMIN_DATABASE_URL", services.admin_url())
    try:
        with live.use_database(again):
            out = StringIO()
            call_command("restore", file, stdout=out)
            assert "earlier version" in out.getvalue()
            assert LabelRevision.objects.count() == manifest.counts["raters_labelrevision"]
            assert verify_history(None).faults == []
    finally:
        live.drop_database(again)


def test_nothing_is_migrated_that_cannot_be_backed_up(old, monkeypatch):
    before = applied()
    Path(old).write_text("a file stands in the place of the folder")

    with pytest.raises(CommandError, match="nothing was migrated"):
        migrate()

    assert applied() == before
    if FULL:
        migrate(no_backup=True)
        assert applied() > before


@only_in_full
def test_a_failed_migration_leaves_the_old_version_working(old, monkeypatch):
    before = applied()
    failing = [*LAST.operations, migrations.RunSQL("SELECT 1 / 0")]
    monkeypatch.setattr(LAST, "operations", failing)

    with pytest.raises(DataError):
        migrate()

    assert applied() == before
    with psycopg.connect(live.live_url(connection.settings_dict["NAME"])) as opened:
        # What the old version does: its role writes events itself, and labels through the triggers.
        opened.execute(
            "INSERT INTO projects_event (kind, user_name, about, detail) VALUES ('signed_in', 'lena', 'lena', %s)",
            [json.dumps({})],
        )
        opened.execute(
            "UPDATE raters_label SET note = 'still here' WHERE id = (SELECT min(id) FROM raters_label)"
        )
        [(n,)] = opened.execute(
            "SELECT count(*) FROM raters_labelrevision WHERE note = 'still here' AND transaction IS NOT NULL"
        ).fetchall()
        assert n == 1
        assert opened.execute("SELECT to_regclass('core_historyentry')").fetchone() == (None,)

    if FULL:
        monkeypatch.setattr(LAST, "operations", failing[:-1])
        migrate()
        assert verify_history(None).faults == []
