"""An address of email: proved before one comes in, and changed later."""

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from raters.models import User
from tests import cast
from tests.raters.signing import PASSWORD, came_with_invitation, link_in_mail, sign_in, sign_up


def test_an_address_is_proved_by_a_mail_before_one_comes_in(is_open, requires_email):
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


def test_where_there_is_mail_an_address_is_needed(is_open, requires_email):
    assert sign_up().status_code == 400


def test_a_taken_address_is_not_revealed_but_its_owner_is_notified(is_open, requires_email, stranger):
    User.objects.filter(pk=stranger.pk).update(email="stella@example.org")
    stranger.emailaddress_set.create(email="stella@example.org", verified=True, primary=True)

    new, taken = sign_up(email="nina@example.org"), sign_up(name="other", email="stella@example.org")

    assert (new.status_code, new.headers["Location"]) == (taken.status_code, taken.headers["Location"])
    assert mail.outbox[-1].to == ["stella@example.org"]
    assert "you already have one" in mail.outbox[-1].body
    assert not User.objects.filter(username="other").exists()


def test_an_invitation_by_mail_proves_the_address(project, lead, requires_email):
    client = came_with_invitation(project, lead, email="nina@example.org")
    assert 'value="nina@example.org"' in client.get(reverse("account_signup")).content.decode()

    assert sign_up(client, email="nina@example.org").headers["Location"] == "/join/"
    client.post("/join/")

    assert project.memberships.filter(user__username="nina").exists()
    assert mail.outbox == []


def test_another_address_than_the_invited_has_to_be_proved(project, lead, requires_email):
    client = came_with_invitation(project, lead, email="nina@example.org")

    assert sign_up(client, email="other@example.org").headers["Location"] == "/account/confirm/"


def test_an_owner_needs_no_address(db, requires_email, monkeypatch, capsys):
    monkeypatch.setenv("OWNER_NAME", "olga")
    monkeypatch.setenv("OWNER_PASSWORD", PASSWORD)
    from config.management.commands.prepare import make_owner

    make_owner(demo=False)

    assert sign_in("olga")[1].headers["Location"] == "/"


def test_an_owner_with_an_unproved_address_comes_in_too(db, requires_email):
    User.objects.create_superuser("olga", email="olga@example.org", password=PASSWORD)

    assert sign_in("olga")[1].headers["Location"] == "/"


def test_who_has_no_address_is_not_asked_for_one(requires_email, stranger):
    assert sign_in("stella", cast.PASSWORD)[1].headers["Location"] == "/"


def test_a_mail_server_that_fails_fails_no_page(is_open, requires_email, monkeypatch, caplog):
    monkeypatch.setattr("django.core.mail.message.EmailMessage.send", broken)

    assert sign_up(email="nina@example.org").headers["Location"] == "/account/confirm/"
    assert "could not be sent" in caplog.text


def broken(*args, **more):
    raise ConnectionRefusedError


@pytest.fixture
def reauthenticated(stella_with_email) -> Client:
    client = Client()
    client.force_login(stella_with_email)
    client.post(reverse("account_reauthenticate"), {"password": cast.PASSWORD})
    return client


def change_addresses(client: Client, **form: str):
    return client.post(reverse("account_email"), form)


def test_an_address_is_added_proved_made_main_and_the_other_removed(reauthenticated, stella_with_email):
    change_addresses(reauthenticated, action_add="", email="new@example.org")
    reauthenticated.post(link_in_mail())
    change_addresses(reauthenticated, action_primary="", email="new@example.org")
    change_addresses(reauthenticated, action_remove="", email="stella@example.org")

    address = stella_with_email.emailaddress_set.get()
    stella_with_email.refresh_from_db()
    assert (address.email, address.verified, address.primary) == ("new@example.org", True, True)
    assert stella_with_email.email == "new@example.org"
    assert "new@example.org" in reauthenticated.get(reverse("account_email")).content.decode()


def test_an_address_is_not_changed_without_the_password(stella_with_email):
    client = Client()
    client.force_login(stella_with_email)

    answer = change_addresses(client, action_add="", email="new@example.org")

    assert answer.headers["Location"].startswith("/account/reauthenticate/")
    assert stella_with_email.emailaddress_set.count() == 1


def test_what_is_no_address_is_refused(reauthenticated):
    assert change_addresses(reauthenticated, action_add="", email="nonsense").status_code == 400
