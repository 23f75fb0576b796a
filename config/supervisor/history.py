"""The history belongs to a role that nobody signs in as: the program adds to it, and cannot take its guards away.

Who owns a table may drop it or switch its triggers off. So the tables of history, that of labels, whose triggers write
it, and the functions of these triggers are handed to a keeper once the tables stand, and back before a migration.
"""

import psycopg
from psycopg import sql

KEEPER = "interrater_keeper"

# By what their triggers do, so that a table which a later migration adds is known too.
_TABLES = """
SELECT c.relname, bool_or(p.proname = 'record_revisions') AS is_written_to
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
WHERE NOT t.tgisinternal AND p.proname IN ('refuse_rewriting', 'record_revisions')
GROUP BY c.relname ORDER BY c.relname
"""
_FUNCTIONS = """
SELECT DISTINCT p.proname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
WHERE NOT t.tgisinternal AND c.relname = ANY (%s) ORDER BY p.proname
"""


def seal(connection: psycopg.Connection, *, role: str, database: str) -> None:
    """From now on `role` reads the history and adds to it, and no more; it goes on writing labels."""
    if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [KEEPER]).fetchone():
        connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(KEEPER)))
    with connection.transaction():
        # Whoever owns the database owns its schema, and may drop any table in it.
        _run(connection, "ALTER DATABASE {} OWNER TO {}", database, KEEPER)
        _run(connection, "GRANT CREATE, USAGE ON SCHEMA public TO {}", role)
        for table, is_written_to in hand_over(connection, to=KEEPER):
            _run(connection, "REVOKE ALL ON TABLE {} FROM {}", table, role)
            rights = "SELECT, INSERT, UPDATE, DELETE" if is_written_to else "SELECT, INSERT"
            _run(connection, f"GRANT {rights} ON TABLE {{}} TO {{}}", table, role)


def hand_over(connection: psycopg.Connection, *, to: str) -> list[tuple[str, bool]]:
    """The tables, which belong to this role from now on; and whether the program changes their rows."""
    tables = connection.execute(_TABLES).fetchall()
    for table, _ in tables:
        _run(connection, "ALTER TABLE {} OWNER TO {}", table, to)
    for (function,) in connection.execute(_FUNCTIONS, [[table for table, _ in tables]]).fetchall():
        _run(connection, "ALTER FUNCTION {}() OWNER TO {}", function, to)
    return tables


def _run(connection: psycopg.Connection, statement: str, *names: str) -> None:
    connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
