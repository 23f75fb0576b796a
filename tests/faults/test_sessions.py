"""Sessions and tokens that must not work: of the cases S8 to S24 those that no other test has under its number."""

import logging
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from config.logs import SecretsFilter
from projects.models import Event, Round
from raters.accounts.tokens import make_token
from raters.models import Label
from tests import cast
from tests.config.access_table import SUBJECTS
from tests.config.routes import ROWS
from tests.faults.walking import masked
from tests.working import new_work

pytestmark = pytest.mark.faults
PROJECTS = "/api/v1/projects/"


def with_token(words: str) -> Client:
    return Client(headers={"Authorization": f"Token {words}"})


SIGN_IN = {"login": "stella", "password": cast.PASSWORD}


def test_s8_signing_in_without_the_token_of_the_form_is_refused(stranger):
    client = Client(enforce_csrf_checks=True)
    client.get(reverse("account_login"))

    assert client.post(reverse("account_login"), SIGN_IN).status_code == 403
    assert client.get("/").status_code == 302


def test_s8_signing_in_from_another_site_is_refused(stranger):
    client = Client(enforce_csrf_checks=True)
    page = client.get(reverse("account_login"))
    token = page.content.decode().split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]

    def sent(origin: str) -> int:
        form = SIGN_IN | {"csrfmiddlewaretoken": token}
        return client.post(reverse("account_login"), form, headers={"Origin": origin}).status_code

    assert [sent("https://evil.example"), sent("null")] == [403, 403]
    assert sent("http://testserver") == 302


def test_s8_a_session_writes_over_the_api_only_with_the_token_of_the_form(stranger):
    client = Client(enforce_csrf_checks=True)
    client.force_login(stranger)

    assert client.post(PROJECTS, {"name": "Mine"}, content_type="application/json").status_code == 403
    assert not stranger.memberships.exists()


def test_s8_no_address_that_writes_takes_a_get():
    # That such an address answers 405, tests/config/test_routes.py asks of each.
    names = {row.name for row in ROWS if row.method != "get"} - {
        row.name for row in ROWS if row.method == "get"
    }
    unasked = {
        row.name for row in ROWS if row.name in names and row.wrong_method not in {"get", "put", "delete"}
    }

    assert len(names) > 20
    assert unasked == set()


def at(monkeypatch, moment):
    monkeypatch.setattr(timezone, "now", lambda: moment)


@pytest.mark.parametrize(
    ("idle", "code"), [(timedelta(hours=11), 200), (timedelta(hours=12, seconds=1), 401)]
)
def test_s11_a_session_ends_after_twelve_idle_hours(stranger, monkeypatch, idle, code):
    client = cast.signed_in(stranger)
    began = timezone.now()

    at(monkeypatch, began + timedelta(hours=8))
    assert client.get(PROJECTS).status_code == 200
    at(monkeypatch, began + timedelta(hours=8) + idle)

    assert client.get(PROJECTS).status_code == code


def test_s11_a_session_ends_after_fourteen_days_however_busy(stranger, monkeypatch):
    client = cast.signed_in(stranger)
    began = timezone.now()
    for hours in range(8, 14 * 24, 8):
        at(monkeypatch, began + timedelta(hours=hours))
        assert client.get(PROJECTS).status_code == 200

    at(monkeypatch, began + timedelta(days=14, seconds=1))

    assert client.get(PROJECTS).status_code == 401
    assert not Session.objects.exists()


def test_s11_a_new_password_does_not_make_a_session_longer(stranger, monkeypatch):
    client = cast.signed_in(stranger)
    began = timezone.now()
    at(monkeypatch, began + timedelta(hours=8))
    new = "a spoon, a fork and a knife"
    form = {"oldpassword": cast.PASSWORD, "password1": new, "password2": new}
    assert client.post(reverse("account_change_password"), form).status_code == 302
    for hours in range(16, 14 * 24, 8):
        at(monkeypatch, began + timedelta(hours=hours))
        assert client.get(PROJECTS).status_code == 200

    at(monkeypatch, began + timedelta(days=14, seconds=1))

    assert client.get(PROJECTS).status_code == 401


@pytest.mark.parametrize("name", ["token", "access_token", "auth", "Authorization"])
def test_s12_a_token_in_the_query_is_none_and_is_never_logged(stranger, name, caplog):
    _, words = AuthToken.objects.create(user=stranger)

    with caplog.at_level(logging.DEBUG):
        answer = Client().get(f"{PROJECTS}?{name}={words}")

    assert answer.status_code == 401
    assert words[:20] not in caplog.text


def test_s12_a_token_is_cut_out_of_any_line_of_the_log(stranger):
    _, words = AuthToken.objects.create(user=stranger)
    line = logging.LogRecord("any", logging.INFO, "", 0, "GET /?token=%s from %s", (words, "::1"), None)

    SecretsFilter().filter(line)

    assert line.getMessage() == "GET /?token=irr_… from ::1"


def test_s13_a_token_one_bit_off_is_none(stranger):
    _, words = AuthToken.objects.create(user=stranger)

    # The prefix, the part by which it is found, and the rest.
    for place in (0, 6, 30, len(words) - 1):
        other = words[:place] + chr(ord(words[place]) ^ 1) + words[place + 1 :]
        assert with_token(other).get(PROJECTS).status_code == 401
    assert with_token(words).get(PROJECTS).status_code == 200


def test_s13_a_token_that_has_run_out_or_was_revoked_is_none(stranger):
    expired, old = AuthToken.objects.create(user=stranger)
    revoked, gone = AuthToken.objects.create(user=stranger)
    AuthToken.objects.filter(pk=expired.pk).update(expiry=timezone.now() - timedelta(seconds=1))
    cast.signed_in(stranger).delete(f"/api/v1/tokens/{revoked.token_key}/")

    assert [with_token(words).get(PROJECTS).status_code for words in (old, gone)] == [401, 401]


@pytest.mark.parametrize("scope", ["read", "label", "manage"])
def test_s13_a_token_may_not_make_another(stranger, scope):
    """The one thing that no token may do, whatever its scope."""
    _, words = make_token(stranger, name="script", scope=scope)
    wanted = {"name": "wider", "scope": "manage"}

    assert with_token(words).post("/api/v1/tokens/", wanted, "application/json").status_code == 403
    assert AuthToken.objects.count() == 1


def test_s21_what_a_rater_may_not_see_does_not_exist_for_them():
    """Of every page and answer that only those who see all labels may read (tests/config asks each of them)."""
    rater, auditor, lead = (SUBJECTS.index(name) for name in ("rater", "auditor", "lead"))
    hidden = [
        row for row in ROWS if row.method == "get" and row.answers[auditor] == 200 != row.answers[rater]
    ]

    assert len(hidden) > 15
    assert {row.answers[rater] for row in hidden if row.answers[lead] == 200} == {404}
    assert {row.name for row in ROWS if "report" in row.name or "pair" in row.name} <= {
        row.name for row in ROWS if row.answers[rater] == 404
    }


@pytest.mark.parametrize("state", ["draft", "open"])
def test_s23_a_round_that_is_not_closed_is_revealed_to_nobody(db, state):
    work = new_work()
    Round.objects.filter(pk=work.round.pk).update(state=state)
    lead = cast.signed_in(cast.member(work.project, "lead", username="lena"))
    rater = cast.signed_in(work.user())
    address = f"/p/{work.project.slug}/rounds/{work.round.pk}/reveal/"

    refused = lead.post(address, follow=True)

    over_api = lead.post(f"/api/v1/projects/{work.project.slug}/rounds/{work.round.pk}/reveal/")

    assert "Close the round first" in refused.content.decode()
    assert (over_api.status_code, over_api.json()["error"]) == (403, "not_closed")
    assert "Close the round first" in over_api.json()["detail"]
    told = Event.objects.filter(kind=Event.Kind.REVEAL_REFUSED).values_list("user_name", "about", "detail")
    assert list(told) == [("lena", "round 1", {"state": state})] * 2
    by_rater = rater.post(address)
    assert by_rater.status_code == 403
    assert "Your role in this project does not allow you to change the project" in by_rater.content.decode()
    work.round.refresh_from_db()
    assert work.round.revealed_at is None
    assert not Event.objects.filter(kind=Event.Kind.ROUND_REVEALED).exists()
    addresses = [f"/p/{work.project.slug}/{name}/" for name in ("items", "nothing")]
    hidden, nothing = (rater.get(address) for address in addresses)
    assert hidden.status_code == nothing.status_code == 404
    assert masked(hidden.content.decode()).replace(*addresses) == masked(nothing.content.decode())


def test_s23_raters_of_an_item_see_why_it_is_hidden_and_that_is_logged(db):
    work = new_work()
    user = work.user()
    user.memberships.update(role="lead")
    address = f"/p/{work.project.slug}/items/{work.items[0].pk}/"

    refused = cast.signed_in(user).get(address)

    assert refused.status_code == 403
    assert "assignments in round 1" in refused.content.decode()
    told = Event.objects.get(kind=Event.Kind.LOOK_REFUSED)
    assert (told.user_name, told.about, told.detail) == (user.username, "item-1", {"rounds": ["round 1"]})


def test_s23_revealing_is_logged_once(db):
    work = new_work()
    Round.objects.filter(pk=work.round.pk).update(state="closed")
    lead = cast.signed_in(cast.member(work.project, "lead", username="lena"))

    for _ in range(2):
        lead.post(f"/p/{work.project.slug}/rounds/{work.round.pk}/reveal/")

    told = Event.objects.filter(kind=Event.Kind.ROUND_REVEALED).values_list("user_name", "about")
    assert list(told) == [("lena", "round 1")]


COOKIES = {
    "cut": lambda key: key[:10],
    "oversized": lambda key: key * 120,
    "empty": lambda key: "",
    "of a deleted session": lambda key: "a" * 32,
    "NUL": lambda key: "\\000" + key,
}


@pytest.mark.parametrize("how", COOKIES)
def test_s24_a_spoilt_cookie_is_nobody(stranger, how):
    key = cast.signed_in(stranger).cookies["session"].value

    answer = Client().get(PROJECTS, headers={"Cookie": f"session={COOKIES[how](key)}"})

    assert answer.status_code == 401


def test_s24_of_two_cookies_one_counts(stranger):
    key = cast.signed_in(stranger).cookies["session"].value

    codes = [
        Client().get(PROJECTS, headers={"Cookie": f"session={first}; session={last}"}).status_code
        for first, last in [(key, "x"), ("x", key), ("x", "y")]
    ]

    assert codes == [401, 200, 401]


def test_s10_after_each_end_of_a_session_the_api_answers_401(stranger):
    ends = {
        "signing out": lambda client: client.post(reverse("account_logout")),
        "the session being deleted": lambda client: Session.objects.all().delete(),
        "deactivation": lambda client: type(stranger).objects.update(is_active=False),
    }
    codes = {}
    for name, end in ends.items():
        client = cast.signed_in(stranger)
        assert client.get(PROJECTS).status_code == 200
        end(client)
        codes[name] = client.get(PROJECTS).status_code

    assert set(codes.values()) == {401}


def test_a25_a_category_that_was_merged_meanwhile_is_refused_and_nothing_is_saved(db):
    from raters.merging.actions import merge_category

    work = new_work()
    lead = cast.member(work.project, "lead", username="lena")
    good, fair, _ = work.question.categories.all()
    merge_category(good, fair, by=lead, source="page")

    answer = cast.signed_in(work.user()).put(
        f"/api/v1/projects/{work.project.slug}/assignments/{work.assignment().pk}/answers/",
        {"answers": [{"question": "tone", "category": "good"}], "revisions": []},
        content_type="application/json",
        headers={"Idempotency-Key": "b7a1c5de-5a4e-4a53-9f3e-6d2f1c0b9a87"},
    )

    assert (answer.status_code, answer.json()["error"]) == (400, "unknown_category")
    assert not Label.objects.exists()
