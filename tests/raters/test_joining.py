"""Coming in by the link of an invitation, on pages and over the API."""

import json
import logging
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from projects.members import actions as members
from projects.members import invitations
from tests import cast
from tests.together import at_once


@pytest.fixture
def token(project, lead) -> str:
    return invitations.invite(project, by=lead, role="rater")[1]


def come(client: Client, token: str):
    return client.get(reverse("join_by", args=[token]))


def test_the_token_leaves_the_address_at_once(db, token, caplog):
    client = Client()

    with caplog.at_level(logging.DEBUG):
        answer = come(client, token)
        shown = client.get("/join/")

    assert answer.headers["Location"] == "/join/"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "no-store" in answer.headers["Cache-Control"]
    assert token not in shown.content.decode()
    assert token not in repr(dict(client.session))
    assert token not in "\n".join(record.getMessage() for record in caplog.records)


def test_a_token_that_is_worth_nothing_leaves_no_trace_either(db, caplog):
    client = Client()
    nothing = "a-token-that-nobody-has-made-ever"

    with caplog.at_level(logging.DEBUG):
        answer = come(client, nothing)
        shown = client.get("/join/")

    assert answer.headers["Location"] == "/join/"
    assert shown.status_code == 404
    assert nothing not in caplog.text


def test_who_is_signed_in_joins_by_one_click(project, stranger, token):
    client = cast.signed_in(stranger)
    come(client, token)
    assert "Join as stella" in client.get("/join/").content.decode()

    answer = client.post("/join/")

    assert answer.headers["Location"] == project.get_absolute_url()
    assert project.memberships.get(user=stranger).role == "rater"
    assert client.get("/join/").status_code == 404


def test_removed_members_see_that_at_the_old_link(project, lead, stranger, token):
    client = cast.signed_in(stranger)
    come(client, token)
    client.post("/join/")
    come(client, token)
    as_member = client.get("/join/")
    members.remove_member(project.memberships.get(user=stranger), by=lead)
    come(client, token)

    assert (as_member.status_code, client.get("/join/").status_code) == (200, 404)
    assert "data-removed" not in as_member.content.decode()
    for answer in (client.get("/join/"), client.post("/join/")):
        page = answer.content.decode()
        assert "data-removed" in page
        assert "Join as" not in page
    assert not project.memberships.filter(user=stranger).exists()
    # Others learn nothing of it.
    other = cast.signed_in(cast.person("olga"))
    come(other, token)
    assert "data-removed" not in other.get("/join/").content.decode()


def test_looking_at_an_invitation_joins_nothing(project, stranger, token):
    client = cast.signed_in(stranger)
    come(client, token)
    client.get("/join/")

    assert not project.memberships.filter(user=stranger).exists()


def test_who_is_not_signed_in_signs_in_first_and_then_joins(project, stranger, token):
    client = Client()
    come(client, token)
    assert "Sign in" in client.get("/join/").content.decode()
    assert client.post("/join/").headers["Location"] == "/sign-in/"

    answer = client.post(reverse("account_login"), {"login": "stella", "password": cast.PASSWORD})
    client.post(answer.headers["Location"])

    assert answer.headers["Location"] == "/join/"
    assert project.memberships.filter(user=stranger).exists()


def test_a_member_is_led_to_the_project(project, auditor, token):
    client = cast.signed_in(auditor)
    come(client, token)

    assert "You are already a member." in client.get("/join/").content.decode()


def test_an_invitation_to_another_does_not_exist(project, lead, stranger):
    _, token = invitations.invite(project, by=lead, role="rater", email="nina@example.org")
    client = cast.signed_in(stranger)
    come(client, token)

    assert client.get("/join/").status_code == 404
    assert client.post("/join/").status_code == 404
    assert not project.memberships.filter(user=stranger).exists()


def test_what_is_no_invitation_for_one_says_the_same_whatever_is_the_matter(project, lead, stranger):
    _, other = invitations.invite(project, by=lead, role="rater", email="nina@example.org")
    withdrawn, gone = invitations.invite(project, by=lead, role="rater")
    invitations.revoke(withdrawn, by=lead)
    client, responses = cast.signed_in(stranger), set()

    for token in (other, gone, "made-up"):
        come(client, token)
        for answer in (client.get("/join/"), client.post("/join/")):
            responses.add((answer.status_code, answer.content.decode().split("<main")[1]))

    [(status, page)] = responses
    assert status == 404
    assert "It may have expired, been revoked" in page
    assert "signed in as stella" in page


@pytest.mark.parametrize("is_proved", [True, False])
def test_an_address_has_to_be_proved_to_use_its_invitation(project, lead, stranger, is_proved):
    stranger.emailaddress_set.create(email="stella@example.org", verified=is_proved)
    _, token = invitations.invite(project, by=lead, role="rater", email="stella@example.org")
    client = cast.signed_in(stranger)
    come(client, token)

    assert client.post("/join/").status_code == (302 if is_proved else 404)


def test_an_invitation_that_ends_meanwhile_is_not_found(project, lead, stranger, token):
    client = cast.signed_in(stranger)
    come(client, token)
    invitations.revoke(project.invitations.get(), by=lead)

    assert client.post("/join/").status_code == 404


# S14
def test_who_is_removed_is_out_at_once_with_tokens_and_all(project, lead, stranger, token):
    from raters.accounts.tokens import make_token

    client = cast.signed_in(stranger)
    _, words = make_token(stranger, name="script", scope="manage")
    program = Client(headers={"Authorization": f"Token {words}"})
    come(client, token)
    client.post("/join/")
    address = f"/api/v1/projects/{project.slug}/"
    assert (client.get(project.get_absolute_url()).status_code, program.get(address).status_code) == (
        200,
        200,
    )

    members.remove_member(project.memberships.get(user=stranger), by=lead)

    assert (client.get(project.get_absolute_url()).status_code, program.get(address).status_code) == (
        404,
        404,
    )


def redeem(client: Client, body):
    return client.post(reverse("api_join"), json.dumps(body), content_type="application/json")


def test_join_over_the_api(project, stranger, token):
    answer = redeem(cast.signed_in(stranger), {"token": token})

    assert (answer.status_code, answer.json()) == (200, {"project": project.slug, "role": "rater"})
    assert redeem(cast.signed_in(cast.person("paula")), {"token": token}).status_code == 404


@pytest.mark.parametrize(
    "body", [{}, {"token": ""}, {"token": 5}, {"token": "x" * 101}, {"token": "x", "role": "lead"}]
)
def test_a_body_that_is_no_token_is_refused(stranger, body):
    assert redeem(cast.signed_in(stranger), body).status_code == 400


# S19, P25
def test_of_fifty_who_post_at_once_one_joins(committed_db):
    project = cast.new_project("Posts", unique=True)
    lead = cast.member(project, "lead", username="lead", unique=True)
    _, token = invitations.invite(project, by=lead, role="rater")
    clients = [cast.signed_in(cast.person("p", unique=True)) for _ in range(50)]

    answers = at_once(50, lambda number: redeem(clients[number], {"token": token}).status_code)

    assert sorted(answers) == [200] + [404] * 49
    assert project.memberships.filter(role="rater").count() == 1


def test_a_removed_member_cannot_come_back_by_another_earlier_invitation(project, lead, stranger, token):
    _, older = invitations.invite(project, by=lead, role="rater", max_uses=5)
    stranger.emailaddress_set.create(email="stella@example.org", verified=True)
    invitations.invite(project, by=lead, role="rater", email="stella@example.org")
    client, other = cast.signed_in(stranger), cast.signed_in(cast.person("olga"))
    redeem(client, {"token": token})
    # The test is one transaction, whose events all have the time of its start.
    project.invitations.update(made_at=timezone.now() - timedelta(hours=1))
    members.remove_member(project.memberships.get(user=stranger), by=lead)
    come(client, older)

    assert (client.get("/join/").status_code, client.post("/join/").status_code) == (404, 404)
    assert redeem(client, {"token": older}).status_code == 404
    assert client.get(reverse("api_own_invitations")).json()["results"] == []
    assert redeem(other, {"token": older}).status_code == 200

    _, newer = invitations.invite(project, by=lead, role="auditor", max_uses=5)

    assert redeem(client, {"token": newer}).json()["role"] == "auditor"
    assert redeem(client, {"token": older}).json()["role"] == "auditor"


@pytest.mark.parametrize("role", ["auditor", "adjudicator", "rater", None])
def test_open_links_of_a_former_lead_are_revoked(project, lead, role):
    other = cast.member(project, "lead", username="leo")
    link, token = invitations.invite(project, by=other, role="lead", max_uses=5)
    named, _ = invitations.invite(project, by=other, role="rater", username="nina")
    kept, _ = invitations.invite(project, by=lead, role="rater")

    member = project.memberships.get(user=other)
    if role is None:
        members.remove_member(member, by=lead)
    else:
        members.change_role(member, by=lead, role=role)

    assert redeem(cast.signed_in(cast.person("olga")), {"token": token}).status_code == 404
    states = {each.pk: invitations.state_of(each) for each in project.invitations.all()}
    assert states == {link.pk: "revoked", named.pk: "open", kept.pk: "open"}
