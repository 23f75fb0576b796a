import pytest
from django.db import OperationalError, connection
from django.test import Client

from config import health


@pytest.fixture(autouse=True)
def _forget_migrations():
    health._require_migrated.cache_clear()


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


def test_readyz_names_missing_migrations(client: Client, db):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'reports'")

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert "run manage.py migrate" in answer.json()["faults"][0]


def test_readyz_says_when_the_database_is_away(client: Client, monkeypatch):
    def away() -> list[str]:
        raise OperationalError("connection to server at 10.1.2.3 failed")

    monkeypatch.setattr(health, "durability_faults", away)

    answer = client.get("/readyz")

    # Where the database lives is nobody's business.
    assert answer.status_code == 503
    assert answer.json()["faults"] == ["The database does not answer."]


@pytest.mark.parametrize("address", ["/healthz", "/readyz"])
def test_probes_refuse_to_be_written_to(client: Client, address, db):
    assert client.post(address).status_code == 405
