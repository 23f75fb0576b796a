"""What the catalog of the database tells, and what the database says to a statement."""

from django.db import connection, transaction
from psycopg import sql

# Whatever refuses to be rewritten is history, and so is what only the owner's functions write.
HISTORY = """
SELECT DISTINCT t.tgrelid::regclass::text FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
WHERE NOT t.tgisinternal AND p.proname IN ('refuse_rewriting', 'guard_history_entry')
"""


def found(query, *params):
    with connection.cursor() as cursor:
        cursor.execute(query, params or None)
        return {row[0] for row in cursor.fetchall()}


def history_tables():
    return found(HISTORY)


def refused(statement):
    """What the database says to the program's role, or None where it does what is asked."""
    statement = statement.format(database=sql.Identifier(connection.settings_dict["NAME"]).as_string(None))
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            # What is pending would itself keep a table from being changed.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(statement)
    except Exception as error:
        return str(error)
    return None
