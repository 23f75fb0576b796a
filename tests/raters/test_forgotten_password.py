"""A password that was forgotten, set by a link in a mail or by hand."""

from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken

from projects.models import Event
from raters.models import User
from tests.raters.signing import PASSWORD, link_in_mail, sign_in


def ask_for_a_link(address: str):
    return Client().post(reverse("account_reset_password"), {"email": address})


def set_password(link: str, password: str = PASSWORD):
    client = Client()
    shown = client.get(link)
    if shown.status_code == 302:
        return client.post(shown.headers["Location"], {"password1": password, "password2": password})
    return shown


def test_a_forgotten_password_is_set_by_a_link(stella_with_email):
    _, words = AuthToken.objects.create(user=stella_with_email)
    elsewhere = Client()
    elsewhere.force_login(stella_with_email)
    ask_for_a_link("stella@example.org")

    answer = set_password(link_in_mail())

    assert answer.headers["Location"] == "/account/reset/done/"
    assert sign_in("stella")[1].status_code == 302
    assert elsewhere.get("/account/").status_code == 302
    assert Client(headers={"Authorization": f"Token {words}"}).get("/api/v1/projects/").status_code == 401
    assert Event.objects.filter(kind="password_changed", about="stella").count() == 1


# S16
def test_a_link_for_a_password_works_once(stella_with_email):
    ask_for_a_link("stella@example.org")
    link = link_in_mail()
    set_password(link)

    again = set_password(link, "another sentence of hers")

    assert "has expired or has already been used" in again.content.decode()
    assert sign_in("stella")[1].status_code == 302


# S16
def test_a_link_for_a_password_ends_with_a_change_of_address(stella_with_email):
    ask_for_a_link("stella@example.org")
    stella_with_email.emailaddress_set.create(email="new@example.org", verified=True)

    assert "has expired or has already been used" in set_password(link_in_mail()).content.decode()


# S16
def test_a_link_for_a_password_ends_after_a_day(stella_with_email, settings):
    ask_for_a_link("stella@example.org")
    settings.PASSWORD_RESET_TIMEOUT = -1

    assert "has expired or has already been used" in set_password(link_in_mail()).content.decode()


def test_the_key_is_taken_out_of_the_address_at_once(stella_with_email):
    ask_for_a_link("stella@example.org")

    answer = Client().get(link_in_mail())

    assert answer.headers["Location"].endswith("-set-password/")


# S17
def test_asking_for_an_unknown_address_gets_the_same_answer_and_sends_nothing(stella_with_email):
    known, unknown = ask_for_a_link("stella@example.org"), ask_for_a_link("nobody@example.org")

    assert (known.status_code, known.headers["Location"]) == (
        unknown.status_code,
        unknown.headers["Location"],
    )
    assert [message.to for message in mail.outbox] == [["stella@example.org"]]


def test_a_weak_password_is_not_set_by_a_link_either(stella_with_email):
    ask_for_a_link("stella@example.org")

    assert set_password(link_in_mail(), "short").status_code == 400


def test_without_mail_the_page_says_so(db):
    shown = Client().get(reverse("account_reset_password")).content.decode()

    assert "This server cannot send email." in shown
    assert '<button class="button primary">' not in shown


def test_an_owner_makes_a_link_to_set_a_password(stranger):
    owner = User.objects.create_superuser("olga", password=PASSWORD)
    client = Client()
    client.force_login(owner)
    page = reverse("person_password", args=[stranger.pk])

    asked, made = client.get(page), client.post(page)
    link = made.context["link"]
    answers = [set_password(link), set_password(link)]

    assert asked.context["link"] == ""
    assert link in made.content.decode()
    assert [answer.status_code for answer in answers] == [302, 200]
    assert answers[0].headers["Location"] == "/account/reset/done/"
    assert sign_in("stella")[1].status_code == 302
    event = Event.objects.get(kind="password_link_made")
    assert (event.user_name, event.detail, event.project_id) == ("olga", {"user": "stella"}, None)


def test_nobody_else_makes_such_a_link(stranger, auditor):
    client = Client()
    client.force_login(auditor)

    assert client.post(reverse("person_password", args=[stranger.pk])).status_code == 404
    assert not Event.objects.filter(kind="password_link_made").exists()


def test_a_password_set_by_hand_ends_sessions_and_tokens_too(stranger, monkeypatch):
    _, words = AuthToken.objects.create(user=stranger)
    session = Client()
    session.force_login(stranger)
    monkeypatch.setattr("getpass.getpass", lambda prompt: PASSWORD)

    call_command("changepassword", "stella", verbosity=0)

    assert session.get("/account/").status_code == 302
    assert Client(headers={"Authorization": f"Token {words}"}).get("/api/v1/projects/").status_code == 401
    assert sign_in("stella")[1].status_code == 302
