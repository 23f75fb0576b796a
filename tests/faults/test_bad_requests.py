"""Requests that no browser makes, on every route: characters, headers, methods and sizes; none may fail the server.

The numbers are those of the bad inputs that the program promises to refuse.
"""

import time
from copy import deepcopy
from http.cookies import SimpleCookie

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client
from django.urls import resolve, reverse

from tests.config.routes import ROWS
from tests.config.routes.row import Row
from tests.finished import World, new_world
from tests.live import use_database
from tests.sizes import FULL, some

API = "/api/v1/projects/"


@pytest.fixture(scope="module")
def made_before(live_database, django_db_blocker) -> World:
    with django_db_blocker.unblock(), use_database(live_database):
        return new_world("bad requests", n_items=4, n_raters=3)


@pytest.fixture
def open_world(made_before, committed_db) -> World:
    return made_before


@pytest.fixture(scope="module")
def signed_in(made_before, live_database, django_db_blocker) -> SimpleCookie:
    with django_db_blocker.unblock(), use_database(live_database):
        client = Client()
        client.force_login(made_before.lead)
    return client.cookies


@pytest.fixture
def caller(open_world, signed_in) -> Client:
    client = Client(raise_request_exception=False)
    client.cookies = deepcopy(signed_in)
    return client


class Undone(Exception):
    pass


def answered(client: Client, row: Row, world: World, **more):
    """The answer to one row of the table of routes; what it wrote is taken back."""
    try:
        with transaction.atomic():
            address = reverse(row.name, args=row.args(world))
            query = more.pop("query", row.query)
            data = more.pop("data", row.data)
            if row.is_api or row.method in {"get", "head"}:
                content = {} if row.method == "get" else {"data": data, "content_type": "application/json"}
                answer = getattr(client, row.method)(f"{address}{query}", **content, **more)
            else:
                answer = getattr(client, row.method)(f"{address}{query}", data, **more)
            list(answer.streaming_content) if answer.streaming else None
            raise Undone
    except Undone:
        return answer


FORMS = [row for row in ROWS if row.method == "post" and not row.is_api]
TEXTS = ["\0", "a\0b", "\ud7ff\uffff", "9" * 400, "-1", "1e999"]
# In `make test` each form takes one of the texts, each another one.
FILLED = [
    (row, text)
    for place, row in enumerate(FORMS)
    for text in (TEXTS if FULL else TEXTS[place % len(TEXTS) :][:1])
]


@pytest.mark.parametrize(
    ("row", "text"),
    some(FILLED, every=3),
    ids=lambda value: f"{value!a:.40}" if isinstance(value, str) else str(value),
)
def test_a_form_of_such_characters_is_no_failure(caller, open_world, row, text):
    # Also the fields that a page knows and this row does not send.
    names = {
        *row.data,
        "key",
        "name",
        "what",
        "seen",
        "to",
        "id",
        "username",
        "user",
        "note",
        "revision",
        "q",
    }
    names |= {"days", "role", "number", "weights", "reference", "category", "question", "address", "email"}

    answer = answered(caller, row, open_world, data=dict.fromkeys(names, text))

    assert answer.status_code < 500


# In `make test` of each address one word, and each parameter is tried with the others alone.
READ = [row for row in ROWS if row.method == "get" and row.name != "api_schema"]
WORDS = ["9" * 190, "-1", "1e999", "\u202e\ufdd0", "(a%2B)%2B$", "٣", "a:b:c", "0"]
PAGE_PARAMETERS = (
    "page q sort by first second rater question round windows coefficient saved part at in_place"
)


@pytest.mark.parametrize("row", some(READ, every=3), ids=str)
def test_strange_words_in_every_parameter_are_no_failure(caller, open_world, row):
    view = resolve(reverse(row.name, args=row.args(open_world))).func
    known = getattr(view, "view_class", None)
    names = list(known.parameters.get("get", ())) if row.is_api and known else PAGE_PARAMETERS.split()
    place = READ.index(row) % len(WORDS)
    for word in WORDS if FULL else [WORDS[place]]:
        together = "&".join(f"{name}={word}" for name in names)
        alone = [f"{name}={word}" for name in names] if row.is_api and FULL else []
        for query in [together, *alone]:
            assert answered(caller, row, open_world, query=f"?{query}").status_code < 500, query


HEADERS = {
    "Authorization": ["Token", "Token ", "Token a b", "Basic x", "token irr_", "Token " + "x" * 5000],
    "Idempotency-Key": ["", "x", "\xff", "9" * 5000, "{" + "0" * 32 + "}"],
    "Accept": ["", "*/*;q=x", "application/xml", "\xff", "text/html;charset=\xff", "a" * 5000],
    "Content-Type": ["", "\xff", "application/json; charset=\xff", "multipart/form-data", "a/b;" * 50],
    "Range": ["bytes=-", "bytes=9999999999999999999-", "bytes=1-0,2-3", "\xff"],
    "If-None-Match": ["\xff", "*", '"' * 100],
    "If-Modified-Since": ["yesterday", "\xff", "Thu, 01 Jan 99999 00:00:00 GMT"],
    "Content-Length": ["-1", "x", ""],
    "X-CSRFToken": ["\xff", "\0", ""],
    "X-Forwarded-For": ["\xff", "x" * 5000, "::1, %00"],
    "X-Forwarded-Proto": ["\xff", "https"],
    "Accept-Language": ["\xff", "x" * 5000],
    "User-Agent": ["\xff\0", ""],
    "Referer": ["\xff", "http://[", "javascript:alert(1)"],
    "Origin": ["null", "http://[", "\xff"],
    "Sec-Fetch-Site": ["\xff"],
    "Cookie": ["\xff", "session", "session=; session=a", "=", ";" * 100, 'session="\\000"', "messages=x"],
}


@pytest.mark.parametrize("header", some(HEADERS, every=3))
def test_strange_headers_are_no_failure(caller, open_world, header):
    media = f"{API}{open_world.project.slug}/media/"
    addresses = ("/", API, f"/p/{open_world.project.slug}/", media, reverse("account_login"))
    for place, value in enumerate(HEADERS[header]):
        # In `make test` each value goes to a page and to the API, the next one to others.
        for address in addresses if FULL else (addresses[place % 5], addresses[(place + 3) % 5]):
            assert caller.get(address, headers={header: value}).status_code < 500
            answer = caller.generic("POST", address, b"{}", headers={header: value})
            assert answer.status_code < 500, (header, value, address)


@pytest.mark.parametrize("address", ["/", API, "/api/v1/projects/nothing/", "/healthz", "/nothing"])
@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND", "OPTIONS", "QUERY", "GETT"])
def test_a17_other_methods_are_refused_and_never_echoed(caller, address, method):
    answer = caller.generic(method, address, headers={"X-Secret": "canary"})

    assert answer.status_code in {404, 405, 403}
    assert b"canary" not in answer.content
    if answer.status_code == 405:
        assert answer["Allow"]
        assert "TRACE" not in answer["Allow"]


@pytest.mark.parametrize("address", ["/p/{}/items/", "/p/{}/imports/", "/api/v1/projects/{}/items/"])
def test_a31_a_search_is_literal_and_quick(caller, open_world, address):
    address = address.format(open_world.project.slug)
    began = time.process_time()

    answers = [caller.get(address, {"q": text}) for text in ("(a+)+$", "%_\\", "'\";--", "x" * 10_000)]

    assert all(answer.status_code < 500 for answer in answers)
    assert time.process_time() - began < 4


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:80@evil", "[::1", "a" * 300, "\xff", ""])
def test_a36_other_hosts_are_refused(caller, host):
    for address in ("/", API, reverse("account_reset_password")):
        answer = caller.get(address, headers={"Host": host})

        assert answer.status_code == 400
        assert b"evil" not in answer.content


def test_a37_what_a_caller_says_of_itself_is_ignored(caller, open_world):
    forged = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "X-Forwarded-For": "6.6.6.6"}

    page = caller.get(reverse("api_help"), headers=forged)

    assert b"evil.example" not in page.content
    assert not page.wsgi_request.is_secure()
    assert page.wsgi_request.get_host() == "testserver"


@pytest.mark.parametrize("origin", ["null", "https://evil.example", "http://testserver.evil.example"])
def test_a38_no_other_site_may_read(caller, origin):
    for method in ("GET", "OPTIONS", "POST"):
        answer = caller.generic(method, API, headers={"Origin": origin})

        assert not [name for name in answer.headers if name.lower().startswith("access-control-")]


def test_a40_a_form_of_too_many_fields_is_refused(caller, open_world):
    n = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1

    form = caller.post(reverse("account_login"), {f"f{number}": "" for number in range(n)})
    parts = caller.post(f"{API}{open_world.project.slug}/imports/", {f"f{number}": "" for number in range(n)})

    assert form.status_code == 400
    assert parts.status_code == 400
    assert parts["Content-Type"] == "application/json"


def test_s5_a_password_of_megabytes_is_refused_before_it_is_hashed(open_world, monkeypatch):
    monkeypatch.setattr("django.contrib.auth.hashers.check_password", lambda *_: pytest.fail("it was hashed"))
    sent = {"login": open_world.lead.username, "password": "x" * (4 << 20)}

    answer = Client(raise_request_exception=False).post(
        reverse("account_login"), sent, content_type="application/x-www-form-urlencoded"
    )

    assert answer.status_code in {400, 413}


@pytest.mark.parametrize(
    "place",
    ["//evil.example", "javascript:alert(1)", "https:evil", "/\\evil", "http:///evil.example", "\t//evil"],
)
def test_s18_nobody_is_led_elsewhere(caller, open_world, place):
    answer = caller.get(reverse("account_login"), {"next": place})

    assert answer.status_code in {302, 400}
    assert answer.get("Location", "/").startswith("/")
    assert not answer.get("Location", "/").startswith(("//", "/\\"))
