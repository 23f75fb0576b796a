"""Everything that changes a project and its members."""

import re
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from projects.changes import changes_of
from projects.events import record
from projects.guidelines import add_version, write_guidelines
from projects.models import Event, Item, Membership, Project
from projects.thresholds import ReadingScale

MAX_SLUG = 80


class ProjectClosed(Exception):
    """A closed project takes no labels and no new questions until a lead opens it again."""


class LastLead(Exception):
    """A project without a lead could never be changed again."""

    def __init__(self) -> None:
        super().__init__("A project needs at least one lead. Make someone else a lead first.")


class NoThresholds(Exception):
    """A project that reads by thresholds of its own has to have some."""

    def __init__(self) -> None:
        super().__init__("Enter at least one threshold, or choose another scale.")


class KeyTaken(Exception):
    """A key that must be unique in its place is there already."""


@transaction.atomic
def create_project(name: str, *, by: Any, slug: str = "", **fields: Any) -> Project:
    """A new project with its maker as lead; without a slug, one is made of the name."""
    project = _insert(name, slug=slug, fields=fields)
    Membership.objects.create(project=project, user=by, role=Membership.Role.LEAD)
    if project.guidelines:
        add_version(project, project.guidelines, 1, by=by)
    record(
        Event.Kind.MEMBER_JOINED, by=by, project=project, about=by.username, role=Membership.Role.LEAD.value
    )
    return project


def _insert(name: str, *, slug: str, fields: dict[str, Any]) -> Project:
    base = slug or re.sub("[-_]+", "-", slugify(name))[: MAX_SLUG - 6].strip("-") or "project"
    for number in range(1, 1000):
        tried = base if number == 1 else f"{base}-{number}"
        try:
            with transaction.atomic():
                return Project.objects.create(name=name, slug=tried, **fields)
        except IntegrityError:
            # A slug that was asked for by name is not replaced by another.
            if slug:
                raise KeyTaken(f"A project with the slug {slug!r} already exists.") from None
    raise KeyTaken(f"There are too many projects called {name!r}. Choose another name.")


@transaction.atomic
def change_project(project: Project, *, by: Any, **fields: Any) -> Project:
    """Raises NoThresholds if the project would then use its own scale without thresholds."""
    now = _lock(project.pk)
    scale, thresholds = (fields.get(name, getattr(now, name)) for name in ("reading_scale", "thresholds"))
    if scale == ReadingScale.OWN and not thresholds:
        raise NoThresholds
    if "guidelines" in fields:
        write_guidelines(project, fields.pop("guidelines"), by=by)
    changed = changes_of(now, fields)
    for name, value in fields.items():
        setattr(project, name, value)
    project.save(update_fields=list(changed))
    states = changed.get("state", {}).values()
    if Project.State.CLOSED in states:
        is_closing = project.state == Project.State.CLOSED
        kind = Event.Kind.PROJECT_CLOSED if is_closing else Event.Kind.PROJECT_REOPENED
        record(kind, by=by, project=project, **changed.pop("state"))
    if changed:
        record(Event.Kind.PROJECT_CHANGED, by=by, project=project, changed=changed)
    return project


@transaction.atomic
def change_role(member: Membership, *, by: Any, role: str) -> None:
    """Raises Membership.DoesNotExist for one who has been removed meanwhile."""
    _lock(member.project_id)
    member.refresh_from_db(fields=["role"])
    if role == member.role:
        return
    if role != Membership.Role.LEAD:
        _keep_a_lead(member)
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


@transaction.atomic
def remove_member(member: Membership, *, by: Any) -> None:
    """Take away access; what the person has said as a rater stays."""
    _lock(member.project_id)
    _keep_a_lead(member)
    record(
        Event.Kind.MEMBER_REMOVED,
        by=by,
        project=member.project,
        about=member.user.username,
        role=member.role,
    )
    member.delete()


def _lock(project_id: int) -> Project:
    """The project as it is now, kept so: two leads who remove each other at once wait for one another."""
    # An import that runs in the project refers to it, and is not to be waited for.
    return Project.objects.select_for_update(no_key=True).get(pk=project_id)


def _keep_a_lead(member: Membership) -> None:
    leads = Membership.objects.filter(project=member.project_id, role=Membership.Role.LEAD)
    if not leads.exclude(pk=member.pk).exists():
        raise LastLead


@transaction.atomic
def withdraw_item(item: Item, *, by: Any) -> Item:
    """From now on no rater is asked for it, and those who have it before them can save nothing; what was said stays."""
    item = _held(item)
    if item.withdrawn_at is None:
        item.withdrawn_at = timezone.now()
        item.save(update_fields=["withdrawn_at"])
        record(Event.Kind.ITEM_WITHDRAWN, by=by, project=item.project, about=item.key)
    return item


@transaction.atomic
def put_item_back(item: Item, *, by: Any) -> Item:
    """What waited on it in the rounds that are open goes on."""
    item = _held(item)
    if item.withdrawn_at is not None:
        item.withdrawn_at = None
        item.save(update_fields=["withdrawn_at"])
        record(Event.Kind.ITEM_PUT_BACK, by=by, project=item.project, about=item.key)
    return item


def _held(item: Item) -> Item:
    """The item as it is now; whoever is just saving a label of it is waited for, and saves before."""
    return Item.objects.select_for_update(of=["self"]).select_related("project").get(pk=item.pk)
