"""Serializes imports into a project: two of them might create the same names."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, OperationalError, connection
from psycopg import errors

from core.refusals import RefusedWithCode
from core.web.unavailable import unavailable
from projects.models import Project

logger = logging.getLogger(__name__)

# Two separate locks: for creating names in a project, and for confirming an import into it.
NAMES, CONFIRMING = 7_001, 7_002
_WAITED = (errors.LockNotAvailable, errors.QueryCanceled)


class ImportLockTimeout(OperationalError):
    """Another transaction held the lock for longer than this connection waits."""


def acquire_import_lock(project: Project, lock: int = NAMES) -> None:
    """Take the project's lock until the end of this transaction, waiting for its current holder."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [lock, project.pk])
    except OperationalError as error:
        if isinstance(error.__cause__, _WAITED):
            raise ImportLockTimeout("another import or change holds the turn") from error.__cause__
        raise


@contextmanager
def lock_timeout_refusals() -> Iterator[None]:
    """For pages and API, which may not wait for long: raise a refusal that names what was in the way."""
    try:
        yield
    except ImportLockTimeout as error:
        raise RefusedWithCode(
            "import_running",
            "Another import or change is running in this project. Nothing was changed; "
            "try again in a moment.",
            status_code=409,
        ) from error
    except IntegrityError as error:
        # Names that were new when they were looked up were created by others before they were written.
        logger.warning("An import conflicted with a concurrent change: %s", error)
        raise RefusedWithCode(
            "created_meanwhile",
            "Someone else created the same names at the same time. Nothing was changed. Try again.",
            status_code=409,
        ) from error
    except OperationalError as error:
        # A lost connection or a full disk has its own error page.
        trouble = unavailable(error)
        if trouble is None or trouble.code not in {"locked", "timed_out"}:
            raise
        raise RefusedWithCode(trouble.code, trouble.detail, status_code=trouble.status_code) from error
