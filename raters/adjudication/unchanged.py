"""Cache results that depend on all labels of a project until its history grows."""

from collections.abc import Callable, Iterable

from django.core.cache import cache
from django.db import connection

from core.history import head_of

CACHE_SECONDS = 300
_HAS_PENDING = "SELECT EXISTS (SELECT FROM core_historyentry WHERE project_id = %s AND position IS NULL)"

Places = list[list[int]]


def while_unchanged(project_id: int, name: str, find: Callable[[], Places]) -> Places:
    """Return the result of `find`, cached under this name until something in the project changes.

    Not cached within a transaction that has written to the project, since only it can see its changes.
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
        cache.set(key, found, CACHE_SECONDS)
    return found


def columns_of(places: Iterable[tuple[int, int]]) -> Places:
    """Return item IDs and question IDs as two lists, for the database."""
    rows = list(places)
    return [[item for item, _ in rows], [question for _, question in rows]]
