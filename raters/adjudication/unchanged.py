"""Keeps what follows from all labels of a project until its history grows: a page asks for it more than once."""

from collections.abc import Callable, Iterable

from django.core.cache import cache
from django.db import connection

from core.history import head_of

KEPT_SECONDS = 300
_HAS_PENDING = "SELECT EXISTS (SELECT FROM core_historyentry WHERE project_id = %s AND position IS NULL)"

Places = list[list[int]]


def while_unchanged(project_id: int, name: str, find: Callable[[], Places]) -> Places:
    """What `find` returns, or what it returned before under this name if nothing in the project has changed since.

    A transaction that has written to the project has changed what only it sees, so nothing is kept of it.
    """
    with connection.cursor() as cursor:
        head = head_of(project_id, cursor)
        cursor.execute(_HAS_PENDING, [project_id])
        if cursor.fetchone()[0]:
            return find()
    key = f"{name}:{project_id}:{head.position}"
    found: Places | None = cache.get(key)
    if found is None:
        found = find()
        cache.set(key, found, KEPT_SECONDS)
    return found


def columns_of(places: Iterable[tuple[int, int]]) -> Places:
    """Items and questions, as the database takes them."""
    rows = list(places)
    return [[item for item, _ in rows], [question for _, question in rows]]
