"""Inviting one person: they accept or decline, and nobody is told whether an account exists."""

import json
import re
import threading
from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from projects.members import invitations
from projects.models import Event, Invitation
from raters.models import User
from tests import cast
from tests.faults.walking import masked


@pytest.fixture
def stellas(stranger) -> Client:
    return cast.signed_in(stranger)


def prove(user: User, address: str) -> None:
    user.emailaddress_set.create(email=address, verified=True, primary=True)


def invite(client: Client, project, **form):
    return client.post(
        reverse("invite", args=[project.slug]), {"role": "auditor", "max_uses": 1, "days": 7} | form
    )


def send(client: Client, method: str, name: str, *args, body=None):
    return client.generic(
        method, reverse(name, args=args), "" if body is None else json.dumps(body), "application/json"
    )


def test_one_who_is_invited_by_user_name_is_no_member_until_they_accept(client, stellas, project, stranger):
    invite(client, project, username="stella")
    invitation = project.invitations.get()

    before = project.memberships.filter(user=stranger).exists()
    start = stellas.get("/")
    accepted = stellas.post(reverse("invitation_accept", args=[invitation.pk]))

    assert not before
    assert list(start.context["invitations"]) == [invitation]
    assert accepted["Location"] == project.get_absolute_url()
    assert project.memberships.get(user=stranger).role == "auditor"
    assert not stellas.get("/").context["invitations"]
    told = (
        Event.objects.filter(project_id=project.pk).order_by("pk").values_list("kind", "user_name", "about")
    )
    assert list(told) == [("invitation_made", "lena", "stella"), ("member_joined", "stella", "stella")]


def test_one_who_declines_is_no_member_and_the_lead_sees_it(client, stellas, project, stranger):
    invite(client, project, username="stella")
    address = reverse("invitation_decline", args=[project.invitations.get().pk])

    first, again = stellas.post(address), stellas.post(address)

    assert (first.status_code, again.status_code) == (302, 404)
    assert not project.memberships.filter(user=stranger).exists()
    shown = client.get(reverse("members", args=[project.slug])).context["invitations"]
    assert [row.state for row in shown] == ["declined"]
    assert Event.objects.filter(kind="invitation_declined", about="stella", user_id=stranger.pk).count() == 1


def test_the_lead_is_answered_alike_whether_the_account_exists_or_not(client, project, stranger, has_mail):
    prove(stranger, "stella@example.org")
    cast.person("astrid")

    # As long as "stella", each; the second has no mail address.
    texts = {name: _answers(client, project, name) for name in ("stella", "astrid", "nobody")}

    for name in ("astrid", "nobody"):
        assert "\n".join(texts[name]) == "\n".join(texts["stella"])
    assert [message.to for message in mail.outbox] == [["stella@example.org"]] * 2


def _answers(client, project, name: str) -> list[str]:
    """All that a lead is told, by page and API, until somebody accepts."""
    answers = [
        invite(client, project, username=name),
        invite(client, project, username=name),
        client.get(reverse("members", args=[project.slug])),
    ]
    send(client, "DELETE", "api_invitation", project.slug, project.invitations.latest("pk").pk)
    body = {"role": "auditor", "user": name}
    answers += [
        send(client, "POST", "api_invitations", project.slug, body=body),
        send(client, "POST", "api_invitations", project.slug, body=body),
        client.get(reverse("api_invitations", args=[project.slug])),
    ]
    Invitation.objects.all().delete()
    return [_told(answer, name) for answer in answers]


def _told(answer, name: str) -> str:
    text = masked(f"{answer.status_code} {answer.content.decode()}").replace(name, "NAME")
    # Ids, moments and what was done before; none is of the one who is invited.
    text = re.sub(r"<h2>What was done.*?</section>", "", text, flags=re.S)
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z|\d\d:\d\d|/\d+/|\"id\":\d+", "-", text)


def test_inviting_takes_as_many_queries_whether_the_account_exists_or_not(
    client, project, stranger, has_mail
):
    counts = []
    for name in ("nobody", "stella"):
        with CaptureQueriesContext(connection) as seen:
            invite(client, project, username=name)
        counts.append(len(seen))

    assert counts[0] == counts[1]


def test_a_pending_invitation_is_shown_as_such_whether_the_account_exists_or_not(client, project, stranger):
    for name in ("stella", "nobody"):
        invite(client, project, username=name)

    shown = client.get(reverse("members", args=[project.slug])).context["invitations"]

    assert {(row.invitation.addressee, row.state) for row in shown} == {
        ("stella", "open"),
        ("nobody", "open"),
    }


def test_an_account_that_is_made_later_is_not_the_one_that_was_meant(client, project):
    invite(client, project, username="nina")
    nina = User.objects.create(username="nina", date_joined=timezone.now() + timedelta(seconds=1))
    invitation = project.invitations.get()

    answer = cast.signed_in(nina).post(reverse("invitation_accept", args=[invitation.pk]))

    assert answer.status_code == 404
    with pytest.raises(invitations.InvalidInvitation):
        invitations.redeem(invitation.token_hash, user=nina, addresses=[])


def test_one_who_is_invited_by_a_proved_address_sees_it_on_the_start_page(
    client, project, stranger, has_mail
):
    other = cast.person("other")
    other.emailaddress_set.create(email="Stella@example.org", verified=False)
    prove(stranger, "Stella@example.org")
    invite(client, project, email="stella@example.org")
    pk = project.invitations.get().pk

    unproved = cast.signed_in(other).post(reverse("invitation_accept", args=[pk])).status_code
    cast.signed_in(stranger).post(reverse("invitation_accept", args=[pk]))

    assert unproved == 404
    assert project.memberships.filter(user=stranger).exists()


def test_over_the_api_one_sees_accepts_and_declines_ones_own(client, project, stranger, stellas, rita):
    body = {"role": "adjudicator", "user": "stella"}
    made = send(client, "POST", "api_invitations", project.slug, body=body).json()
    others = send(cast.signed_in(rita), "POST", "api_invitation_accept", made["id"]).status_code

    listed = stellas.get(reverse("api_own_invitations")).json()["results"]
    accepted = send(stellas, "POST", "api_invitation_accept", made["id"])

    assert (made["user"], made["link"], made["is_sent"], made["state"]) == ("stella", "", False, "open")
    assert others == 404
    assert [(row["id"], row["project"], row["role"], row["invited_by"]) for row in listed] == [
        (made["id"], "Reviews", "adjudicator", "lena")
    ]
    assert accepted.json() == {"project": project.slug, "role": "adjudicator"}
    assert send(stellas, "POST", "api_invitation_accept", made["id"]).status_code == 404


def test_declined_over_the_api(client, project, stellas):
    pk = send(
        client, "POST", "api_invitations", project.slug, body={"role": "lead", "user": "stella"}
    ).json()["id"]

    assert send(stellas, "POST", "api_invitation_decline", pk).status_code == 204
    assert (
        client.get(reverse("api_invitations", args=[project.slug])).json()["results"][0]["state"]
        == "declined"
    )


@pytest.mark.parametrize("spoil", ["withdrawn_at", "expires_at", "declined_at"])
def test_what_ended_is_neither_shown_nor_accepted(client, project, stellas, spoil):
    invite(client, project, username="stella")
    project.invitations.update(**{spoil: timezone.now()})

    assert not stellas.get("/").context["invitations"]
    answer = stellas.post(reverse("invitation_accept", args=[project.invitations.get().pk]))
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"username": "lena"}, "username"),
        ({"username": "LENA"}, "username"),
        ({"username": "stella", "email": "stella@example.org"}, "email"),
        ({"username": "stella", "max_uses": 2}, "max_uses"),
        ({"username": "x" * 151}, "username"),
    ],
)
def test_an_invalid_invitation_to_one_person_is_refused(client, project, has_mail, form, field):
    answer = invite(client, project, **form)

    assert answer.status_code == 400
    assert list(answer.context["invitation_form"].errors) == [field]
    assert not project.invitations.exists()


def test_an_invitation_in_another_case_is_the_persons_own(client, stellas, project, stranger):
    invite(client, project, username="STELLA")

    again = invite(client, project, username="stella")
    [invitation] = stellas.get("/").context["invitations"]
    stellas.post(reverse("invitation_accept", args=[invitation.pk]))

    assert again.status_code == 400
    assert project.memberships.filter(user=stranger).exists()


def test_an_invitation_is_not_for_a_namesake_of_the_person(client, stellas, project, stranger):
    """Sign-up refuses such names; the command that makes accounts does not."""
    other = cast.signed_in(cast.person("Stella"))
    invite(client, project, username="stella")
    invitation = project.invitations.get()

    assert not other.get("/").context["invitations"]
    assert other.post(reverse("invitation_accept", args=[invitation.pk])).status_code == 404
    assert list(stellas.get("/").context["invitations"]) == [invitation]


# Backends of mail are made anew for each message.
LET_GO, SENT = threading.Event(), threading.Event()


class Slow(BaseEmailBackend):
    """A mail server that takes its time."""

    def send_messages(self, email_messages) -> int:
        assert LET_GO.wait(30)
        SENT.set()
        return len(email_messages)


def test_no_answer_waits_for_a_mail_that_only_an_account_is_sent(stranger, has_mail, settings):
    settings.MAIL_AFTER_ANSWER = True
    settings.EMAIL_BACKEND = "tests.raters.test_invited.Slow"
    prove(stranger, "stella@example.org")
    LET_GO.clear()

    answer = Client().post(reverse("account_reset_password"), {"email": "stella@example.org"})
    was_sent = SENT.is_set()
    LET_GO.set()

    assert (answer.status_code, was_sent) == (302, False)
    assert SENT.wait(30)
