"""Imports into one project take turns: two of them might bring the same new names."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, OperationalError, connection
from psycopg import errors

from projects.api.errors import Refusal
from projects.models import Project

logger = logging.getLogger(__name__)

_LOCK = 7_001
_WAITED = (errors.LockNotAvailable, errors.QueryCanceled, errors.DeadlockDetected)


def take_turn(project: Project) -> None:
    """Wait for the other imports that create names in the project; they wait for the end of this transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, project.pk])


@contextmanager
def turn_refused() -> Iterator[None]:
    """For pages and API, which may not wait for long: say so if another import was in the way."""
    try:
        yield
    except IntegrityError as error:
        # What was new when it was looked up was created by others before it was written.
        logger.warning("An import met what was written meanwhile: %s", error)
        raise another_runs() from error
    except OperationalError as error:
        if not isinstance(error.__cause__, _WAITED):
            raise
        raise another_runs() from error


def another_runs() -> Refusal:
    sentence = "Another import into this project is running; try again in a moment. Nothing was changed."
    return Refusal("import_running", sentence, status_code=409)
