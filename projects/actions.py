"""All changes of a project and its members."""

import re
from collections.abc import Collection
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from core.field_changes import changes_of
from core.refusals import Refused
from projects.codebook.guidelines import add_version, write_guidelines
from projects.events import record
from projects.items.layout import field_names
from projects.models import Event, Membership, Project
from projects.refusals import SlugTaken
from projects.thresholds import ReadingScaleChoice

MAX_SLUG = 80
# How often a free slug is looked for, in case someone else takes it first.
TRIES = 10


class NoThresholds(Refused):
    """A project with custom thresholds must have at least one."""

    code, status_code = "no_thresholds", 400

    def __init__(self) -> None:
        super().__init__("Enter at least one threshold, or choose another scale.")


class NothingToRead(Refused):
    """Raters would not see the main field, or no field at all."""

    code, status_code, field = "nothing_to_read", 400, "fields_hidden"

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.errors = [{"field": self.field, "code": self.code, "detail": sentence}]


@transaction.atomic
def create_project(name: str, *, by: Any, slug: str = "", **fields: Any) -> Project:
    """Create a project with its creator as lead; the slug is derived from the name unless given.

    Raises SlugTaken, NothingToRead.
    """
    _refuse_hidden(fields.get("main_field", ""), fields.get("fields_hidden", []), known=())
    project = _insert(name, slug=slug, **fields)
    Membership.objects.create(project=project, user=by, role=Membership.Role.LEAD)
    if project.guidelines:
        add_version(project, project.guidelines, 1, by=by)
    record(
        Event.Kind.MEMBER_JOINED, by=by, project=project, about=by.username, role=Membership.Role.LEAD.value
    )
    return project


def _insert(name: str, *, slug: str, **fields: Any) -> Project:
    derived = re.sub("[-_]+", "-", slugify(name))[:MAX_SLUG].strip("-") or "project"
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                return Project.objects.create(name=name, slug=slug or free_slug(derived), **fields)
        except IntegrityError:
            # A slug that was given is not replaced by another.
            if slug:
                raise SlugTaken(f"A project with the slug {slug!r} already exists.") from None
    raise SlugTaken(f"Other projects called {name!r} are being created right now. Try again.")


def free_slug(slug: str) -> str:
    """Return the slug, with a number appended if it is taken."""
    if not Project.objects.filter(slug=slug).exists():
        return slug
    base = slug[: MAX_SLUG - 6].strip("-")
    taken = set(Project.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    return next(tried for n in range(2, len(taken) + 3) if (tried := f"{base}-{n}") not in taken)


@transaction.atomic
def change_project(project: Project, *, by: Any, **fields: Any) -> Project:
    """Change a project. Raises NothingToRead, and NoThresholds for a scale of its own without thresholds."""
    now = lock(project.pk)
    scale, thresholds = (fields.get(name, getattr(now, name)) for name in ("reading_scale", "thresholds"))
    if scale == ReadingScaleChoice.OWN and not thresholds:
        raise NoThresholds
    if "guidelines" in fields:
        write_guidelines(project, fields.pop("guidelines"), by=by)
    changed = changes_of(now, fields)
    if not changed.keys().isdisjoint({"main_field", "fields_hidden"}):
        main, hidden = (fields.get(name, getattr(now, name)) for name in ("main_field", "fields_hidden"))
        _refuse_hidden(main, hidden, known=field_names(project.pk))
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


def _refuse_hidden(main: str, hidden: Collection[str], *, known: Collection[str]) -> None:
    """known: the fields that items have."""
    if main and main in hidden:
        raise NothingToRead(
            f"“{main}” is the main field, so it can’t be hidden. Choose another main field first."
        )
    if known and set(known) <= set(hidden):
        raise NothingToRead("Raters would see nothing of the items. Leave at least one field visible.")


def lock(project_id: int) -> Project:
    """Return the current project, locked, so that two leads who remove each other wait for one another."""
    # This lock does not wait for running imports, which refer to the project.
    return Project.objects.select_for_update(no_key=True).get(pk=project_id)
