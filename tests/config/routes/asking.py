"""Asking a route as one of the subjects, in a world that a process makes once."""

import json
from contextlib import nullcontext
from functools import cache

from django.conf import settings
from django.test import Client

from tests import cast
from tests.config.routes.row import Row
from tests.finished import World, new_world
from tests.reading import only_reads

# What a GET may write; nothing of what a project consists of, and no assignment above all.
WRITTEN_BY_LOOKING = frozenset(
    {
        "django_session",
        "usersessions_usersession",
        # That somebody looked at labels, or took a file away, is in the log, which is chained.
        "projects_event",
        "core_historyentry",
        "raters_cachedvalue",
        # A report that its reader was notified of is read once they open it.
        "raters_notification",
        # Figures that are computed when they are first shown.
        "reports_laterfigures",
    }
)

# By username, of those whose world is made once: to sign in for each request took a third of the time.
SESSIONS: dict[str, str] = {}


def client_of(world: World, subject: str) -> Client:
    client = Client()
    if subject != "anonymous":
        user = world.people[subject]
        if user.username in SESSIONS:
            client.cookies[settings.SESSION_COOKIE_NAME] = SESSIONS[user.username]
        else:
            cast.sign_in(client, user)
    return client


def send(client: Client, method: str, address: str, row: Row) -> int:
    """The status of the answer. A GET that writes fails."""
    with only_reads(but_for=WRITTEN_BY_LOOKING) if method == "get" else nullcontext():
        return _send(client, method, address, row)


def _send(client: Client, method: str, address: str, row: Row) -> int:
    if row.is_api:
        return client.generic(
            method.upper(),
            address,
            *([] if method == "get" else [json.dumps(row.data)]),
            content_type="application/json",
            headers=row.headers,
        ).status_code
    return getattr(client, method)(address, row.data).status_code


@cache
def made_once(name: str) -> World:
    world = new_world(name, n_items=6, n_raters=3)
    for subject, user in world.people.items():
        SESSIONS[user.username] = client_of(world, subject).cookies[settings.SESSION_COOKIE_NAME].value
    return world
