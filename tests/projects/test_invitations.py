"""Invitations: who gets in by one, and who does not."""

import hashlib

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from projects.members import actions as members
from projects.members import invitations
from projects.members.invitations import InvalidInvitation
from projects.models import Event, Invitation, Project
from projects.templatetags.event_words import event_words
from tests import cast
from tests.together import at_once


def invite(project, lead, **more):
    invitation, token = invitations.invite(project, by=lead, role="rater", **more)
    return invitation, invitations.hashed(token)


def redeem(key, user, *addresses):
    return invitations.redeem(key, user=user, addresses=addresses)


def test_the_token_is_kept_as_a_hash_alone(project, lead):
    invitation, token = invitations.invite(project, by=lead, role="rater")

    assert len(token) == 43
    assert invitation.token_hash == hashlib.sha256(token.encode()).hexdigest()
    assert token not in repr(list(Invitation.objects.values()) + list(Event.objects.values()))


def test_two_tokens_differ(project, lead):
    assert invite(project, lead)[1] != invite(project, lead)[1]


@pytest.mark.parametrize("role", ["rater", "adjudicator", "auditor", "lead"])
def test_joining_gives_the_role_of_the_invitation(project, lead, stranger, role):
    invitation, token = invitations.invite(project, by=lead, role=role)

    member = redeem(invitations.hashed(token), stranger)

    invitation.refresh_from_db()
    assert (member.project, member.user, member.role) == (project, stranger, role)
    assert invitation.n_used == 1
    assert invitation.redemptions.get().user == stranger
    assert str(invitation.redemptions.get()) == f"stella by invitation {invitation.pk} to Reviews"


def test_a_used_invitation_admits_nobody(project, lead, stranger):
    invitation, key = invite(project, lead)
    redeem(key, stranger)

    with pytest.raises(InvalidInvitation):
        redeem(key, cast.person("paula"))

    assert invitations.state_of(Invitation.objects.get(pk=invitation.pk)) == "used"


def test_an_invitation_for_three_lets_three_in(project, lead):
    _, key = invite(project, lead, max_uses=3)

    for name in "abc":
        redeem(key, cast.person(name))

    with pytest.raises(InvalidInvitation):
        redeem(key, cast.person("d"))
    assert project.memberships.filter(role="rater").count() == 3


def spoil(invitation: Invitation, how: str, lead) -> None:
    if how == "revoked":
        invitations.revoke(invitation, by=lead)
    if how == "expired":
        Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now())
    if how == "closed":
        Project.objects.filter(pk=invitation.project_id).update(state="closed")


# S19, P25
@pytest.mark.parametrize("how", ["revoked", "expired", "closed"])
def test_a_damaged_invitation_admits_nobody(project, lead, stranger, how):
    invitation, key = invite(project, lead)
    spoil(invitation, how, lead)

    with pytest.raises(InvalidInvitation):
        redeem(key, stranger)
    with pytest.raises(InvalidInvitation):
        invitations.find(key)

    assert not project.memberships.filter(user=stranger).exists()


@pytest.mark.parametrize(("how", "state"), [("revoked", "revoked"), ("expired", "expired"), ("", "open")])
def test_an_invitation_says_its_state(project, lead, how, state):
    invitation, _ = invite(project, lead)
    spoil(invitation, how, lead)
    invitation.refresh_from_db()

    shown = invitations.invitation_row(invitation)

    assert (shown.state, shown.is_open, shown.joined) == (state, state == "open", [])


def test_an_unknown_token_admits_nobody(stranger):
    with pytest.raises(InvalidInvitation):
        redeem(invitations.hashed("x"), stranger)


# S19, P25
def test_an_invitation_to_an_address_is_for_its_owner_alone(project, lead, stranger):
    _, key = invite(project, lead, email="Stella@Example.org")

    for addresses in ([], ["other@example.org"]):
        with pytest.raises(InvalidInvitation):
            redeem(key, stranger, *addresses)

    assert redeem(key, stranger, "stella@example.ORG").user == stranger


def test_an_invitation_to_an_address_is_for_one(project, lead):
    with pytest.raises(invitations.SinglePersonInvitation):
        invite(project, lead, email="stella@example.org", max_uses=2)


def test_a_member_uses_nothing_up_and_keeps_the_role(project, lead, auditor):
    invitation, key = invite(project, lead)

    member = redeem(key, auditor)

    invitation.refresh_from_db()
    assert (member.role, invitation.n_used) == ("auditor", 0)


def test_who_was_removed_does_not_come_back_by_the_same_link(project, lead, stranger):
    _, key = invite(project, lead, max_uses=5)
    members.remove_member(redeem(key, stranger), by=lead)

    with pytest.raises(InvalidInvitation):
        redeem(key, stranger)

    _, other = invite(project, lead)
    assert redeem(other, stranger).user == stranger


def test_revoking_twice_is_logged_once(project, lead):
    invitation, _ = invite(project, lead)

    invitations.revoke(invitation, by=lead)
    invitations.revoke(invitation, by=lead)

    assert Event.objects.filter(kind="invitation_withdrawn").count() == 1


def test_each_step_is_logged_once(project, lead, stranger):
    invitation, key = invite(project, lead)
    redeem(key, stranger)

    told = list(Event.objects.order_by("id").values_list("kind", "user_name", "about"))
    assert told == [("invitation_made", "lena", "link"), ("member_joined", "stella", "stella")]
    assert {event.project_id for event in Event.objects.all()} == {project.pk}
    assert Event.objects.first().detail == {"role": "rater", "invitation": invitation.pk}


@pytest.mark.parametrize(
    ("kind", "detail", "words"),
    [
        ("member_joined", {"role": "rater"}, "Joined as a rater"),
        ("member_joined", {"role": "auditor"}, "Joined as an auditor"),
        ("role_changed", {"old": "rater", "new": "auditor"}, "Role changed from rater to auditor"),
        ("role_changed", {"old": "rater", "new": "judge"}, "Role changed from rater to judge"),
        ("invitation_made", {"role": "rater", "max_uses": 1}, "Invitation created as a rater"),
        ("invitation_made", {"role": "lead", "max_uses": 3}, "Invitation created as a lead, up to 3 people"),
        ("rater_linked", {"user": "rita"}, "Rater linked, rita"),
        ("token_made", {}, "Token created"),
    ],
)
def test_an_event_says_what_happened(kind, detail, words):
    assert event_words(Event(kind=kind, detail=detail)) == words


def test_the_database_itself_refuses_one_use_too_many(project, lead):
    invitation, _ = invite(project, lead)

    with pytest.raises(IntegrityError, match="invitation_used_no_more_than_allowed"), transaction.atomic():
        Invitation.objects.filter(pk=invitation.pk).update(n_used=2)


# S19, P25
@pytest.mark.parametrize("max_uses", [1, 7])
def test_of_fifty_at_once_as_many_join_as_may(committed_db, max_uses):
    project = cast.new_project("Fifty", unique=True)
    lead = cast.member(project, "lead", username="lead", unique=True)
    people = [cast.person("p", unique=True) for _ in range(50)]
    invitation, key = invite(project, lead, max_uses=max_uses)

    def join(number: int) -> bool:
        try:
            return bool(redeem(key, people[number]))
        except InvalidInvitation:
            return False

    joined = at_once(50, join)

    invitation.refresh_from_db()
    assert sum(joined) == max_uses == invitation.n_used
    assert project.memberships.filter(role="rater").count() == max_uses
    assert invitation.redemptions.count() == max_uses
    assert Event.objects.filter(project_id=project.pk, kind="member_joined").count() == max_uses


def test_one_person_who_clicks_ten_times_uses_one(committed_db):
    project = cast.new_project("Clicks", unique=True)
    lead = cast.member(project, "lead", username="lead", unique=True)
    person = cast.person("p", unique=True)
    invitation, key = invite(project, lead, max_uses=10)

    at_once(10, lambda _: redeem(key, person).pk)

    invitation.refresh_from_db()
    assert invitation.n_used == 1
