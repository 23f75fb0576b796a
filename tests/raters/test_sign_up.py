"""Making an account: by whom, under what name, and with what password."""

import pytest
from django.contrib.auth.hashers import identify_hasher, make_password
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken

from projects.members import invitations
from projects.models import Event
from raters.models import User
from tests import cast
from tests.raters.signing import PASSWORD, came_with_invitation, sign_in, sign_up


def test_where_it_is_open_anyone_makes_an_account(is_open):
    client = Client()

    assert sign_up(client).headers["Location"] == "/"

    nina = User.objects.get(username="nina")
    assert nina.check_password(PASSWORD)
    assert client.get("/account/").status_code == 200
    assert not nina.is_superuser
    assert not nina.memberships.exists()


def test_passwords_are_kept_as_argon2(is_open, settings):
    settings.PASSWORD_HASHERS = [name for name in settings.PASSWORD_HASHERS if not name.startswith("tests.")]

    sign_up()

    assert identify_hasher(User.objects.get(username="nina").password).algorithm == "argon2"


@pytest.mark.parametrize(
    ("setting", "words"),
    [("invitation", "You need an invitation"), ("closed", "Sign-up is closed")],
)
def test_without_an_invitation_nobody_makes_one(db, settings, setting, words):
    settings.SIGN_UP = setting

    shown = sign_up()

    assert words in shown.content.decode()
    assert not User.objects.exists()


def test_with_an_invitation_one_makes_an_account_and_goes_on_to_join(project, lead):
    client = came_with_invitation(project, lead)

    assert sign_up(client).headers["Location"] == "/join/"
    client.post("/join/")

    assert project.memberships.get(user__username="nina").role == "rater"


def test_where_it_is_closed_an_invitation_makes_no_account(project, lead, settings):
    settings.SIGN_UP = "closed"

    sign_up(came_with_invitation(project, lead))

    assert not User.objects.filter(username="nina").exists()


def test_a_withdrawn_invitation_makes_no_account(project, lead):
    client = came_with_invitation(project, lead)
    invitations.revoke(project.invitations.get(), by=lead)

    sign_up(client)

    assert not User.objects.filter(username="nina").exists()


# S20
@pytest.mark.parametrize(
    "name",
    [
        "",
        "x",
        "nina@example.org",
        "ni\0na",
        "<b>nina</b>",
        "nіna",
        "\u202enina",
        "n" * 151,
        "n" * 1000,
        "-nina",
    ],
)
def test_a_name_that_could_deceive_is_refused(is_open, name):
    assert sign_up(name=name).status_code == 400
    assert not User.objects.exists()


@pytest.mark.parametrize("name", ["stella", "STELLA"])
def test_a_name_is_taken_once(is_open, stranger, name):
    shown = sign_up(name=name)

    assert shown.status_code == 400
    assert "This username is already taken." in shown.content.decode()


@pytest.mark.parametrize(
    "password", ["short", "password1234", "1234567890123", "nina-nina-nina", "x" * 129, "x" * 4_000_000]
)
def test_a_weak_or_endless_password_is_refused(is_open, password):
    assert sign_up(name="nina-nina-nina", password=password).status_code in {400, 413}
    assert not User.objects.exists()


@pytest.mark.parametrize("n", [64, 128])
def test_a_long_password_is_kept_as_it_is(is_open, n):
    password = "é b" * 50

    sign_up(password=password[:n])

    assert User.objects.get().check_password(password[:n])


@pytest.mark.parametrize("what", ["is_superuser", "is_staff", "id", "user_permissions"])
def test_nobody_makes_themselves_more(is_open, what):
    form = {"username": "nina", "password1": PASSWORD, "password2": PASSWORD, what: "1"}

    Client().post(reverse("account_signup"), form)

    nina = User.objects.get()
    assert (nina.is_superuser, nina.is_staff) == (False, False)


def test_a_form_from_elsewhere_is_refused(is_open):
    strict = Client(enforce_csrf_checks=True)

    assert sign_up(strict).status_code == 403
    assert strict.post(reverse("account_login"), {"login": "x", "password": "y"}).status_code == 403
    assert not User.objects.exists()


def test_rehashing_at_sign_in_is_no_new_password(stranger):
    User.objects.filter(pk=stranger.pk).update(password=make_password(cast.PASSWORD, hasher="argon2"))
    AuthToken.objects.create(user=stranger)

    sign_in("stella", cast.PASSWORD)

    stranger.refresh_from_db()
    assert not stranger.password.startswith("argon2")
    assert AuthToken.objects.count() == 1
    assert not Event.objects.filter(kind="password_changed").exists()


# S18
@pytest.mark.parametrize("there", ["//evil.example/", "https://evil.example/", "javascript:alert(1)"])
def test_signing_up_never_leads_elsewhere(is_open, there):
    form = {"username": "nina", "password1": PASSWORD, "password2": PASSWORD, "next": there}

    assert Client().post(reverse("account_signup"), form).headers["Location"] == "/"


def test_the_sign_in_page_says_how_to_come_by_an_account(db, settings):
    pages = {}
    for setting in ["open", "invitation", "closed"]:
        settings.SIGN_UP = setting
        pages[setting] = Client().get("/sign-in/").content.decode()

    assert "Create one" in pages["open"]
    assert "for an invitation link" in pages["invitation"]
    assert "No account yet? Ask the server administrator." in pages["closed"]
