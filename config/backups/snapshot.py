"""A snapshot of the database, shared by pg_dump, the counts, and the list of media files."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from core.snapshots import snapshot_connection

SETTINGS = (
    "SET LOCAL statement_timeout = 0",
    "SET LOCAL lock_timeout = 0",
    "SET LOCAL idle_in_transaction_session_timeout = 0",
)
# Unlogged tables contain temporary rows, which pg_dump omits.
_TABLES = """
SELECT relname FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relpersistence = 'p' ORDER BY relname
"""


_HEADS = """
SELECT DISTINCT ON (project_id) project_id, position, encode(digest, 'hex') FROM core_historyentry
WHERE position IS NOT NULL ORDER BY project_id, position DESC
"""


def heads_of(opened: Any) -> dict[str, str]:
    return {str(project): f"{position}:{digest}" for project, position, digest in opened.execute(_HEADS)}


@dataclass(frozen=True, slots=True)
class DatabaseSnapshot:
    """name: lets another connection use the same snapshot while this one is open."""

    name: str
    connection: psycopg.Connection[Any]

    def counts(self) -> dict[str, int]:
        tables = [name for (name,) in self.connection.execute(_TABLES)]
        return {
            name: self._value(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name)))
            for name in tables
        }

    def media(self) -> list[str]:
        """The digests of the media files that the database refers to."""
        rows = self.connection.execute("SELECT DISTINCT sha256 FROM projects_mediafile ORDER BY sha256")
        return [digest for (digest,) in rows]

    def heads(self) -> dict[str, str]:
        """The head of each project's history, by project ID; "0" is the site's."""
        if not self._value(sql.SQL("SELECT to_regclass('core_historyentry') IS NOT NULL")):
            # A version without a history chain.
            return {}
        return heads_of(self.connection)

    def migrations(self) -> list[str]:
        rows = self.connection.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
        return [f"{app}.{name}" for app, name in rows]

    def postgres(self) -> str:
        return str(self._value(sql.SQL("SHOW server_version"))).split()[0]

    def _value(self, query: sql.SQL | sql.Composed) -> Any:
        row = self.connection.execute(query).fetchone()
        return row[0] if row else None


@contextmanager
def snapshot() -> Iterator[DatabaseSnapshot]:
    with snapshot_connection(SETTINGS) as opened:
        row = opened.execute("SELECT pg_export_snapshot()").fetchone()
        yield DatabaseSnapshot(row[0] if row else "", opened)
