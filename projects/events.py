"""The log of access-related events: who signed in, who admitted whom, and who changed whose rights."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from psycopg.types.json import Jsonb

from projects.models import Event, Project

logger = logging.getLogger(__name__)

MAX_NAME = 150


# Whether changes are only tried, and rolled back at once.
_on_trial: ContextVar[bool] = ContextVar("on_trial", default=False)


@contextmanager
def on_trial() -> Iterator[None]:
    """Suspend recording inside the block, whose changes are rolled back before anyone can see them."""
    before = _on_trial.set(True)
    try:
        yield
    finally:
        _on_trial.reset(before)


# Callbacks by kind of event, from apps that this one must not import.
_following: dict[str, list[Callable[[Event, Project, Any], None]]] = {}


def follow(kind: Event.Kind, step: Callable[[Event, Project, Any], None]) -> None:
    """Register `step(event, project, by)` to run in the transaction of every event of this kind."""
    _following.setdefault(kind, []).append(step)


def record(
    kind: Event.Kind, *, by: Any = None, project: Project | None = None, about: str = "", **detail: Any
) -> Event:
    """Write one event to the table, and one line to the program's log.

    Runs in the caller's transaction, so that rolled-back actions are not recorded.
    """
    if _on_trial.get():
        return Event(kind=kind, about=about, detail=detail)
    # PostgreSQL cannot store NUL.
    name = (getattr(by, "username", "") or "").replace("\0", "")[:MAX_NAME]
    [event] = Event.objects.raw(
        "SELECT * FROM record_event(%s, %s, %s, %s, %s, %s)",
        [
            kind,
            project.pk if project else None,
            # The ID of a guest belongs to no account.
            getattr(by, "pk", None) or None,
            name,
            about.replace("\0", ""),
            Jsonb(detail),
        ],
    )
    # As ASCII JSON, so that no name can break the line, hide a part of it, or reverse its direction.
    line = {"project": project.slug if project else "", "by": name, "about": event.about, **detail}
    logger.info("%s %s", event.kind, json.dumps(line))
    if project is not None:
        for step in _following.get(kind, ()):
            step(event, project, by)
    return event


def events_of(project: Project) -> QuerySet[Event]:
    """Return the events of a project, newest first."""
    return Event.objects.filter(project_id=project.pk).order_by("-id")


# Kinds whose `about` is a person: a user name, an address, or the key of a rater.
ABOUT_PEOPLE = (
    Event.Kind.SIGNED_IN,
    Event.Kind.SIGN_IN_FAILED,
    Event.Kind.SESSION_ENDED,
    Event.Kind.PASSWORD_CHANGED,
    Event.Kind.SECOND_FACTOR_ADDED,
    Event.Kind.SECOND_FACTOR_REMOVED,
    Event.Kind.MEMBER_JOINED,
    Event.Kind.MEMBER_REMOVED,
    Event.Kind.ROLE_CHANGED,
    Event.Kind.INVITATION_MADE,
    Event.Kind.INVITATION_WITHDRAWN,
    Event.Kind.INVITATION_DECLINED,
)


def forget(user_id: int, name: str) -> None:
    """Replace this name of an erased account with its pseudonym in all events."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT forget_person(%s, %s, %s)", [user_id, name, [str(each) for each in ABOUT_PEOPLE]]
        )
