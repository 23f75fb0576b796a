"""The log of what was done about access: who signed in, who let whom in, who changed what somebody may do."""

import json
import logging
from typing import Any

from django.db.models import QuerySet
from psycopg.types.json import Jsonb

from projects.models import Event, Project

logger = logging.getLogger(__name__)

MAX_NAME = 150


def record(
    kind: Event.Kind, *, by: Any = None, project: Project | None = None, about: str = "", **detail: Any
) -> Event:
    """Write one event to the table, and one line to the program's own log.

    In the transaction of the caller: what is rolled back was not done.
    """
    # NUL is the one character that Postgres cannot keep.
    name = (getattr(by, "username", "") or "").replace("\0", "")[:MAX_NAME]
    [event] = Event.objects.raw(
        "SELECT * FROM record_event(%s, %s, %s, %s, %s, %s)",
        [
            kind,
            project.pk if project else None,
            getattr(by, "pk", None),
            name,
            about.replace("\0", ""),
            Jsonb(detail),
        ],
    )
    # As JSON in ASCII, so that no name breaks the line, hides a part of it, or runs backwards.
    line = {"project": project.slug if project else "", "by": name, "about": event.about, **detail}
    logger.info("%s %s", event.kind, json.dumps(line))
    return event


def events_of(project: Project) -> QuerySet[Event]:
    """The events of a project, newest first."""
    return Event.objects.filter(project_id=project.pk).order_by("-id")
