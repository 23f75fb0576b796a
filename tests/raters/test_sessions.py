"""Where a person is signed in: the list on the account page, and ending what is on it."""

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from projects.models import Event
from tests import cast

PROJECTS = "/api/v1/projects/"
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
)


def signed_in(username: str = "stella", *, agent: str = FIREFOX, address: str = "192.0.2.7") -> Client:
    client = Client(headers={"User-Agent": agent}, REMOTE_ADDR=address)
    client.post(reverse("account_login"), {"login": username, "password": cast.PASSWORD})
    assert client.get("/").status_code == 200
    return client


def page(client: Client) -> str:
    return client.get(reverse("account")).content.decode()


def listed(client: Client) -> list[str]:
    """The sessions of the page, each as its text."""
    part = page(client).split('id="sessions"')[1].split("</section>")[0]
    return part.split("<li>")[1:]


def row_of(client: Client) -> UserSession:
    return UserSession.objects.get(session_key=client.session.session_key)


def test_every_session_is_listed_the_present_one_first(stranger):
    here, there = signed_in(), signed_in(agent=SAFARI, address="2001:db8::1")

    mine, other = listed(here)

    assert "Firefox on Windows" in mine
    assert "192.0.2.7" in mine
    assert "This session" in mine
    assert "Mobile Safari on iOS" in other
    assert "2001:db8::1" in other
    assert "This session" not in other
    assert "Mobile Safari on iOS" in listed(there)[0]


@pytest.mark.parametrize("agent", ["", "x", "<script>alert(1)</script>", "\x01" * 3, "é" * 900])
def test_a_browser_of_any_name_is_listed(stranger, agent):
    client = signed_in(agent=agent)

    (only,) = listed(client)

    assert "Unknown browser" in only
    assert "<script>" not in only


def test_an_ended_session_is_refused_at_its_next_request(stranger):
    here, there = signed_in(), signed_in()

    answer = here.post(reverse("session_end", args=[row_of(there).pk]))

    assert answer.headers["Location"] == reverse("account")
    assert there.get(PROJECTS).status_code == 401
    assert there.get("/").status_code == 302
    assert here.get(PROJECTS).status_code == 200
    assert len(listed(here)) == 1


def test_all_others_end_and_the_present_one_stays(stranger, rita):
    here, *there = (signed_in() for _ in range(4))
    another = signed_in("rita")

    here.post(reverse("session_end_others"))

    assert [client.get(PROJECTS).status_code for client in there] == [401] * 3
    assert here.get(PROJECTS).status_code == another.get(PROJECTS).status_code == 200


def test_ending_the_present_session_signs_out(stranger):
    here = signed_in()

    here.post(reverse("session_end", args=[row_of(here).pk]))

    assert here.get(PROJECTS).status_code == 401


def test_a_session_of_another_is_not_found(stranger, rita):
    mine, theirs = signed_in(), signed_in("rita")

    assert mine.post(reverse("session_end", args=[row_of(theirs).pk])).status_code == 404
    assert theirs.get(PROJECTS).status_code == 200
    assert len(listed(mine)) == 1


def test_ended_sessions_are_logged_once_each(stranger):
    here, first, _second, _third = (signed_in() for _ in range(4))

    here.post(reverse("session_end", args=[row_of(first).pk]))
    here.post(reverse("session_end_others"))

    told = Event.objects.filter(kind=Event.Kind.SESSION_ENDED)
    assert (
        list(told.values_list("user_name", "about", "detail"))
        == [("stella", "stella", {"browser": "Firefox", "system": "Windows"})] * 3
    )


def test_a_session_that_ended_otherwise_is_not_listed(stranger):
    here, out, expired, gone = (signed_in() for _ in range(4))

    out.post(reverse("account_logout"))
    Session.objects.filter(pk=expired.session.session_key).update(
        expire_date=timezone.now() - timedelta(seconds=1)
    )
    Session.objects.filter(pk=gone.session.session_key).delete()

    assert len(listed(here)) == 1


def test_a_new_password_leaves_the_present_session_alone_in_the_list(stranger):
    here, there = signed_in(), signed_in()
    new = "a spoon, a fork and a knife"

    here.post(
        reverse("account_change_password"), {"oldpassword": cast.PASSWORD, "password1": new, "password2": new}
    )

    assert there.get(PROJECTS).status_code == 401
    (only,) = listed(here)
    assert "This session" in only


def test_most_requests_write_nothing(stranger):
    client = signed_in()

    with CaptureQueriesContext(
        connection,
    ) as queries:
        for _ in range(5):
            client.get(PROJECTS)

    assert [query["sql"] for query in queries if not query["sql"].startswith("SELECT")] == []


def test_a_later_request_notes_when_and_from_where(stranger, monkeypatch):
    client = signed_in()
    later = timezone.now() + timedelta(minutes=6)
    monkeypatch.setattr(timezone, "now", lambda: later)

    client.get(PROJECTS, REMOTE_ADDR="198.51.100.4")

    row = row_of(client)
    assert (row.last_seen_at, row.ip) == (later, "198.51.100.4")
    assert client.session.get_expiry_date() == later + timedelta(hours=12)


def test_a_session_from_before_the_upgrade_goes_on_and_is_listed(stranger):
    client = signed_in()
    UserSession.objects.all().delete()
    session = client.session
    del session["began_at"], session["seen"]
    session.save()

    assert client.get(PROJECTS).status_code == 200
    assert len(listed(client)) == 1
    assert "began_at" in client.session


def test_a_token_has_no_session(stranger):
    from raters.accounts.tokens import make_token

    _, words = make_token(stranger, name="script", scope="read")

    Client(headers={"Authorization": f"Token {words}"}).get(PROJECTS)

    assert not UserSession.objects.exists()
    assert not Session.objects.exists()
