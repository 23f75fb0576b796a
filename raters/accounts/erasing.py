"""Erase a person: account and names are removed, and labels are kept under a pseudonym."""

from collections.abc import Mapping
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce, Now
from knox.models import AuthToken

from core.refusals import Refused
from projects.events import forget, record
from projects.models import Event, Invitation, Membership, Project, Round
from raters.models import LabelImport, Notification, NotificationChoice, NotificationMail, Rater, User
from raters.renaming import raters_renamed


class CannotErase(Refused):
    """The person cannot be erased; the message says why and what to do first."""

    code = "cannot_erase"


def _unused(name: str, taken: QuerySet[Any]) -> str:
    """Return the name, or a variant if it is taken."""
    while name in taken:
        name += "x"
    return name


@transaction.atomic
def erase(user: User, *, by: Any, username: str) -> None:
    """Erase a person, with the username typed to confirm. Raises CannotErase.

    Free text such as notes and guidelines is not changed, nor are existing lines of the program's log.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    _refuse(user, by=by, username=username)
    pseudonym = _unused(f"erased-{user.pk}", User.objects.values_list("username", flat=True))
    name = user.username
    addresses = {user.email, *EmailAddress.objects.filter(user=user).values_list("email", flat=True)} - {""}
    User.objects.filter(pk=user.pk).update(
        username=pseudonym,
        email="",
        first_name="",
        last_name="",
        password=make_password(None),
        is_active=False,
        is_staff=False,
        is_superuser=False,
    )
    for model in (EmailAddress, Authenticator, AuthToken):
        model.objects.filter(user=user).delete()
    Notification.objects.filter(recipient=user).delete()
    NotificationMail.objects.filter(recipient=user).delete()
    NotificationChoice.objects.filter(user=user).delete()
    _end_sessions(user)
    _remove_from_projects(user, pseudonym, by=by)
    _withdraw_invitations(name, addresses, pseudonym)
    _rename_raters(user, name, pseudonym)
    # The database requires this event for changing names.
    record(Event.Kind.PERSON_ERASED, by=by, about=pseudonym, account=user.pk)
    for named in (name, *addresses):
        forget(user.pk, named)


def _refuse(user: User, *, by: Any, username: str) -> None:
    if username != user.username:
        raise CannotErase("Enter the username exactly as shown.")
    if user.is_erased:
        raise CannotErase("This person has already been erased.")
    if by is not None and user.pk == by.pk:
        raise CannotErase("You cannot erase your own account.")
    owners = User.objects.filter(is_superuser=True, is_active=True)
    if user.is_superuser and not owners.exclude(pk=user.pk).exists():
        raise CannotErase(f"{user.username} is the only server owner. Make someone else an owner first.")
    lead = Membership.Role.LEAD
    others = Membership.objects.filter(project=OuterRef("pk"), role=lead).exclude(user=user)
    led = Project.objects.filter(memberships__user=user, memberships__role=lead, deletion_due_at=None)
    if names := list(led.exclude(Exists(others)).values_list("name", flat=True)):
        raise CannotErase(
            f"{user.username} is the only lead of {', '.join(names)}. Make someone else a lead first."
        )


def _end_sessions(user: User) -> None:
    sessions = (
        session.pk
        for session in Session.objects.iterator()
        if session.get_decoded().get("_auth_user_id") == str(user.pk)
    )
    Session.objects.filter(pk__in=list(sessions)).delete()
    # Also removes addresses and browsers of ended sessions.
    UserSession.objects.filter(user=user).delete()


def _remove_from_projects(user: User, pseudonym: str, *, by: Any) -> None:
    for member in Membership.objects.filter(user=user).select_related("project"):
        record(Event.Kind.MEMBER_REMOVED, by=by, project=member.project, about=pseudonym, role=member.role)
        member.delete()


def _withdraw_invitations(name: str, addresses: set[str], pseudonym: str) -> None:
    """Withdraw invitations. They keep the pseudonym, since an invitation for nobody would be for anyone."""
    withdrawn_at = Coalesce("withdrawn_at", Now())
    invited = Invitation.objects.filter(email__in=[address.lower() for address in addresses])
    invited.update(email=pseudonym, withdrawn_at=withdrawn_at)
    Invitation.objects.filter(username__iexact=name).update(username=pseudonym, withdrawn_at=withdrawn_at)


def _rename_raters(user: User, name: str, pseudonym: str) -> None:
    """Replace the keys of the person's raters by anonymous ones, wherever keys are stored."""
    for rater in Rater.objects.filter(user=user, key__icontains=name):
        keys = Rater.objects.filter(project=rater.project_id).values_list("key", flat=True)
        old, rater.key = rater.key, _unused(f"rater-{rater.pk}", keys)
        rater.save(update_fields=["key"])
        raters_renamed.send(Rater, rater=rater, old=old)
        # Previews and faults of old imports contain excerpts of their files.
        LabelImport.objects.filter(project=rater.project_id, preview__icontains=old).update(
            preview={}, faults=[]
        )
        _rename_in_plans(rater.project_id, {old: rater.key, name: pseudonym})
    for project in (
        Round.objects.filter(plans__contains=[{"by": name}]).values_list("project", flat=True).distinct()
    ):
        _rename_in_plans(project, {name: pseudonym})


def _rename_in_plans(project: int, names: Mapping[str, str]) -> None:
    for round_ in Round.objects.filter(project=project).exclude(plans=[]):
        round_.plans = renamed(round_.plans, names)
        round_.save(update_fields=["plans"])


# JSON keys whose values are names of raters or people.
PLACES = {"rater", "rater_a", "rater_b", "raters", "reference", "by"}
# JSON keys of objects whose own keys are names of raters.
KEYED = {"distributions"}


def renamed(value: Any, names: Mapping[str, str], *, under: str = "") -> Any:
    """Return the JSON with names of people replaced wherever they occur."""
    if isinstance(value, dict):
        own = {key: names.get(key, key) if under in KEYED else key for key in value}
        return {own[key]: renamed(each, names, under=key) for key, each in value.items()}
    if isinstance(value, list):
        return [renamed(each, names, under=under) for each in value]
    return names.get(value, value) if under in PLACES and isinstance(value, str) else value
