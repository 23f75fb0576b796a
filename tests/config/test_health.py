import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.test import Client

from config import health
from tests.live import as_superuser

pytestmark = pytest.mark.signed_in(None)


def test_healthz_asks_nothing_of_the_database(client: Client, django_assert_num_queries, db):
    with django_assert_num_queries(0):
        answer = client.get("/healthz")

    assert (answer.status_code, answer.content) == (200, b"ok\n")


def test_readyz_is_ready(client: Client, db):
    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json() == {"ready": True, "faults": []}


def test_readyz_names_a_forgetful_database(client: Client, db):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert "synchronous_commit = off" in answer.json()["faults"][0]


@pytest.mark.parametrize(
    ("change", "back", "words"),
    [
        (
            "DELETE FROM django_migrations WHERE app = 'reports' AND name = '0001_initial'",
            "INSERT INTO django_migrations (app, name, applied) VALUES ('reports', '0001_initial', now())",
            "from an older version. Run: manage.py migrate",
        ),
        (
            "INSERT INTO django_migrations (app, name, applied) VALUES ('reports', '9999_later', now())",
            "DELETE FROM django_migrations WHERE name = '9999_later'",
            "from a newer version, with the migration 9999_later",
        ),
        (
            "ALTER TABLE projects_project RENAME COLUMN name TO other",
            "ALTER TABLE projects_project RENAME COLUMN other TO name",
            "missing the column name of projects_project",
        ),
    ],
)
def test_readyz_refuses_other_tables_than_its_own(client: Client, committed_db, change, back, words):
    """Seen: a database that was migrated by other code answered "ready", and half its pages failed."""
    assert client.get("/readyz").status_code == 200
    with as_superuser() as superuser:
        superuser.execute(change)
        try:
            answer = client.get("/readyz")
        finally:
            superuser.execute(back)

    assert answer.status_code == 503
    assert words in answer.json()["faults"][0]
    assert client.get("/readyz").status_code == 200


def test_readyz_says_when_the_database_is_away(client: Client, monkeypatch):
    def away() -> list[str]:
        raise OperationalError("connection to server at 10.1.2.3 failed")

    monkeypatch.setattr(health, "durability_faults", away)

    answer = client.get("/readyz")

    # Where the database lives is nobody's business.
    assert answer.status_code == 503
    assert answer.json()["faults"] == ["The database is not responding."]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with less room than the database and media files need."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", tmp_path], check=False).returncode:
        pytest.skip("this machine lets nobody mount")
    try:
        yield tmp_path
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=True)


def test_readyz_names_a_full_disk_of_media_files(client: Client, db, settings, small_disk):
    settings.MEDIA_ROOT = small_disk

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["faults"] == [
        "The disk for the media files is full or nearly full. Free some space."
    ]


def test_readyz_names_a_full_disk_of_the_database(client: Client, db, monkeypatch, small_disk):
    (small_disk / "services" / "postgres").mkdir(parents=True)
    monkeypatch.setenv("STATE_DIR", str(small_disk))

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["faults"] == ["The disk for the database is full or nearly full. Free some space."]


def test_readyz_passes_on_that_postgres_has_no_room(client: Client, db, monkeypatch):
    def full() -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute("DO $$ BEGIN RAISE SQLSTATE '53100'; END $$")
        return []

    monkeypatch.setattr(health, "durability_faults", full)

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["faults"] == ["The database disk is full."]


@pytest.mark.parametrize("address", ["/healthz", "/readyz"])
def test_probes_refuse_to_be_written_to(client: Client, address, db):
    assert client.post(address).status_code == 405
