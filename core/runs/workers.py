"""What a Celery worker does besides running tasks: it limits memory, and notices at once when a child process died."""

import logging
import resource
import sys
from typing import Any

from billiard.exceptions import TimeLimitExceeded, WorkerLostError
from celery import Task
from celery.signals import task_failure, worker_process_init
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from core.runs.ledger import run_models

logger = logging.getLogger(__name__)


@worker_process_init.connect
def limit_memory(**_: object) -> None:
    """Make a run that uses too much memory end with MemoryError, before the system kills other processes."""
    if sys.platform == "linux":
        limit = settings.RUN_MEMORY_MB * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


@task_failure.connect
def after_lost_worker(
    sender: "Task[Any, Any]", exception: BaseException, args: list[int], **_: object
) -> None:
    """In the parent of a process that died during a run: don't wait until the lease expires."""
    model = next((model for model in run_models() if sender.name in model.task_names()), None)
    if model is None or not isinstance(exception, WorkerLostError | TimeLimitExceeded):
        return
    try:
        model.lose(args[0])
    except (OperationalError, InterfaceError):
        logger.warning(
            "The database is unavailable; %s %s waits for its lease to expire", model.__name__, args[0]
        )
    finally:
        # The parent forks further processes, which must not share its connection.
        connection.close()
