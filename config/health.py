"""Whether the program is alive, and whether it is ready to serve."""

from functools import lru_cache

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from config.checks import durability_faults


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers; asks nothing of the database, so that its outage restarts nobody."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """The database is reached, keeps what it takes, and has the tables of this version."""
    faults = _faults()
    return JsonResponse({"ready": not faults, "faults": faults}, status=503 if faults else 200)


def _faults() -> list[str]:
    try:
        return [*durability_faults(), *_migration_faults()]
    except DatabaseError:
        return ["The database does not answer."]


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
