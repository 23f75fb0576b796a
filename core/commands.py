"""How every command reports a refusal, or a database that can't be reached."""

from typing import Any

import psycopg
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection

from core.refusals import Refused
from core.tables.faults import FileRefused

LISTED = 100


class RefusingCommand(BaseCommand):
    """A refusal becomes the command's error, preceded by the faults of a file, one per line; the exit code is 1."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except FileRefused as refused:
            faults = refused.faults
            for fault in faults.listed[:LISTED]:
                self.stderr.write(str(fault))
            if faults.n > LISTED:
                self.stderr.write(f"… and {faults.n - LISTED:,} more.")
            s = "" if faults.n == 1 else "s"
            raise CommandError(f"{faults.n:,} problem{s} found. Nothing was imported.") from None
        except Refused as refused:
            raise CommandError(str(refused)) from None
        except OperationalError as error:
            if (message := unreachable(error)) is None:
                raise
            raise CommandError(message) from None


def unreachable(error: Exception) -> str | None:
    """Return what to do about a database that could not be reached; None if it was reached and failed later.

    Then its operator needs the whole traceback.
    """
    is_ours = isinstance(error, psycopg.OperationalError)
    if connection.connection is not None or (is_ours and error.sqlstate is not None):  # type: ignore[attr-defined]
        return None
    reason = (str(error).splitlines() or [""])[0]
    return (
        f"The database could not be reached: {reason}. Start it with `make run`, or set DATABASE_URL to a "
        "running one."
    )
