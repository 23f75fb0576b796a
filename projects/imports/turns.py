"""Imports into one project take turns: two of them might bring the same new names."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, OperationalError, connection
from psycopg import errors

from core.refusals import Refusal
from core.web.unavailable import unavailable
from projects.models import Project

logger = logging.getLogger(__name__)

# Each is a lock of its own kind: what creates names in a project, and what confirms an import into it.
NAMES, CONFIRMING = 7_001, 7_002
_WAITED = (errors.LockNotAvailable, errors.QueryCanceled)


class TurnTaken(OperationalError):
    """Somebody else held the turn for longer than this connection waits."""


def take_turn(project: Project, lock: int = NAMES) -> None:
    """Wait for whoever else has this turn in the project; they wait for the end of this transaction."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [lock, project.pk])
    except OperationalError as error:
        if isinstance(error.__cause__, _WAITED):
            raise TurnTaken("another import or change holds the turn") from error.__cause__
        raise


@contextmanager
def turn_refused() -> Iterator[None]:
    """For pages and API, which may not wait for long: say what was in the way, each thing by its own name."""
    try:
        yield
    except TurnTaken as error:
        raise Refusal(
            "import_running",
            "Another import or change is running in this project. Nothing was changed; "
            "try again in a moment.",
            status_code=409,
        ) from error
    except IntegrityError as error:
        # What was new when it was looked up was created by others before it was written.
        logger.warning("An import conflicted with a concurrent change: %s", error)
        raise Refusal(
            "created_meanwhile",
            "Someone else created the same names at the same time. Nothing was changed. Try again.",
            status_code=409,
        ) from error
    except OperationalError as error:
        # A lost connection or a full disk is not for the page that asked: it has a page of its own.
        trouble = unavailable(error)
        if trouble is None or trouble.code not in {"locked", "timed_out"}:
            raise
        raise Refusal(trouble.code, trouble.detail, status_code=trouble.status_code) from error
