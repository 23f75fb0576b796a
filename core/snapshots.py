"""A connection that sees the database at one moment, unaffected by later writes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection

# Django's own: they change what a cursor returns.
_OF_DJANGO = {"cursor_factory", "context"}


@contextmanager
def snapshot_connection(settings: Sequence[str] = ()) -> Iterator[psycopg.Connection[Any]]:
    """A new connection to Django's database, in a REPEATABLE READ, READ ONLY transaction; closed at the end.

    settings: statements to run first, such as SET LOCAL for its time limits.
    """
    params = connection.get_connection_params()
    params = {name: value for name, value in params.items() if name not in _OF_DJANGO}
    opened = psycopg.connect(**params, autocommit=True)
    try:
        opened.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for setting in settings:
            opened.execute(setting)
        yield opened
    finally:
        # Also ends the transaction, which has nothing to commit.
        opened.close()
