"""The page and the API of members: inviting and revoking."""

import json
import re

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects import actions
from projects.members import actions as members
from projects.members import invitations
from projects.models import Event, Membership
from tests import cast


def invite(client, project, **form):
    form = {"role": "rater", "max_uses": 1, "days": 7} | form
    return client.post(reverse("invite", args=[project.slug]), form)


def page(client, project) -> str:
    return client.get(reverse("members", args=[project.slug])).content.decode()


@pytest.mark.parametrize("name", ["Anna Schmidt", "anna@example.org", "-anna", "a", "zoë"])
def test_a_name_that_no_account_can_have_is_not_invited(client, project, name):
    answer = invite(client, project, username=name)
    over_api = client.post(
        reverse("api_invitations", args=[project.slug]),
        json.dumps({"role": "rater", "user": name}),
        content_type="application/json",
    )

    assert (answer.status_code, over_api.status_code) == (400, 400)
    assert "No account can have this username." in answer.content.decode()
    assert over_api.json()["error"] == "impossible_username"
    assert not project.invitations.exists()


def link_in(text: str) -> str:
    return re.search(r"http://testserver(/join/[\w-]{43}/)", text).group(1)


def test_a_link_is_shown_once_and_lets_in(client, project, stranger):
    answer = invite(client, project, role="auditor", max_uses=3)
    link = link_in(answer.content.decode())

    guest = Client()
    guest.force_login(stranger)
    guest.get(link)
    guest.post("/join/")

    assert "no-store" in answer.headers["Cache-Control"]
    assert link not in page(client, project)
    assert project.memberships.get(user=stranger).role == "auditor"
    assert "1 of 3" in page(client, project)
    assert re.search(r"<td[^>]*>\s*stella\s*</td>", page(client, project))


def test_without_mail_there_is_no_field_for_an_address_and_the_page_says_so(client, project):
    shown = page(client, project)

    assert "This server cannot send email" in shown
    assert 'name="email"' not in shown
    assert invite(client, project, email="nina@example.org").status_code == 200
    assert project.invitations.get().email == ""


def test_an_invitation_goes_by_mail(client, project, has_mail):
    answer = invite(client, project, email="Nina@example.org")

    sent = mail.outbox[0]
    invitation = project.invitations.get()
    assert answer.headers["Location"] == reverse("members", args=[project.slug])
    assert sent.to == [invitation.email] == ["nina@example.org"]
    assert sent.subject == "Interrater: invitation to Reviews"
    assert invitations.hashed(link_in(sent.body).split("/")[2]) == invitation.token_hash
    assert "lena invited you" in sent.body


@pytest.mark.parametrize("name", ["Reviews\nBcc: all@example.org", "<b>Reviews</b> & more"])
def test_a_name_forges_no_header_and_is_not_escaped(client, project, has_mail, name):
    project.name = name
    project.save()

    invite(client, project, email="nina@example.org")

    assert mail.outbox[0].to == ["nina@example.org"]
    assert not mail.outbox[0].bcc
    assert mail.outbox[0].subject == f"Interrater: invitation to {' '.join(name.split())}"
    assert "&lt;" not in mail.outbox[0].body


def test_a_mail_that_cannot_be_sent_leaves_the_link_to_pass_on(
    client, project, has_mail, monkeypatch, caplog
):
    def broken(*args, **more):
        raise ConnectionRefusedError

    monkeypatch.setattr("projects.members.invitation_mail.send_mail", broken)

    shown = invite(client, project, email="nina@example.org").content.decode()

    assert "The email to nina@example.org could not be sent." in shown
    assert link_in(shown)
    assert link_in(shown) not in caplog.text


@pytest.mark.parametrize(
    "form",
    [
        {"role": "owner"},
        {"max_uses": 0},
        {"max_uses": 1001},
        {"days": 0},
        {"days": 91},
        {"email": "nonsense"},
        {"email": "nina@example.org", "max_uses": 2},
    ],
)
def test_a_bad_invitation_is_refused(client, project, has_mail, form):
    assert invite(client, project, **form).status_code == 400

    assert not project.invitations.exists()
    assert mail.outbox == []


def test_revoke_an_invitation(client, project, lead):
    invitation, _ = invitations.invite(project, by=lead, role="rater")
    assert "Revoke the invitation" in page(client, project)

    client.post(reverse("invitation_revoke", args=[project.slug, invitation.pk]))

    invitation.refresh_from_db()
    assert invitation.withdrawn_at
    assert "revoked" in page(client, project)
    assert "Revoke the invitation" not in page(client, project)


def test_a_change_of_role_is_logged(project, lead, stranger):
    _, token = invitations.invite(project, by=lead, role="rater")
    member = invitations.redeem(invitations.hashed(token), user=stranger, addresses=[])
    members.change_role(member, by=lead, role="auditor")

    told = Event.objects.get(kind="role_changed")
    assert (told.user_name, told.about, told.detail) == ("lena", "stella", {"old": "rater", "new": "auditor"})


def test_the_same_role_is_no_change(project, lead, auditor):
    members.change_role(project.memberships.get(user=auditor), by=lead, role="auditor")

    assert not Event.objects.filter(kind="role_changed").exists()


def test_a_new_project_tells_who_made_it(stranger):
    project = actions.create_project("Mine", by=stranger)

    assert Event.objects.get(project_id=project.pk).kind == "member_joined"


def queries(client, project) -> int:
    with CaptureQueriesContext(connection) as seen:
        page(client, project)
    return len(seen)


def grow(project, lead, n: int) -> None:
    for number in range(n):
        _, token = invitations.invite(project, by=lead, role="rater", max_uses=2)
        person = cast.person(f"p{project.memberships.count()}-{number}")
        invitations.redeem(invitations.hashed(token), user=person, addresses=[])


def test_the_page_asks_the_database_as_often_for_many_as_for_few(client, project, lead):
    grow(project, lead, 2)
    few = queries(client, project)

    grow(project, lead, 20)

    assert queries(client, project) == few


def send(client, method: str, name: str, *args, body=None):
    return client.generic(
        method, reverse(name, args=args), json.dumps(body) if body is not None else "", "application/json"
    )


def test_members_over_the_api(client, project, auditor):
    pk = project.memberships.get(user=auditor).pk

    listed = client.get(reverse("api_members", args=[project.slug])).json()["results"]
    changed = send(client, "PATCH", "api_member", project.slug, pk, body={"role": "rater"}).json()
    removed = send(client, "DELETE", "api_member", project.slug, pk)

    assert [(row["user"], row["role"]) for row in listed] == [("lena", "lead"), ("otto", "auditor")]
    assert (changed["id"], changed["role"]) == (pk, "rater")
    assert removed.status_code == 204
    assert not project.memberships.filter(user=auditor).exists()


# S22
@pytest.mark.parametrize(("method", "body"), [("PATCH", {"role": "rater"}), ("DELETE", None)])
def test_the_last_lead_stays_over_the_api(client, project, lead, method, body):
    pk = project.memberships.get(user=lead).pk

    refused = send(client, method, "api_member", project.slug, pk, body=body)

    assert (refused.status_code, refused.json()["error"]) == (409, "last_lead")
    assert project.memberships.get(user=lead).role == Membership.Role.LEAD


def test_a_member_who_was_removed_meanwhile_is_not_found(client, project, auditor, monkeypatch):
    def gone(*args, **more):
        raise Membership.DoesNotExist

    monkeypatch.setattr("projects.members.actions.change_role", gone)
    pk = project.memberships.get(user=auditor).pk

    assert send(client, "PATCH", "api_member", project.slug, pk, body={"role": "rater"}).status_code == 404


def test_invitations_over_the_api(client, project):
    made = send(client, "POST", "api_invitations", project.slug, body={"role": "rater", "max_uses": 2}).json()
    listed = client.get(reverse("api_invitations", args=[project.slug])).json()["results"]
    gone = send(client, "DELETE", "api_invitation", project.slug, made["id"])
    after = client.get(reverse("api_invitations", args=[project.slug])).json()["results"]

    assert link_in(made["link"])
    assert not made["is_sent"]
    assert listed == [{name: value for name, value in made.items() if name not in {"link", "is_sent"}}]
    assert (listed[0]["state"], listed[0]["joined"], gone.status_code) == ("open", [], 204)
    assert after[0]["state"] == "revoked"


def test_an_invitation_over_the_api_goes_by_mail(client, project, has_mail):
    body = {"role": "rater", "email": "nina@example.org"}

    made = send(client, "POST", "api_invitations", project.slug, body=body).json()

    assert made["is_sent"]
    assert mail.outbox[0].to == ["nina@example.org"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"role": "owner"},
        {"role": "rater", "max_uses": "1"},
        {"role": "rater", "max_uses": True},
        {"role": "rater", "days": 0},
        {"role": "rater", "token_hash": "x"},
        {"role": "rater", "n_used": 0},
        {"role": "rater", "email": "nina@example.org"},
        {"role": "rater", "email": "nina@example.org", "max_uses": 2},
    ],
)
def test_a_bad_invitation_is_refused_over_the_api(client, project, body):
    assert send(client, "POST", "api_invitations", project.slug, body=body).status_code == 400
    assert not project.invitations.exists()


def test_events_over_the_api(client, project, lead, stranger):
    invitation, token = invitations.invite(project, by=lead, role="rater")
    invitations.redeem(invitations.hashed(token), user=stranger, addresses=[])

    row = client.get(reverse("api_events", args=[project.slug])).json()["results"][0]

    assert (row["kind"], row["by"], row["about"]) == ("member_joined", "stella", "stella")
    assert row["detail"] == {"role": "rater", "invitation": invitation.pk}
