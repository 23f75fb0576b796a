"""What Postgres' planner knows of our tables after a load."""

from functools import partial

from django.db import connection, models, transaction

# Rows from which a wrong guess of the planner is felt.
MANY = 10_000


def count_again(*tables: type[models.Model], n_rows: int) -> None:
    """Have Postgres count these tables again once the rows that were written are committed, if they are many.

    Its own round (autovacuum) may have passed in the middle of the load. It then saw none of these rows, and until its
    next round a page would go through all of them again and again, for it takes the table for empty.
    """
    if n_rows >= MANY:
        transaction.on_commit(partial(_analyze, tables), robust=True)


def _analyze(tables: tuple[type[models.Model], ...]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT analyze_tables(%s)", [[table._meta.db_table for table in tables]])
