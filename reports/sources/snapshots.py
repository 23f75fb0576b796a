"""Several connections that see the database at one and the same moment."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from core.snapshots import snapshot_connection

READERS = 2


@dataclass(frozen=True, slots=True)
class Snapshot:
    connections: tuple[psycopg.Connection[Any], ...]


@contextmanager
def open_snapshot(*, n_connections: int = READERS) -> Iterator[Snapshot]:
    """Connections of their own to Django's database, in one REPEATABLE READ, READ ONLY snapshot; closed at the end."""
    with ExitStack() as stack:
        # Passwords take time to check, so that all are opened at once; what the stack holds is closed if one fails.
        with ThreadPoolExecutor(n_connections) as pool:
            opened = pool.map(lambda _: stack.enter_context(snapshot_connection()), range(n_connections))
            first, *others = opened
        [(name,)] = first.execute("SELECT pg_export_snapshot()").fetchall()
        for other in others:
            other.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(name))
        for each in (first, *others):
            # Slices are small and two are read at once: starting parallel workers or compiling would cost
            # more.
            each.execute("SET LOCAL max_parallel_workers_per_gather = 0")
            each.execute("SET LOCAL jit = off")
        yield Snapshot((first, *others))
