"""Whether the program is alive, and whether it is ready to serve."""

import shutil
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from psycopg.errors import DiskFull

from config.checks import durability_faults
from config.environment import state_folder
from config.supervisor.disks import ROOM_FOR_OLD


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers; asks nothing of the database, so that its outage restarts nobody."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """The database is reached, keeps what it takes, and has the tables of this version; and the disks have room."""
    faults = [*_faults(), *_disk_faults()]
    return JsonResponse({"ready": not faults, "faults": faults}, status=503 if faults else 200)


def _faults() -> list[str]:
    try:
        return [*durability_faults(), *_migration_faults()]
    except DatabaseError as error:
        is_full = isinstance(error.__cause__, DiskFull)
        return ["The disk of the database is full." if is_full else "The database does not answer."]


def _disk_faults() -> list[str]:
    """The disks of this machine that are full, or nearly: that of media files, and of the database of `make run`."""
    folders = {"media files": Path(settings.MEDIA_ROOT), "database": state_folder() / "services" / "postgres"}
    return [
        f"The disk of the {name} is full, or nearly. Free some space."
        for name, folder in folders.items()
        if folder.exists() and shutil.disk_usage(folder).free < ROOM_FOR_OLD
    ]


def _migration_faults() -> list[str]:
    try:
        _require_migrated()
    except LookupError as fault:
        return [str(fault)]
    return []


@lru_cache(maxsize=1)
def _require_migrated() -> None:
    """Remembered once it holds, for reading every migration at each probe is slow; a failure is never remembered."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise LookupError("The tables are not those of this version: run manage.py migrate.")
