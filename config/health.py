"""Liveness and readiness of the program."""

import shutil
from functools import cache
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from psycopg.errors import DiskFull

from config.checks import durability_faults
from config.environment import state_folder
from config.supervisor.disks import ROOM_FOR_OLD


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process is alive; does not use the database, so that its outage restarts no process."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """The database is reachable, durable, and has this version's tables; and the disks have space."""
    faults = [*_faults(), *_disk_faults()]
    return JsonResponse({"ready": not faults, "faults": faults}, status=503 if faults else 200)


def _faults() -> list[str]:
    try:
        return [*durability_faults(), *_table_faults()]
    except DatabaseError as error:
        is_full = isinstance(error.__cause__, DiskFull)
        return ["The database disk is full." if is_full else "The database is not responding."]


def _disk_faults() -> list[str]:
    """Disks of this machine that are (nearly) full: those of media files and of `make run`'s database."""
    folders = {"media files": Path(settings.MEDIA_ROOT), "database": state_folder() / "services" / "postgres"}
    return [
        f"The disk for the {name} is full or nearly full. Free some space."
        for name, folder in folders.items()
        if folder.exists() and shutil.disk_usage(folder).free < ROOM_FOR_OLD
    ]


def _table_faults() -> list[str]:
    """Differences from this version's tables: unapplied migrations, and missing columns."""
    applied = set(MigrationRecorder(connection).applied_migrations())
    if _migrations() - applied:
        return ["The database tables are from an older version. Run: manage.py migrate"]
    if newer := {name for app, name in applied - _migrations() if app in _apps()}:
        return [
            f"The database tables are from a newer version, with the migration {min(newer)}. Start that version."
        ]
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        missing = _columns() - {(table, column) for table, column in cursor.fetchall()}
    if missing:
        table, column = min(missing)
        return [
            f"The database is missing the column {column} of {table}, which this version needs. Restore a backup."
        ]
    return []


_COLUMNS = """
SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
"""


@cache
def _migrations() -> frozenset[tuple[str, str]]:
    """All migrations of this version. Cached, because they are read from files."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations or ())


@cache
def _apps() -> frozenset[str]:
    return frozenset(config.label for config in apps.get_app_configs())


@cache
def _columns() -> frozenset[tuple[str, str]]:
    """(table, column) of every model."""
    models = apps.get_models(include_auto_created=True)
    return frozenset(
        (model._meta.db_table, str(each.column)) for model in models for each in model._meta.concrete_fields
    )
