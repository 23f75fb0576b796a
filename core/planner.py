"""PostgreSQL's query planner: keeps its statistics current after a large load, and asks how many rows it expects."""

import json
from functools import partial
from typing import Any

from django.db import connection, models, transaction

# Number of rows from which outdated statistics slow queries down.
MANY = 10_000


def analyze_when_committed(*tables: type[models.Model], n_rows: int) -> None:
    """Run ANALYZE on these tables once the written rows are committed, if there are many.

    Autovacuum may have analyzed them in the middle of the load. It then saw none of these rows, and until its
    next round a page would go through all of them again and again, for it takes the table for empty.
    """
    if n_rows >= MANY:
        transaction.on_commit(partial(_analyze, tables), robust=True)


def _analyze(tables: tuple[type[models.Model], ...]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT analyze_tables(%s)", [[table._meta.db_table for table in tables]])


def expected_rows(rows: models.QuerySet[Any]) -> int:
    """Return about how many rows there are, without counting them: as of the last ANALYZE."""
    [plan] = json.loads(rows.explain(format="json"))
    return int(plan["Plan"]["Plan Rows"])
