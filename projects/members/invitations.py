"""Invitations to a project: for one person by username or email address, or for several by a link.

Nobody becomes a member without accepting. What a lead sees of an invitation does not depend on whether an account with
that name or address exists, until its owner accepts or declines.
"""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils import timezone

from core.refusals import Refused
from projects.events import record
from projects.models import Event, Invitation, Membership, Project

MAX_DAYS = 90
MAX_USES = 1000
SESSION_KEY = "invitation"


class InvalidInvitation(Refused):
    """Unknown, expired, revoked, used up, or somebody else's: indistinguishable from outside."""

    code, status_code = "not_found", 404

    def __init__(self) -> None:
        super().__init__("Invitation not found.")


class SinglePersonInvitation(ValueError):
    """An invitation to a username or email address is for one person."""


class AlreadyInvited(Refused):
    """The person is a member or has an open invitation; the lead sees both on the same page."""

    code = "invited_already"


class ImpossibleUsername(Refused):
    """No account can have this name, so nobody could ever accept."""

    code, status_code = "impossible_username", 400

    def __init__(self) -> None:
        super().__init__(
            "No account can have this username. Usernames have at least 2 characters: letters from a to z, digits, and "
            ". _ - (not as the first character)."
        )


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def invite(
    project: Project,
    *,
    by: Any,
    role: str,
    email: str = "",
    username: str = "",
    max_uses: int = 1,
    days: int = 7,
) -> tuple[Invitation, str]:
    """Create an invitation; returns it with its token, which is not stored and not needed for one to a username."""
    if (email or username) and max_uses != 1:
        raise SinglePersonInvitation("An invitation to one person can be used only once.")
    if username:
        _refuse_impossible(username)
        _refuse_again(project, username)
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        project=project,
        role=role,
        email=email.lower(),
        username=username,
        token_hash=hashed(token),
        max_uses=max_uses,
        expires_at=timezone.now() + timedelta(days=days),
        made_by=by,
    )
    record(
        Event.Kind.INVITATION_MADE,
        by=by,
        project=project,
        about=invitation.addressee or "link",
        role=role,
        invitation=invitation.pk,
        max_uses=max_uses,
    )
    return invitation, token


def _refuse_impossible(username: str) -> None:
    """Refuse by the rules of sign-up, never by whether there is such an account."""
    if len(username) < settings.ACCOUNT_USERNAME_MIN_LENGTH:
        raise ImpossibleUsername
    try:
        get_adapter().clean_username(username, shallow=True)
    except ValidationError:
        raise ImpossibleUsername from None


def _refuse_again(project: Project, username: str) -> None:
    """Refuse also names that differ only by case: no two people sign up with such names."""
    members = project.memberships.filter(user__username__iexact=username)
    if member := members.values_list("user__username", flat=True).first():
        raise AlreadyInvited(f"{member} is already a member.")
    invited = usable().filter(project=project, username__iexact=username)
    if name := invited.values_list("username", flat=True).first():
        raise AlreadyInvited(f"{name} already has an open invitation.")


@transaction.atomic
def revoke(invitation: Invitation, *, by: Any) -> None:
    """Nobody can join by it anymore; people who have joined stay."""
    n = Invitation.objects.filter(pk=invitation.pk, withdrawn_at=None).update(withdrawn_at=Now())
    if n:
        record(
            Event.Kind.INVITATION_WITHDRAWN,
            by=by,
            project=invitation.project,
            about=invitation.addressee or "link",
            invitation=invitation.pk,
        )


def revoke_links_of(member: Membership, *, by: Any) -> None:
    """Revoke the open links that the member created: they know the tokens, and could pass them on."""
    links = usable().filter(project=member.project_id, made_by=member.user_id, username="", email="")
    for invitation in links.select_related("project"):
        revoke(invitation, by=by)


@transaction.atomic
def decline(invitation: Invitation, *, by: Any) -> None:
    """The lead sees that it was declined; it can't be accepted anymore."""
    waiting = Invitation.objects.filter(pk=invitation.pk, withdrawn_at=None, declined_at=None, n_used=0)
    if waiting.update(declined_at=Now()):
        record(
            Event.Kind.INVITATION_DECLINED,
            by=by,
            project=invitation.project,
            about=invitation.addressee,
            invitation=invitation.pk,
        )


def waiting_for(user: Any, addresses: Iterable[str]) -> QuerySet[Invitation]:
    """The invitations that this user can accept or decline.

    addresses: the user's confirmed email addresses.
    """
    addressed = Q(email__in=[address.lower() for address in addresses])
    theirs = usable().filter(_named(user) | ~Q(email="") & addressed)
    open_to_them = theirs.exclude(project__memberships__user=user.pk).exclude(_removed_since(user))
    return open_to_them.select_related("project", "made_by")


def _named(user: Any) -> Q:
    """Select the invitations to the user's name, in any case unless it is exactly that of another account.

    An account created after an invitation to its username does not see it: the invited person had that name before.
    """
    namesake = get_user_model().objects.filter(username=OuterRef("username"))
    is_alike = Q(username__iexact=user.username) & ~Exists(namesake)
    return ~Q(username="") & (Q(username=user.username) | is_alike) & Q(made_at__gte=user.date_joined)


def _removed_since(user: Any) -> Exists:
    """Select the invitations to projects from which others have removed the user since the invitation was created."""
    removals = Event.objects.filter(
        kind=Event.Kind.MEMBER_REMOVED,
        project_id=OuterRef("project_id"),
        about=user.username,
        at__gte=OuterRef("made_at"),
    )
    return Exists(removals.exclude(user_id=user.pk))


def usable() -> QuerySet[Invitation]:
    """The invitations by which someone could join now."""
    return Invitation.objects.filter(
        withdrawn_at=None, declined_at=None, expires_at__gt=timezone.now(), n_used__lt=F("max_uses")
    ).exclude(Q(project__state=Project.State.CLOSED) | Q(project__deletion_due_at__isnull=False))


@dataclass(frozen=True, slots=True)
class InvitationRow:
    """An invitation as leads see it, with the people who joined by it."""

    invitation: Invitation
    state: str
    joined: list[Any]

    @property
    def is_open(self) -> bool:
        return self.state == "open"


def state_of(invitation: Invitation) -> str:
    if invitation.withdrawn_at:
        return "revoked"
    if invitation.declined_at:
        return "declined"
    if invitation.n_used >= invitation.max_uses:
        return "used"
    return "open" if invitation.expires_at > timezone.now() else "expired"


def invitation_row(invitation: Invitation) -> InvitationRow:
    joined = [redemption.user for redemption in invitation.redemptions.all()]
    return InvitationRow(invitation, state_of(invitation), joined)


def find(token_hash: str) -> Invitation:
    invitation = usable().select_related("project", "made_by").filter(token_hash=token_hash).first()
    if invitation is None:
        raise InvalidInvitation
    return invitation


@transaction.atomic
def redeem(token_hash: str, *, user: Any, addresses: Iterable[str]) -> Membership:
    """Make the user a member by an invitation; existing members use nothing up.

    addresses: the user's confirmed email addresses.
    """
    # The lock serializes simultaneous redemptions; the condition is read again after it.
    invitation = (
        usable()
        .select_for_update(of=["self"])
        .filter(token_hash=token_hash)
        .select_related("project")
        .first()
    )
    if invitation is None or not is_for(invitation, user, addresses):
        raise InvalidInvitation
    member = Membership.objects.filter(project=invitation.project, user=user).first()
    # Removed members can't rejoin by a link they still have.
    if member is None and invitation.redemptions.filter(user=user).exists():
        raise InvalidInvitation
    return member or _join(invitation, user)


def is_for(invitation: Invitation, user: Any, addresses: Iterable[str]) -> bool:
    """Return whether the user may join by the invitation, or has joined otherwise."""
    is_member = Membership.objects.filter(project=invitation.project_id, user=user.pk).exists()
    if not is_member and Invitation.objects.filter(_removed_since(user), pk=invitation.pk).exists():
        return False
    if invitation.username:
        return Invitation.objects.filter(_named(user), pk=invitation.pk).exists()
    return not invitation.email or invitation.email.lower() in {address.lower() for address in addresses}


def _join(invitation: Invitation, user: Any) -> Membership:
    member, is_new = Membership.objects.get_or_create(
        project=invitation.project, user=user, defaults={"role": invitation.role}
    )
    if not is_new:
        return member
    Invitation.objects.filter(pk=invitation.pk).update(n_used=F("n_used") + 1)
    invitation.redemptions.create(user=user)
    record(
        Event.Kind.MEMBER_JOINED,
        by=user,
        project=invitation.project,
        about=user.username,
        role=invitation.role,
        invitation=invitation.pk,
    )
    return member


def store_in_session(request: HttpRequest, token: str) -> None:
    """Keep the invitation, but not its token, in the visitor's session."""
    request.session[SESSION_KEY] = hashed(token)


def invitation_in_session(request: HttpRequest) -> Invitation | None:
    """The invitation that the visitor came with, while it can be used."""
    token_hash = request.session.get(SESSION_KEY)
    if not token_hash:
        return None
    try:
        return find(token_hash)
    except InvalidInvitation:
        return None


def used_by(request: HttpRequest) -> Invitation | None:
    """The invitation that the visitor came with, if it is one by which this user has joined before."""
    token_hash = request.session.get(SESSION_KEY)
    if not token_hash or not request.user.is_authenticated:
        return None
    theirs = Invitation.objects.filter(redemptions__user=request.user.pk, project__deletion_due_at=None)
    return theirs.select_related("project").filter(token_hash=token_hash).first()


def remove_from_session(request: HttpRequest) -> None:
    request.session.pop(SESSION_KEY, None)
