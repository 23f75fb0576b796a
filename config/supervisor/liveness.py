"""Detects a worker that is alive but no longer starts runs, so that it can be restarted.

Run as a program, `python -m config.supervisor.liveness worker|dispatcher`, it is the containers' health check.
"""

import os
import sys
import time
from dataclasses import dataclass
from typing import LiteralString

import psycopg
from psycopg import sql

# All tables of runs; a test compares them with the models. Those of the second kind start at a set time, so an
# earlier message proves nothing.
TABLES = (
    "raters_finalestimate",
    "raters_labelimport",
    "raters_storedfigures",
    "reports_laterfigures",
    "reports_report",
    "reports_reportshard",
)
DELAYED = ("projects_delivery", "raters_modelrun", "raters_notificationmail")
DEAF_AFTER = 60.0
EVERY = 15.0


@dataclass(slots=True)
class Liveness:
    """Queries the database now and then; an unreachable database proves nothing about the worker."""

    url: str
    next_at: float = 0.0

    def worker_is_deaf(self, *, running_for: float) -> bool:
        now = time.monotonic()
        if now < self.next_at or running_for < DEAF_AFTER:
            return False
        self.next_at = now + EVERY
        try:
            with psycopg.connect(
                self.url, connect_timeout=2, options="-c statement_timeout=2s"
            ) as connection:
                return is_deaf(connection)
        except psycopg.Error:
            return False


def is_deaf(connection: psycopg.Connection, *, seconds: float = DEAF_AFTER) -> bool:
    """Work has been offered for this long, and nothing has been claimed or is in progress since.

    Busy is not deaf: while a lease is alive, all of the worker's processes may be busy.
    """
    return _holds(
        connection,
        "coalesce(bool_or(state = 'queued' AND sent_at < now() - {age}), false)"
        " AND NOT coalesce(bool_or(started_at > now() - {age}), false)"
        " AND NOT coalesce(bool_or(state = 'running' AND lease_until > now()), false)",
        seconds,
    )


def is_mute(connection: psycopg.Connection, *, seconds: float = DEAF_AFTER) -> bool:
    """Work has waited for this long, and the dispatcher offers nothing.

    A project's runs are offered one after the other, so most of them wait unoffered. An offered one is offered again at
    least once a minute.
    """
    return _holds(
        connection,
        "coalesce(bool_or(state = 'queued' AND sent_at IS NULL AND asked_at < now() - {age}), false)"
        " AND NOT coalesce(bool_or(state = 'queued' AND sent_at > now() - 2 * {age}), false)"
        " AND NOT coalesce(bool_or(started_at > now() - {age}), false)",
        seconds,
    )


def _holds(connection: psycopg.Connection, condition: LiteralString, seconds: float) -> bool:
    """Whether a condition holds for the runs of any kind; {age} in it is the interval in seconds."""
    one = sql.SQL("SELECT state, asked_at, sent_at, started_at, lease_until FROM {}")
    delayed = sql.SQL(
        "SELECT state, greatest(asked_at, due_at), CASE WHEN sent_at >= due_at THEN sent_at END,"
        " started_at, lease_until FROM {}"
    )
    runs = sql.SQL(" UNION ALL ").join(
        [
            *(one.format(sql.Identifier(table)) for table in TABLES),
            *(delayed.format(sql.Identifier(table)) for table in DELAYED),
        ]
    )
    age = sql.SQL("make_interval(secs => {})").format(sql.Literal(seconds))
    asked = sql.SQL("SELECT {} FROM ({}) AS runs").format(sql.SQL(condition).format(age=age), runs)
    row = connection.execute(asked).fetchone()
    return bool(row and row[0])


def main() -> int:
    is_faulty = {"worker": is_deaf, "dispatcher": is_mute}[sys.argv[1]]
    with psycopg.connect(os.environ["DATABASE_URL"], connect_timeout=5) as connection:
        return int(is_faulty(connection))


if __name__ == "__main__":
    sys.exit(main())
