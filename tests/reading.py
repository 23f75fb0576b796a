"""Whether what a request reads is only read: PostgreSQL itself counts the rows that a transaction writes."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

# By table that lasts: rows inserted, changed, and deleted in this transaction, whoever did it, a trigger or a cascade.
_WRITTEN = """
SELECT relname, n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_xact_user_tables
WHERE n_tup_ins + n_tup_upd + n_tup_del > 0 AND schemaname !~ '^pg_temp'
"""


def written() -> dict[str, int]:
    """Rows written in this transaction, by table."""
    with connection.cursor() as cursor:
        cursor.execute(_WRITTEN)
        return dict(cursor.fetchall())


@contextmanager
def only_reads(*, but_for: frozenset[str] = frozenset()) -> Iterator[None]:
    """Fails if a row is written meanwhile in any other table than these. Only within one transaction."""
    assert connection.in_atomic_block, "rows are counted within one transaction"
    before = written()
    yield
    changed = {table for table, n in written().items() if n != before.get(table, 0)}
    assert changed <= but_for, f"a request that only reads wrote to {sorted(changed - but_for)}"
