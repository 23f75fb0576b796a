"""What a token may do: its scope, asked of every route, its expiry, and when it was last used."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver, reverse
from django.utils import timezone
from knox.models import AuthToken

from projects.models import Event
from raters.accounts.tokens import make_token
from raters.models import TokenGrant
from tests.config.access_table import SUBJECTS, routes
from tests.config.routes import ROWS
from tests.sizes import FULL, some

PROJECTS = "/api/v1/projects/"
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
SCOPES = ["read", "label", "manage"]
ADDRESSES = dict(routes(get_resolver().url_patterns))
API = sorted({name for name in ADDRESSES if name.startswith("api_")} - {"api_help"})
# A rater reads the files of their own items only, of which the table of routes has none.
FILES = ("api_media_file", "GET")
# One's tokens are no labels, though a rater may list them on the account page.
TOKENS = ("api_tokens", "GET")
LABELING = {
    ("api_next_assignment", "POST"),
    ("api_answers", "PUT"),
    ("api_skip", "POST"),
    ("api_undo", "POST"),
    ("api_own_pause", "DELETE"),
    ("api_own_thread", "POST"),
    ("api_own_thread", "DELETE"),
}


def what_a_rater_reads() -> set[tuple[str, str]]:
    place = SUBJECTS.index("rater")
    found = {
        (row.name, "GET") for row in ROWS if row.is_api and row.method == "get" and row.answers[place] == 200
    }
    return found - {TOKENS} | {FILES}


def expected(name: str, method: str) -> set[str]:
    """The scopes that get past the token, from what the table of routes says of a rater."""
    read = "GET" if method == "HEAD" else method
    scopes = {"manage"}
    if read == "GET":
        scopes.add("read")
    if (name, read) in what_a_rater_reads() | LABELING:
        scopes.add("label")
    return scopes


def some_address(name: str) -> str:
    """The address with ids of nothing: who gets past the token learns 404, 405 or the like."""
    by_type = {"slug": "none", "id": "1", "key": "none", "str": "none", "uuid": str(UUID(int=1))}
    parts = []
    for part in ADDRESSES[name].split("<"):
        kind, _, rest = part.partition(">")
        parts.append(part if ":" not in kind else by_type[kind.split(":")[0]] + rest)
    return "".join(parts)


def some_methods(name: str) -> list[str]:
    """In `make test` each route is asked to read, to write, and in one more way; the next route in another."""
    others = [method for method in METHODS if method not in {"GET", "POST"}]
    return ["GET", "POST", others[API.index(name) % len(others)]]


def with_token(words: str) -> Client:
    return Client(headers={"Authorization": f"Token {words}"}, raise_request_exception=False)


@pytest.fixture
def words(stranger):
    return {scope: make_token(stranger, name=scope, scope=scope)[1] for scope in SCOPES}


def test_the_routes_are_there():
    assert len(API) > 60
    assert {name for name, _ in LABELING | what_a_rater_reads()} <= set(API)


@pytest.mark.parametrize("name", some(API, every=3))
def test_each_scope_opens_what_it_says_and_nothing_else(words, name):
    address = some_address(name)
    methods = METHODS if FULL else some_methods(name)
    passed: dict[str, set[str]] = {method: set() for method in methods}
    for method in methods:
        for scope in SCOPES:
            answer = with_token(words[scope]).generic(method, address, "{}", content_type="application/json")
            is_refused = answer.status_code == 403 and "has the scope" in answer.content.decode()
            # A refusal of HEAD has no body to tell by.
            if not is_refused and not (method == "HEAD" and answer.status_code == 403):
                passed[method].add(scope)

    assert passed == {method: expected(name, method) for method in methods}


def test_no_view_of_the_api_takes_tokens_by_another_way():
    """The scope is asked for where a token is recognized; a view with authenticators of its own would go round it."""
    from rest_framework.settings import api_settings

    for pattern in ADDRESSES:
        if pattern in API:
            view = get_resolver().resolve(some_address(pattern)).func.cls
            assert view.authentication_classes == api_settings.DEFAULT_AUTHENTICATION_CLASSES, pattern


def test_a_refusal_names_the_scope_and_the_one_that_is_needed(words):
    answer = with_token(words["read"]).post(PROJECTS, {"name": "Mine"}, "application/json")

    assert (answer.status_code, answer.json()["error"]) == (403, "insufficient_scope")
    assert answer.json()["detail"] == "This token has the scope “read”, but this request requires “manage”."
    assert set(answer.json()) == {"error", "detail", "errors", "request_id"}


def test_a_token_to_label_with_is_enough_to_label(work):
    _, words = make_token(work.user(), name="phone", scope="label")
    client = with_token(words)
    slug = work.project.slug

    given = client.post(f"{PROJECTS}{slug}/assignments/next/", {}, "application/json").json()["assignment"]
    saved = client.put(
        f"{PROJECTS}{slug}/assignments/{given['id']}/answers/",
        {"answers": [{"question": "tone", "category": "good"}], "revisions": []},
        content_type="application/json",
        headers={"Idempotency-Key": "b7a1c5de-5a4e-4a53-9f3e-6d2f1c0b9a87"},
    )

    assert saved.status_code == 200
    assert client.get(f"{PROJECTS}{slug}/raters/").status_code == 403


def test_a_token_from_before_there_were_scopes_does_everything(stranger):
    token, words = AuthToken.objects.create(user=stranger)

    assert (
        with_token(words).post(PROJECTS, {"name": "Mine", "slug": "mine"}, "application/json").status_code
        == 201
    )
    assert TokenGrant.objects.get(token=token).scope == "manage"


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_token_is_made_over_the_api_with_name_scope_and_expiry(stranger):
    made = client_of(stranger).post(
        "/api/v1/tokens/", {"name": "export", "scope": "label", "days": 365}, "application/json"
    )

    (listed,) = client_of(stranger).get("/api/v1/tokens/").json()
    assert made.status_code == 201
    assert (listed["name"], listed["scope"], listed["last_used_at"]) == ("export", "label", None)
    assert made.json() == {**listed, "token": made.json()["token"]}
    days = AuthToken.objects.get().expiry - timezone.now()
    assert timedelta(days=364) < days < timedelta(days=365)
    told = Event.objects.get(kind=Event.Kind.TOKEN_MADE)
    assert told.detail == {"name": "export", "scope": "label", "days": 365}


def test_a_token_expires_after_ninety_days_unless_chosen(stranger):
    client_of(stranger).post("/api/v1/tokens/", {"name": "export", "scope": "read"}, "application/json")

    assert timedelta(days=89) < AuthToken.objects.get().expiry - timezone.now() < timedelta(days=90)


BAD = [
    {},
    {"name": "x"},
    {"scope": "read"},
    {"name": "", "scope": "read"},
    {"name": "x" * 81, "scope": "read"},
    {"name": "x", "scope": "everything"},
    {"name": "x", "scope": "read", "days": 31},
    {"name": "x", "scope": "read", "days": 10**6},
]


@pytest.mark.parametrize("days", ["30", 30.0, True, None, [30]])
def test_days_that_are_no_whole_number_are_refused(stranger, days):
    wanted = {"name": "x", "scope": "read", "days": days}

    assert client_of(stranger).post("/api/v1/tokens/", wanted, "application/json").status_code == 400


@pytest.mark.parametrize("wanted", BAD)
def test_a_token_of_another_kind_is_not_made(stranger, wanted):
    client = client_of(stranger)

    assert client.post("/api/v1/tokens/", wanted, "application/json").status_code == 400
    assert client.post(reverse("token_create"), {"days": 90} | wanted).status_code == 400
    assert not AuthToken.objects.exists()


def test_the_account_page_shows_what_each_token_is(stranger):
    client = client_of(stranger)
    client.post(reverse("token_create"), {"name": "nightly <export>", "scope": "read", "days": "30"})
    AuthToken.objects.create(user=stranger)

    shown = client.get(reverse("account")).content.decode()

    assert "nightly &lt;export&gt;" in shown
    assert "Unnamed token" in shown
    assert shown.count("Not used yet") == 2


def test_the_last_use_is_written_once_an_hour(stranger, monkeypatch):
    token, words = make_token(stranger, name="script", scope="read")
    client, began = with_token(words), timezone.now()
    client.get(PROJECTS)

    with CaptureQueriesContext(connection) as queries:
        client.get(PROJECTS)
    assert [query["sql"] for query in queries if not query["sql"].startswith("SELECT")] == []

    first = TokenGrant.objects.get(token=token).last_used_at
    assert first >= began
    monkeypatch.setattr(timezone, "now", lambda: first + timedelta(hours=1))
    client.get(PROJECTS)
    assert TokenGrant.objects.get(token=token).last_used_at == first + timedelta(hours=1)


def test_a_refused_use_is_noted_too(words, stranger):
    with_token(words["read"]).delete(f"{PROJECTS}x/media/1/")

    assert TokenGrant.objects.get(scope="read").last_used_at is not None


def test_without_a_token_the_answer_says_how_to_send_one(db):
    answer = Client().get("/api/v1/projects/", headers={"Authorization": "Bearer 1234"})

    assert answer.status_code == 401
    assert "Authorization: Token" in answer.json()["detail"]


def test_a_scope_that_there_is_not_is_answered_with_those_that_there_are(stranger):
    wanted = {"name": "x", "scope": "all", "days": 30}

    answer = client_of(stranger).post("/api/v1/tokens/", wanted, "application/json")

    assert answer.status_code == 400
    assert all(scope in answer.content.decode() for scope in ("all", "read", "label", "manage"))


def test_an_expired_token_is_none_whatever_its_scope(words):
    AuthToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))

    assert {with_token(each).get(PROJECTS).status_code for each in words.values()} == {401}


def test_a_revoked_token_leaves_nothing(words, stranger):
    for token in AuthToken.objects.all():
        client_of(stranger).post(reverse("token_revoke", args=[token.token_key]))

    assert not TokenGrant.objects.exists()
    assert {with_token(each).get(PROJECTS).status_code for each in words.values()} == {401}


@pytest.mark.parametrize("days", [1, 7, 180])
def test_a_token_expires_at_the_chosen_time(stranger, days):
    made = client_of(stranger).post(
        "/api/v1/tokens/", {"name": "export", "scope": "read", "days": days}, "application/json"
    )

    assert made.status_code == 201
    left = AuthToken.objects.get().expiry - timezone.now()
    assert timedelta(days=days - 1) < left < timedelta(days=days)


@pytest.mark.parametrize("may_last", [False, True])
def test_a_token_lasts_for_ever_only_if_the_operator_allows_it(stranger, settings, may_last):
    settings.TOKENS_MAY_LAST = may_last
    client = client_of(stranger)

    made = client.post("/api/v1/tokens/", {"name": "x", "scope": "read", "days": None}, "application/json")
    page = client.post("/account/tokens/", {"name": "y", "scope": "read", "days": "never"})

    assert (made.status_code, page.status_code) == ((201, 200) if may_last else (400, 400))
    assert list(AuthToken.objects.values_list("expiry", flat=True)) == [None, None] * may_last
    assert ("Never expires" in client.get("/account/").content.decode()) == may_last
    if may_last:
        assert [token["expiry"] for token in client.get("/api/v1/tokens/").json()] == [None, None]
        bearer = {"Authorization": f"Token {made.json()['token']}"}
        assert Client().get(PROJECTS, headers=bearer).status_code == 200
        key = made.json()["token_key"]
        assert client.delete(f"/api/v1/tokens/{key}/").status_code == 204
        assert Client().get(PROJECTS, headers=bearer).status_code == 401
