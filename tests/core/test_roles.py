"""What the three roles may do, told from the catalog, so that a new table or function is asked about too."""

import os
import subprocess
from urllib.parse import quote, urlsplit

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from config.supervisor.postgres import installed_folder
from core import database_roles
from tests import services
from tests.core.attempts import ELSEWHERE
from tests.core.catalog import found, history_tables, refused
from tests.live import administering, as_superuser

# A function of SQL whose body was parsed when it was made looks nothing up any more.
UNPROTECTED_FUNCTIONS = """
SELECT p.oid::regprocedure::text FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' AND NOT (
    p.proowner = 'interrater_owner'::regrole AND (
        p.prosqlbody IS NOT NULL
        OR p.prosecdef AND array_to_string(p.proconfig, ' ') ~ '^search_path=pg_catalog(, public)?, pg_temp( |$)'
    )
)
"""

CALLABLE = """
SELECT p.proname FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef AND has_function_privilege(%s, p.oid, 'EXECUTE')
"""


def test_everything_belongs_to_the_owner(db):
    others = found(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " AND relowner <> 'interrater_owner'::regrole"
    )

    assert others == set()
    assert found("SELECT rolcanlogin FROM pg_roles WHERE rolname = 'interrater_owner'") == {False}


def test_the_program_has_no_powers(db):
    powers = "rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls"

    assert found(f"SELECT {powers} FROM pg_roles WHERE rolname IN ('interrater', 'interrater_reader')") == {
        False
    }
    assert found("SELECT current_user, session_user") == {"interrater"}
    assert found("SELECT pg_has_role('interrater', 'interrater_owner', 'MEMBER')") == {False}
    assert found("SELECT has_schema_privilege('interrater', 'public', 'CREATE')") == {False}


def test_connections_of_a_lost_host_are_closed(db):
    """tests/faults/test_hosts.py cuts off hosts; here only that PostgreSQL has been told."""
    configured = found("SELECT unnest(rolconfig) FROM pg_roles WHERE rolname = 'interrater'")

    assert configured >= {f"{name}={value}" for name, value in database_roles.KEEPALIVES.items()}


def test_every_function_ignores_tables_earlier_in_the_search_path(db):
    assert found(UNPROTECTED_FUNCTIONS) == set()


def test_the_program_calls_the_doors_alone(db):
    assert found(CALLABLE, "interrater") == database_roles.DOORS
    assert found(CALLABLE, "interrater_reader") == set()


def test_every_guarded_table_is_known(db):
    tables = history_tables()

    assert tables == {
        "core_historyentry", "raters_labelrevision", *database_roles.APPENDED, "projects_event",
        "projects_formerquestion",
    }  # fmt: skip
    assert tables <= database_roles.WRITTEN_BY_THE_DATABASE | database_roles.APPENDED


def test_rights_on_every_table(db):
    """The program may change every table but those that it may only read or add to; the reader changes none."""
    rows = connection.cursor().execute(
        "SELECT relname, has_table_privilege('interrater', oid, 'INSERT'),"
        " has_table_privilege('interrater', oid, 'UPDATE') OR has_table_privilege('interrater', oid, 'DELETE')"
        " OR has_table_privilege('interrater', oid, 'TRUNCATE') OR has_table_privilege('interrater', oid, 'TRIGGER')"
        " OR has_table_privilege('interrater', oid, 'REFERENCES'),"
        " has_table_privilege('interrater_reader', oid, 'INSERT')"
        " OR has_table_privilege('interrater_reader', oid, 'UPDATE')"
        " OR has_table_privilege('interrater_reader', oid, 'DELETE'),"
        " has_table_privilege('interrater_reader', oid, 'SELECT') AND has_table_privilege('interrater', oid, 'SELECT')"
        " FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
    )

    for table, may_insert, may_change, reader_changes, both_read in rows.fetchall():
        assert may_insert == (table not in database_roles.WRITTEN_BY_THE_DATABASE), table
        assert may_change == (
            table not in database_roles.WRITTEN_BY_THE_DATABASE | database_roles.APPENDED
        ), table
        assert not reader_changes, table
        assert both_read, table


@pytest.mark.parametrize("statement", ELSEWHERE)
def test_the_program_cannot_reach_round_the_guards(db, statement):
    message = refused(statement)

    assert message
    assert "permission denied" in message or "must be" in message, message


def test_roles_are_made_by_one_who_is_no_superuser(db):
    """As with a managed server: a role that may create roles and databases is enough."""
    name, maker = "irr_managed", "irr_maker"
    with as_superuser() as superuser:
        superuser.execute(f"DROP DATABASE IF EXISTS {name}")
        superuser.execute(f"DROP ROLE IF EXISTS {maker}")
        superuser.execute(f"CREATE ROLE {maker} LOGIN CREATEDB CREATEROLE PASSWORD 'maker'")
        for role in (database_roles.OWNER, database_roles.PROGRAM, database_roles.READER):
            superuser.execute(f"GRANT {role} TO {maker} WITH ADMIN TRUE, INHERIT TRUE, SET TRUE")
    program = dict(connection.settings_dict)
    host = quote(program["HOST"], safe="")
    url = f"postgres://{database_roles.PROGRAM}:{quote(program['PASSWORD'], safe='')}@{host}/{name}"
    admin = f"postgres://{maker}:maker@{host}/{name}"
    try:
        for _ in range(2):
            database_roles.establish(admin, program_url=url)
        with psycopg.connect(admin) as made:
            owner = made.execute(
                "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()"
            ).fetchone()
        assert owner == (database_roles.OWNER,)
        assert urlsplit(url).path == f"/{name}"
        with psycopg.connect(url) as signed_in, pytest.raises(psycopg.errors.InsufficientPrivilege):
            signed_in.execute("CREATE TABLE public.mine (id int)")
    finally:
        with as_superuser() as superuser:
            superuser.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            superuser.execute(f"DROP OWNED BY {maker}")
            superuser.execute(f"DROP ROLE {maker}")


@pytest.mark.parametrize("role", [database_roles.PROGRAM, database_roles.READER])
def test_pg_dump_reads_everything(db, role, tmp_path):
    """`pg_dump "$DATABASE_URL"` works, and so does that of the reader."""
    url = os.environ["DATABASE_URL"] if role == database_roles.PROGRAM else services.reader_url()
    url = urlsplit(url)._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    program = installed_folder() / "bin" / "pg_dump"

    ended = subprocess.run(
        [program, "--format", "custom", "--file", tmp_path / "dump", url],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (0, "")


def test_what_somebody_gave_the_program_is_taken_again(db):
    with as_superuser() as superuser:
        superuser.execute("GRANT pg_write_all_data TO interrater")
        superuser.execute("ALTER ROLE interrater BYPASSRLS")
    with administering():
        database_roles.ensure_database()

    assert found(
        "SELECT pg_has_role('interrater', 'pg_write_all_data', 'MEMBER') OR rolbypassrls FROM pg_roles"
        " WHERE rolname = 'interrater'"
    ) == {False}


@pytest.mark.parametrize(
    ("admin", "program"),
    [
        (database_roles.PROGRAM, database_roles.PROGRAM),
        (database_roles.OWNER, database_roles.PROGRAM),
        ("postgres", "app"),
    ],
)
def test_roles_that_are_one_cannot_be_kept_apart(admin, program):
    with pytest.raises(ImproperlyConfigured):
        database_roles.establish(
            f"postgres://{admin}@localhost:1/x", program_url=f"postgres://{program}@localhost:1/x"
        )
