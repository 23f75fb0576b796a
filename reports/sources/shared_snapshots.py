"""Several connections that see the database in the same snapshot."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import psycopg
from psycopg import sql

from core.history import Head, head_of
from core.snapshots import snapshot_connection

READERS = 2


@dataclass(frozen=True, slots=True)
class Snapshot:
    """head: the point of the history whose labels are read; None for the current ones."""

    connections: tuple[psycopg.Connection[Any], ...]
    head: Head | None = None


@contextmanager
def open_snapshot(*, n_connections: int = READERS) -> Iterator[Snapshot]:
    """Open connections to Django's database in one REPEATABLE READ, READ ONLY snapshot, and close them at the end."""
    with ExitStack() as stack:
        # Connections are opened in parallel, because passwords take time to check; if one fails, the stack closes the
        # others.
        with ThreadPoolExecutor(n_connections) as pool:
            opened = pool.map(lambda _: stack.enter_context(snapshot_connection()), range(n_connections))
            first, *others = opened
        [(name,)] = first.execute("SELECT pg_export_snapshot()").fetchall()
        for other in others:
            other.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(name))
        for each in (first, *others):
            # Slices are small and two are read at once, so starting parallel workers or JIT compilation would cost more
            # than it saves.
            each.execute("SET LOCAL max_parallel_workers_per_gather = 0")
            each.execute("SET LOCAL jit = off")
        yield Snapshot((first, *others))


@contextmanager
def open_snapshot_at(head: Head) -> Iterator[Snapshot]:
    """Open a snapshot in which labels are read as they were at this point of the history.

    If nothing was added to the history since, these are the current ones, which are read much faster.
    """
    with open_snapshot() as snapshot:
        is_current = head_of(head.project_id, snapshot.connections[0].cursor()) == head
        yield snapshot if is_current else replace(snapshot, head=head)
