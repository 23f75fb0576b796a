"""Signing in and out, the password, and tokens."""

import pytest
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken

from projects.models import Event
from tests import cast

pytestmark = pytest.mark.signed_in("stranger")

NEW_TOKEN = {"name": "script", "scope": "read", "days": 30}


def sign_in(username: str, password: str = cast.PASSWORD, **more):
    return Client().post(reverse("account_login"), {"login": username, "password": password, **more})


def test_signing_in_leads_to_the_projects(stranger):
    assert sign_in("stella").headers["Location"] == "/"


# S18
@pytest.mark.parametrize("there", ["//evil.example/", "https://evil.example/", "javascript:alert(1)"])
def test_signing_in_never_leads_elsewhere(stranger, there):
    assert sign_in("stella", next=there).headers["Location"] == "/"


def test_signing_in_leads_to_the_page_that_was_asked_for(stranger):
    asked = Client().get("/account/")

    assert asked.headers["Location"] == "/sign-in/?next=/account/"
    assert sign_in("stella", next="/account/").headers["Location"] == "/account/"


def test_a_wrong_password_and_an_unknown_user_look_alike(stranger):
    wrong, unknown = sign_in("stella", "not this one at all"), sign_in("nobody")

    sentence = "No active account has this username or email address and this password."
    assert wrong.status_code == unknown.status_code == 400
    assert sentence in wrong.content.decode()
    assert sentence in unknown.content.decode()


def test_a_very_long_password_is_refused_before_it_is_hashed(stranger, monkeypatch):
    monkeypatch.setattr("allauth.account.adapter.authenticate", lambda *args, **more: pytest.fail("hashed"))

    assert sign_in("stella", "x" * 129).status_code == 400
    # Above the limit of a form as a whole.
    assert sign_in("stella", "x" * 4_000_000).status_code == 413


def test_an_inactive_user_is_not_signed_in(stranger):
    stranger.is_active = False
    stranger.save()

    assert sign_in("stella").headers["Location"] == "/account/inactive/"


# S10
def test_signing_out_ends_the_session(client):
    client.post(reverse("account_logout"))

    assert client.get("/").status_code == 302


def change_password(client, old: str, new: str):
    return client.post(
        reverse("account_change_password"), {"oldpassword": old, "password1": new, "password2": new}
    )


def test_change_the_password_and_stay_signed_in(client, stranger):
    response = change_password(client, cast.PASSWORD, " a spoon, a fork and ünïcode ")

    stranger.refresh_from_db()
    assert response.headers["Location"] == "/account/"
    assert stranger.check_password(" a spoon, a fork and ünïcode ")
    assert client.get("/account/").status_code == 200


def test_a_new_password_revokes_the_tokens(client, stranger, rita):
    _, words = AuthToken.objects.create(user=stranger)
    other, _ = AuthToken.objects.create(user=rita)

    change_password(client, cast.PASSWORD, "a spoon, a fork and a knife")

    assert Client(headers={"Authorization": f"Token {words}"}).get("/api/v1/projects/").status_code == 401
    assert AuthToken.objects.get() == other


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("not the old one", "a spoon, a fork and a knife"),
        (cast.PASSWORD, "short"),
        (cast.PASSWORD, "password1234"),
        (cast.PASSWORD, "x" * 129),
        (cast.PASSWORD, "1234567890123"),
    ],
)
def test_a_bad_password_changes_nothing(client, stranger, old, new):
    assert change_password(client, old, new).status_code == 400

    stranger.refresh_from_db()
    assert stranger.check_password(cast.PASSWORD)


# S10
def test_a_change_of_password_signs_out_everywhere_else(client, stranger):
    other = Client()
    other.force_login(stranger)

    change_password(client, cast.PASSWORD, "a spoon, a fork and a knife")

    assert other.get("/account/").status_code == 302


def test_a_new_token_is_shown_once_and_never_kept(client):
    response = client.post(reverse("token_create"), NEW_TOKEN)

    token = AuthToken.objects.get()
    shown = response.content.decode()
    words = shown.split('aria-label="New token">')[1].split("<")[0]
    assert words.startswith("irr_")
    assert Client(headers={"Authorization": f"Token {words}"}).get("/api/v1/projects/").status_code == 200
    assert words not in client.get(reverse("account")).content.decode()
    assert token.digest != words
    assert "no-store" in response.headers["Cache-Control"]


def test_revoke_a_token(client, stranger):
    token, words = AuthToken.objects.create(user=stranger)

    client.post(reverse("token_revoke", args=[token.token_key]))

    assert not AuthToken.objects.exists()
    assert Client(headers={"Authorization": f"Token {words}"}).get("/api/v1/projects/").status_code == 401


def test_a_token_of_another_is_not_found(client, rita):
    token, _ = AuthToken.objects.create(user=rita)

    assert client.post(reverse("token_revoke", args=[token.token_key])).status_code == 404
    assert AuthToken.objects.filter(pk=token.pk).exists()


# S10
def test_who_is_deactivated_is_out_at_once(client, stranger):
    _, words = AuthToken.objects.create(user=stranger)
    stranger.is_active = False
    stranger.save()

    assert client.get("/").status_code == 302
    assert Client(headers={"Authorization": f"Token {words}"}).get("/api/v1/projects/").status_code == 401


# S24
@pytest.mark.parametrize("cookie", ["", "x", "x" * 4000, "é"])
def test_a_broken_cookie_is_nobody(db, cookie):
    client = Client()
    client.cookies["session"] = cookie

    assert client.get("/").status_code == 302


# S9
def test_a_session_has_a_new_id_after_sign_in(stranger):
    client = Client()
    client.get(reverse("account_login"))
    client.session.create()
    before = client.session.session_key

    client.post(reverse("account_login"), {"login": "stella", "password": cast.PASSWORD})

    assert client.session.session_key != before


def told() -> list[tuple[str, str, str]]:
    return list(Event.objects.order_by("id").values_list("kind", "user_name", "about"))


def test_signing_in_and_failing_to_are_logged_once_each(stranger):
    sign_in("stella", "not this one at all")
    sign_in("stella")

    assert told() == [("sign_in_failed", "", "stella"), ("signed_in", "stella", "stella")]


def test_tokens_are_logged_by_their_first_characters(client, stranger):
    n_before = Event.objects.count()
    client.post(reverse("token_create"), NEW_TOKEN)
    key = AuthToken.objects.get().token_key
    client.post(reverse("token_revoke", args=[key]))
    client.post("/api/v1/tokens/", NEW_TOKEN, content_type="application/json")
    other = AuthToken.objects.get().token_key
    client.delete(f"/api/v1/tokens/{other}/")

    assert told()[n_before:] == [
        ("token_made", "stella", key),
        ("token_revoked", "stella", key),
        ("token_made", "stella", other),
        ("token_revoked", "stella", other),
    ]


def test_a_password_in_a_name_field_breaks_no_line(db, caplog):
    sign_in("x\nsigned_in {}")

    assert all("\n" not in record.getMessage() for record in caplog.records)
