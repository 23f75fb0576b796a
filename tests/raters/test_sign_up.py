"""Making an account, proving an address, and setting a forgotten password."""

import re

import pytest
from django.contrib.auth.hashers import identify_hasher, make_password
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken

from projects.members import invitations
from projects.models import Event
from raters.models import User
from tests import cast

PASSWORD = " a spoon, a fork and ünïcode "


@pytest.fixture
def is_open(db, settings):
    settings.SIGN_UP = "open"


@pytest.fixture
def has_mail(settings):
    """As the settings stand with EMAIL_URL."""
    settings.HAS_MAIL = True
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]


def sign_up(client: Client | None = None, *, name: str = "nina", password: str = PASSWORD, email: str = ""):
    form = {"username": name, "email": email, "password1": password, "password2": password}
    return (client or Client()).post(reverse("account_signup"), form)


def sign_in(login: str, password: str = PASSWORD):
    client = Client()
    return client, client.post(reverse("account_login"), {"login": login, "password": password})


def link_in_mail() -> str:
    return re.search(r"http://testserver(/\S+)", mail.outbox[-1].body).group(1)


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


def came_with_invitation(project, lead, **more) -> Client:
    _, token = invitations.invite(project, by=lead, role="rater", **more)
    client = Client()
    client.get(reverse("join_by", args=[token]))
    return client


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


def test_an_address_is_proved_by_a_mail_before_one_comes_in(is_open, has_mail):
    client = Client()

    assert sign_up(client, email="nina@example.org").headers["Location"] == "/account/confirm/"
    assert client.get("/account/").status_code == 302
    assert sign_in("nina")[1].headers["Location"] == "/account/confirm/"

    link = link_in_mail()
    assert "nina@example.org" in client.get(link).content.decode()
    # Opening the link alone proves nothing: programs that look for viruses open links, too.
    assert not User.objects.get().emailaddress_set.get().verified
    client.post(link)
    assert User.objects.get().emailaddress_set.get().verified

    for login in ["nina", "nina@example.org", "NINA@example.org"]:
        assert sign_in(login)[1].headers["Location"] == "/"


def test_where_there_is_mail_an_address_is_needed(is_open, has_mail):
    assert sign_up().status_code == 400


def test_a_taken_address_is_not_told_but_its_owner_is(is_open, has_mail, stranger):
    User.objects.filter(pk=stranger.pk).update(email="stella@example.org")
    stranger.emailaddress_set.create(email="stella@example.org", verified=True, primary=True)

    new, taken = sign_up(email="nina@example.org"), sign_up(name="other", email="stella@example.org")

    assert (new.status_code, new.headers["Location"]) == (taken.status_code, taken.headers["Location"])
    assert mail.outbox[-1].to == ["stella@example.org"]
    assert "you already have one" in mail.outbox[-1].body
    assert not User.objects.filter(username="other").exists()


def test_an_invitation_by_mail_proves_the_address(project, lead, has_mail):
    client = came_with_invitation(project, lead, email="nina@example.org")
    assert 'value="nina@example.org"' in client.get(reverse("account_signup")).content.decode()

    assert sign_up(client, email="nina@example.org").headers["Location"] == "/join/"
    client.post("/join/")

    assert project.memberships.filter(user__username="nina").exists()
    assert mail.outbox == []


def test_another_address_than_the_invited_has_to_be_proved(project, lead, has_mail):
    client = came_with_invitation(project, lead, email="nina@example.org")

    assert sign_up(client, email="other@example.org").headers["Location"] == "/account/confirm/"


def test_an_owner_needs_no_address(db, has_mail, monkeypatch, capsys):
    monkeypatch.setenv("OWNER_NAME", "olga")
    monkeypatch.setenv("OWNER_PASSWORD", PASSWORD)
    from config.management.commands.prepare import make_owner

    make_owner(demo=False)

    assert sign_in("olga")[1].headers["Location"] == "/"


def test_an_owner_with_an_unproved_address_comes_in_too(db, has_mail):
    User.objects.create_superuser("olga", email="olga@example.org", password=PASSWORD)

    assert sign_in("olga")[1].headers["Location"] == "/"


def test_who_has_no_address_is_not_asked_for_one(has_mail, stranger):
    assert sign_in("stella", cast.PASSWORD)[1].headers["Location"] == "/"


def test_a_mail_server_that_fails_fails_no_page(is_open, has_mail, monkeypatch, caplog):
    monkeypatch.setattr("django.core.mail.message.EmailMessage.send", broken)

    assert sign_up(email="nina@example.org").headers["Location"] == "/account/confirm/"
    assert "could not be sent" in caplog.text


def broken(*args, **more):
    raise ConnectionRefusedError


@pytest.fixture
def stella(stranger, has_mail) -> User:
    """With an address that is proved."""
    User.objects.filter(pk=stranger.pk).update(email="stella@example.org")
    stranger.emailaddress_set.create(email="stella@example.org", verified=True, primary=True)
    return stranger


def ask_for_a_link(address: str):
    return Client().post(reverse("account_reset_password"), {"email": address})


def set_password(link: str, password: str = PASSWORD):
    client = Client()
    shown = client.get(link)
    if shown.status_code == 302:
        return client.post(shown.headers["Location"], {"password1": password, "password2": password})
    return shown


def test_a_forgotten_password_is_set_by_a_link(stella):
    _, words = AuthToken.objects.create(user=stella)
    elsewhere = Client()
    elsewhere.force_login(stella)
    ask_for_a_link("stella@example.org")

    answer = set_password(link_in_mail())

    assert answer.headers["Location"] == "/account/reset/done/"
    assert sign_in("stella")[1].status_code == 302
    assert elsewhere.get("/account/").status_code == 302
    assert Client(headers={"Authorization": f"Token {words}"}).get("/api/v1/projects/").status_code == 401
    assert Event.objects.filter(kind="password_changed", about="stella").count() == 1


# S16
def test_a_link_for_a_password_works_once(stella):
    ask_for_a_link("stella@example.org")
    link = link_in_mail()
    set_password(link)

    again = set_password(link, "another sentence of hers")

    assert "has expired or has already been used" in again.content.decode()
    assert sign_in("stella")[1].status_code == 302


# S16
def test_a_link_for_a_password_ends_with_a_change_of_address(stella):
    ask_for_a_link("stella@example.org")
    stella.emailaddress_set.create(email="new@example.org", verified=True)

    assert "has expired or has already been used" in set_password(link_in_mail()).content.decode()


# S16
def test_a_link_for_a_password_ends_after_a_day(stella, settings):
    ask_for_a_link("stella@example.org")
    settings.PASSWORD_RESET_TIMEOUT = -1

    assert "has expired or has already been used" in set_password(link_in_mail()).content.decode()


def test_the_key_is_taken_out_of_the_address_at_once(stella):
    ask_for_a_link("stella@example.org")

    answer = Client().get(link_in_mail())

    assert answer.headers["Location"].endswith("-set-password/")


# S17
def test_asking_for_an_unknown_address_is_answered_alike_and_sends_nothing(stella):
    known, unknown = ask_for_a_link("stella@example.org"), ask_for_a_link("nobody@example.org")

    assert (known.status_code, known.headers["Location"]) == (
        unknown.status_code,
        unknown.headers["Location"],
    )
    assert [message.to for message in mail.outbox] == [["stella@example.org"]]


def test_a_weak_password_is_not_set_by_a_link_either(stella):
    ask_for_a_link("stella@example.org")

    assert set_password(link_in_mail(), "short").status_code == 400


def test_without_mail_the_page_says_so(db):
    shown = Client().get(reverse("account_reset_password")).content.decode()

    assert "This server cannot send email." in shown
    assert '<button class="button primary">' not in shown


def test_a_password_set_by_hand_ends_sessions_and_tokens_too(stranger, monkeypatch):
    _, words = AuthToken.objects.create(user=stranger)
    session = Client()
    session.force_login(stranger)
    monkeypatch.setattr("getpass.getpass", lambda prompt: PASSWORD)

    call_command("changepassword", "stella", verbosity=0)

    assert session.get("/account/").status_code == 302
    assert Client(headers={"Authorization": f"Token {words}"}).get("/api/v1/projects/").status_code == 401
    assert sign_in("stella")[1].status_code == 302


def test_a_hash_made_anew_at_sign_in_is_no_new_password(stranger):
    User.objects.filter(pk=stranger.pk).update(password=make_password(cast.PASSWORD, hasher="argon2"))
    AuthToken.objects.create(user=stranger)

    sign_in("stella", cast.PASSWORD)

    stranger.refresh_from_db()
    assert not stranger.password.startswith("argon2")
    assert AuthToken.objects.count() == 1
    assert not Event.objects.filter(kind="password_changed").exists()


@pytest.fixture
def stellas(stella) -> Client:
    client = Client()
    client.force_login(stella)
    client.post(reverse("account_reauthenticate"), {"password": cast.PASSWORD})
    return client


def change_addresses(client: Client, **form: str):
    return client.post(reverse("account_email"), form)


def test_an_address_is_added_proved_made_main_and_the_other_removed(stellas, stella):
    change_addresses(stellas, action_add="", email="new@example.org")
    stellas.post(link_in_mail())
    change_addresses(stellas, action_primary="", email="new@example.org")
    change_addresses(stellas, action_remove="", email="stella@example.org")

    address = stella.emailaddress_set.get()
    stella.refresh_from_db()
    assert (address.email, address.verified, address.primary) == ("new@example.org", True, True)
    assert stella.email == "new@example.org"
    assert "new@example.org" in stellas.get(reverse("account_email")).content.decode()


def test_an_address_is_not_changed_without_the_password(stella):
    client = Client()
    client.force_login(stella)

    answer = change_addresses(client, action_add="", email="new@example.org")

    assert answer.headers["Location"].startswith("/account/reauthenticate/")
    assert stella.emailaddress_set.count() == 1


def test_what_is_no_address_is_refused(stellas):
    assert change_addresses(stellas, action_add="", email="nonsense").status_code == 400


# S18
@pytest.mark.parametrize("there", ["//evil.example/", "https://evil.example/", "javascript:alert(1)"])
def test_signing_up_never_leads_elsewhere(is_open, there):
    form = {"username": "nina", "password1": PASSWORD, "password2": PASSWORD, "next": there}

    assert Client().post(reverse("account_signup"), form).headers["Location"] == "/"


def test_the_sign_in_page_says_how_to_come_by_an_account(db, settings):
    said = {}
    for setting in ["open", "invitation", "closed"]:
        settings.SIGN_UP = setting
        said[setting] = Client().get("/sign-in/").content.decode()

    assert "Create one" in said["open"]
    assert "for an invitation link" in said["invitation"]
    assert "No account yet? Ask the server administrator." in said["closed"]
