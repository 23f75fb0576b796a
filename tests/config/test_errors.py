"""What is answered when a request cannot be read, or the database cannot take it: real failures of a real Postgres."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.db import close_old_connections, connection
from django.test import Client
from django.urls import reverse
from django.utils.module_loading import import_string
from knox.models import AuthToken

from config import errors
from config.middleware import RequestIdMiddleware
from projects.models import Membership, Project
from tests import cast, live, services
from tests.live import away, with_name

API = "/api/v1/projects/"
pytestmark = pytest.mark.signed_in("lead_elsewhere", raising=False)


@pytest.fixture(scope="module")
def own_database(live_database, django_db_blocker) -> Iterator[str]:
    """A database that only these tests use, and may take away."""
    with django_db_blocker.unblock():
        name = live.copy_test_database("trouble")
    yield name
    with django_db_blocker.unblock():
        live.drop_database(name)


@pytest.fixture
def lead_elsewhere(own_database, django_db_blocker):
    with django_db_blocker.unblock(), live.use_database(own_database):
        project = cast.new_project(unique=True)
        yield cast.member(project, Membership.Role.LEAD, username="lena", unique=True)


@contextmanager
def other(database: str) -> Iterator[psycopg.Connection]:
    """Somebody else with every right."""
    with psycopg.connect(with_name(services.admin_url(), database), autocommit=True) as opened:
        yield opened


@contextmanager
def locked(database: str, **timeouts: str) -> Iterator[None]:
    """Somebody else holds the table of projects; ours waits for it as long as these settings say."""
    with connection.cursor() as cursor:
        for name, value in timeouts.items():
            cursor.execute("SELECT set_config(%s, %s, false)", [name, value])
    with other(database) as opened, opened.transaction():
        opened.execute("LOCK TABLE projects_project IN ACCESS EXCLUSIVE MODE")
        yield


def assert_error(answer, status: int, code: str) -> None:
    """JSON in the shape of every error, without a word of SQL, Python or the database's address."""
    body = answer.json()
    assert (answer.status_code, body["error"]) == (status, code)
    assert set(body) == {"error", "detail", "errors", "request_id"}
    assert body["request_id"] == answer["X-Request-ID"]
    for word in ("Traceback", "SELECT", "psycopg", "projects_project", "connection to server", "django"):
        assert word not in answer.content.decode()


def assert_page(answer, status: int, code: str) -> None:
    assert answer.status_code == status
    assert answer["Content-Type"].startswith("text/html")
    assert f'data-problem="{code}"' in answer.content.decode()
    assert answer["X-Request-ID"] in answer.content.decode()
    for word in ("Traceback", "SELECT", "psycopg", "projects_project", "connection to server"):
        assert word not in answer.content.decode()


def test_an_unavailable_database_is_reported_with_a_retry_time(client, own_database):
    with away(own_database):
        page, answer, sent = client.get("/"), client.get(API), client.post("/", {})

    assert_error(answer, 503, "database_unavailable")
    assert_page(page, 503, "database_unavailable")
    assert_page(sent, 503, "database_unavailable")
    assert int(answer["Retry-After"]) > 0
    assert int(page["Retry-After"]) > 0
    close_old_connections()
    assert client.get(API).status_code == 200


def test_signing_in_while_the_database_is_away(own_database, lead_elsewhere):
    with away(own_database):
        answer = Client(raise_request_exception=False).post(
            reverse("account_login"), {"login": "lena", "password": "wrong"}
        )

    assert_page(answer, 503, "database_unavailable")


def test_a_token_while_the_database_is_away(own_database, lead_elsewhere):
    _, words = AuthToken.objects.create(user=lead_elsewhere)

    with away(own_database):
        answer = Client(raise_request_exception=False).get(API, headers={"Authorization": f"Token {words}"})

    assert_error(answer, 503, "database_unavailable")


@pytest.mark.parametrize(
    ("query", "address"),
    [("reports.results.queries.project_rows", "/"), ("projects.api.views.projects_of", API)],
)
def test_a_connection_that_dies_in_the_middle_of_a_request(client, own_database, query, address, monkeypatch):
    """The session is read already when the connection is cut."""
    real = import_string(query)

    def cut(*args, **kwargs):
        with other(own_database) as opened:
            pid = connection.connection.info.backend_pid
            opened.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        return real(*args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(query, cut)
        answer = client.get(address)

    assert answer.status_code == 503
    assert b"database_unavailable" in answer.content
    close_old_connections()
    assert client.get(address).status_code == 200


def test_waiting_for_somebody_else_is_not_called_slow(client, own_database):
    with locked(own_database, lock_timeout="50ms"):
        page, answer = client.get("/"), client.get(API)

    assert_error(answer, 503, "locked")
    assert_page(page, 503, "locked")
    assert int(answer["Retry-After"]) > 0


def test_taking_too_long_is_not_called_waiting_for_somebody(client, own_database):
    with locked(own_database, lock_timeout="0", statement_timeout="50ms"):
        page, answer = client.get("/"), client.get(API)

    assert_error(answer, 503, "timed_out")
    assert_page(page, 503, "timed_out")


DISK_FULL = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'could not extend file "base/1": No space left on device' USING ERRCODE = 'disk_full';
END $$;
CREATE TRIGGER full_disk BEFORE INSERT ON projects_project FOR EACH ROW EXECUTE FUNCTION full_disk();
"""


def test_a_full_disk_is_reported(client, own_database):
    with other(own_database) as opened:
        opened.execute(DISK_FULL)
        try:
            answer = client.post(API, json.dumps({"name": "New"}), content_type="application/json")
        finally:
            opened.execute("DROP FUNCTION full_disk CASCADE")

    assert_error(answer, 507, "disk_full")


def test_a_session_that_cannot_be_written_is_no_bad_request(client, own_database):
    """Django takes it for a session that was deleted, and blames the person."""
    with other(own_database) as opened:
        opened.execute(
            DISK_FULL.replace("BEFORE INSERT ON projects_project", "BEFORE UPDATE ON django_session")
        )
        try:
            # The token of an invitation is kept in the session.
            answer = client.get(reverse("join_by", args=["a-token-of-nobody"]))
        finally:
            opened.execute("DROP FUNCTION full_disk CASCADE")

    assert_page(answer, 507, "disk_full")


BAD_QUERIES = {
    "q=%00": "control_character",
    "q=a%0Ab": "control_character",
    "%00=a": "control_character",
    "page=1&sort=%1f": "control_character",
    "q=%7F": "control_character",
    "q=%FF": "encoding",
    "q=%ED%A0%80": "encoding",
    "q=%C0%80": "encoding",
}


@pytest.mark.parametrize("query", BAD_QUERIES)
def test_characters_that_no_view_can_read_are_refused_in_every_query(client, query):
    slug = Project.objects.latest("pk").slug

    for address in (API, f"{API}{slug}/items/", f"{API}{slug}/nothing/"):
        assert_error(client.get(f"{address}?{query}"), 400, BAD_QUERIES[query])
    for address in ("/", f"/p/{slug}/progress/items/", f"/p/{slug}/items/"):
        answer = client.get(f"{address}?{query}")
        assert answer.status_code == 400
        assert answer["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("query", ["q=caf%C3%A9", "q=%F0%9F%98%80", "q=%E2%80%AE", "q=a+b"])
def test_other_characters_are_read(client, query):
    assert client.get(f"/?{query}").status_code == 200


@pytest.mark.parametrize("words", ["Token \xff", "Token \x00", "Token a\xffb", "T\xfcken x", "Token \x7f"])
def test_a_token_that_is_no_text_is_no_token(client, words):
    answer = client.get(API, headers={"Authorization": words})

    assert_error(answer, 401, "not_authenticated")
    assert answer["WWW-Authenticate"] == "Token"


@pytest.mark.parametrize("value", [r'"\000"', r'"a\000b"', "\xff", "x" * 5000, r'"\001"'])
@pytest.mark.parametrize("name", ["session", "csrf"])
def test_a_cookie_that_is_no_text_is_no_cookie(lead_elsewhere, name, value):
    client = Client(raise_request_exception=False, HTTP_COOKIE=f"{name}={value}")

    assert_error(client.get(API), 401, "not_authenticated")
    assert client.get("/").status_code == 302


def test_every_answer_has_an_id_of_its_own(client):
    ids = [client.get(address).headers["X-Request-ID"] for address in ("/", "/", API, "/healthz", "/nothing")]

    assert len(set(ids)) == 5


@pytest.mark.parametrize("sent", ["forged\nline", "0f3c5a77-mine"])
def test_an_id_that_a_client_sends_is_ignored(client, sent):
    answer = client.get(API + "nothing/", headers={"X-Request-ID": sent})

    assert sent not in answer["X-Request-ID"]
    assert_error(answer, 404, "not_found")


@pytest.mark.parametrize(
    ("sent", "is_taken"),
    [
        ("9e4f5c22-3a57-4a8b-9b0e-2f0c4f8f6d11", True),
        ("0123abcd", True),
        ("short", False),
        ("x" * 65, False),
        ("a line\nof its own", False),
        ("[0f3c5a77]", False),
    ],
)
def test_the_id_that_our_own_proxy_sends_is_taken_if_it_is_one(client, settings, sent, is_taken):
    settings.BEHIND_PROXY = True

    answer = client.get(API + "nothing/", headers={"X-Request-ID": sent})

    assert (answer["X-Request-ID"] == sent) is is_taken
    assert_error(answer, 404, "not_found")


@pytest.mark.parametrize("body", ["{", "", "null", '{"a": 1, "a": 2}', "[" * 5000])
def test_a_broken_body_is_answered_in_json(client, body):
    answer = client.post(API, body, content_type="application/json")

    assert_error(answer, 400, answer.json()["error"])


def test_a_body_that_is_too_large_is_answered_in_json(client):
    body = json.dumps({"name": "x" * (3 << 20)})

    assert_error(client.post(API, body, content_type="application/json"), 413, "too_large")


def test_too_many_requests_are_refused_in_json(rf):
    answer = RequestIdMiddleware(errors.too_many)(rf.get(API))
    body = json.loads(answer.content)

    assert (answer.status_code, body["error"]) == (429, "too_many_requests")
    assert body["request_id"] == answer["X-Request-ID"]
