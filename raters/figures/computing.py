"""Computes stored figures in one snapshot, so that they are those of a single moment in the project's history."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import connection, transaction

from core.history import head_of
from core.runs.lease import Lease, RunLost
from core.shapes import Json
from projects.models import Project
from raters.figures.stored_figures import FIGURES_FORMAT
from raters.models import StoredFigures

# What is computed for each kind of figures, of a project and what was asked for.
Kinds = Mapping[StoredFigures.What, Callable[[Project, Json], Json]]


@dataclass(frozen=True, slots=True)
class ComputedFigures:
    result: Json
    as_of: datetime
    head_position: int


def compute_stored(lease: Lease[StoredFigures], kinds: Kinds) -> None:
    lease.report_progress("counting", 0.0)
    began = time.monotonic()
    found = compute(lease.run.project, StoredFigures.What(lease.run.what), lease.run.asked, kinds)
    if not lease.run.finish(
        result=found.result,
        as_of=found.as_of,
        head_position=found.head_position,
        format=FIGURES_FORMAT,
        failure="",
        took=time.monotonic() - began,
    ):
        raise RunLost


def compute(project: Project, what: StoredFigures.What, asked: Json, kinds: Kinds) -> ComputedFigures:
    is_own = not connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        if is_own:
            # The next statement takes the snapshot.
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        position = head_of(project.pk, cursor).position
        cursor.execute("SELECT statement_timestamp()")
        [as_of] = cursor.fetchone()
        result = kinds[what](project, asked)
    return ComputedFigures(json.loads(json.dumps(result, default=_plain)), as_of, position)


def _plain(value: datetime | Decimal) -> str | int:
    """Return a moment as text, and a sum of the database as a number."""
    return value.isoformat() if isinstance(value, datetime) else int(value)
