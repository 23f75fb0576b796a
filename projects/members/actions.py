"""Everything that changes the members of a project."""

from typing import Any

from django.db import transaction

from core.refusals import Refused
from projects.actions import lock
from projects.events import record
from projects.members.invitations import revoke_links_of
from projects.models import Event, Membership
from projects.roles import PERMISSIONS, Permission


class LastLead(Refused):
    """The last lead can't leave: nobody could change the project anymore."""

    code = "last_lead"

    def __init__(self) -> None:
        super().__init__("A project needs at least one lead. Make someone else a lead first.")


@transaction.atomic
def change_role(member: Membership, *, by: Any, role: str) -> None:
    """Change the role. Open links that the member created are revoked if the new role may not create any.

    Raises Membership.DoesNotExist if the member has been removed meanwhile.
    """
    lock(member.project_id)
    member.refresh_from_db(fields=["role"])
    if role == member.role:
        return
    if role != Membership.Role.LEAD:
        _require_a_lead(member)
    record(
        Event.Kind.ROLE_CHANGED,
        by=by,
        project=member.project,
        about=member.user.username,
        old=member.role,
        new=role,
    )
    member.role = role
    member.save(update_fields=["role"])
    if Permission.EDIT_PROJECT not in PERMISSIONS[role]:
        revoke_links_of(member, by=by)


@transaction.atomic
def remove_member(member: Membership, *, by: Any) -> None:
    """Remove the member's access; their labels stay.

    Links that they created are revoked, and they cannot come back by an earlier invitation (`invitations.is_for`).
    Raises Membership.DoesNotExist if the member has been removed meanwhile.
    """
    lock(member.project_id)
    member.refresh_from_db(fields=["role"])
    _require_a_lead(member)
    record(
        Event.Kind.MEMBER_REMOVED,
        by=by,
        project=member.project,
        about=member.user.username,
        role=member.role,
    )
    revoke_links_of(member, by=by)
    member.delete()


def is_last_lead(member: Membership) -> bool:
    if member.role != Membership.Role.LEAD:
        return False
    leads = Membership.objects.filter(project=member.project_id, role=Membership.Role.LEAD)
    return not leads.exclude(pk=member.pk).exists()


def _require_a_lead(member: Membership) -> None:
    if is_last_lead(member):
        raise LastLead
