"""The three database roles, and what each may do.

The owner owns every table and function and runs migrations; it cannot log in. The program's role reads and
writes what the program reads and writes; the history is written for it by functions of the owner. The reader reads.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from psycopg import sql

OWNER, PROGRAM, READER = "interrater_owner", "interrater", "interrater_reader"
# Owned the history up to release 0.1.0.
FORMER_KEEPER = "interrater_keeper"

# Written only by functions of the owner; the program reads them.
WRITTEN_BY_THE_DATABASE = {
    "core_historyentry", "raters_labelrevision", "projects_event", "projects_formerquestion", "django_migrations",
}  # fmt: skip
# The program inserts rows and never updates one.
APPENDED = {"projects_codebookversion", "projects_guidelinesversion", "projects_itemversion"}
EVERYTHING, APPENDING, READING = "SELECT, INSERT, UPDATE, DELETE", "SELECT, INSERT", "SELECT"
# A host that has lost its power or its network does not close its connections, whose locks others wait for: PostgreSQL
# closes them after half a minute of silence, not after two hours.
KEEPALIVES = {
    "tcp_keepalives_idle": "15s",
    "tcp_keepalives_interval": "5s",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "30s",
}
# The functions that the program may call and that run with the owner's rights.
DOORS = {"record_event", "adopt_revisions", "analyze_tables", "forget_person"}


def establish(admin_url: str, *, program_url: str, reader_password: str | None = None) -> None:
    """Create the roles and the database that `program_url` names, or bring existing ones up to date.

    admin_url: a superuser, or a role that may create roles and databases and owns what exists. Everything in the
    schema of the database belongs to the owner afterwards. Safe to repeat at any time. Raises
    ImproperlyConfigured if one of the addresses names the wrong role.
    """
    program = urlsplit(program_url)
    if urlsplit(admin_url).username in {OWNER, PROGRAM, READER}:
        raise ImproperlyConfigured(
            f"ADMIN_DATABASE_URL must not use the role {OWNER}, {PROGRAM} or {READER}. Use a superuser role."
        )
    if program.username != PROGRAM:
        raise ImproperlyConfigured(
            f"When ADMIN_DATABASE_URL is set, DATABASE_URL must use the role {PROGRAM}."
        )
    database = program.path.removeprefix("/")
    with psycopg.connect(_of_database(admin_url, "postgres"), autocommit=True) as admin:
        # Two hosts that start at once do this one after the other; this is the number of the advisory lock.
        admin.execute("SELECT pg_advisory_lock(7221407)")
        _ensure_role(admin, OWNER, "NOLOGIN")
        _ensure_role(admin, PROGRAM, "LOGIN", unquote(program.password or ""))
        for name, value in KEEPALIVES.items():
            admin.execute(
                sql.SQL("ALTER ROLE {} SET {} = {}").format(
                    sql.Identifier(PROGRAM), sql.Identifier(name), sql.Literal(value)
                )
            )
        if reader_password:
            _ensure_role(admin, READER, "LOGIN", reader_password)
        else:
            _ensure_role(admin, READER)
        # A role that is not a superuser must be a member of the owner to transfer objects to it, or to act as it.
        _run(admin, "GRANT {} TO CURRENT_USER", OWNER)
        found = admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone()
        _run(
            admin,
            "ALTER DATABASE {} OWNER TO {}" if found else "CREATE DATABASE {} OWNER {}",
            database,
            OWNER,
        )
        _run(admin, "REVOKE ALL ON DATABASE {} FROM PUBLIC", database)
        # Imports are staged in temporary tables. Functions of the owner never look there: see their search_path.
        _run(admin, "GRANT CONNECT, TEMPORARY ON DATABASE {} TO {}", database, PROGRAM)
        _run(admin, "GRANT CONNECT ON DATABASE {} TO {}", database, READER)
    with psycopg.connect(_of_database(admin_url, database), autocommit=True) as admin:
        _hand_over(admin)


def ensure_database() -> None:
    """Establish the roles and the database of the settings, if the environment has an administrator's URL."""
    if (url := admin_url()) is None:
        return
    found = connection.settings_dict
    program_url = (
        f"postgres://{quote(found['USER'], safe='')}:{quote(found['PASSWORD'], safe='')}"
        f"@{quote(found['HOST'], safe='')}:{found['PORT']}/{found['NAME']}"
    )
    reader = urlsplit(os.environ.get("READER_DATABASE_URL", ""))
    establish(url, program_url=program_url, reader_password=unquote(reader.password or ""))


def _ensure_role(admin: psycopg.Connection[Any], name: str, login: str = "", password: str = "") -> None:
    if not admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone():
        _run(admin, "CREATE ROLE {} NOLOGIN", name)
    # Revoke what an earlier version or somebody else granted.
    statement = sql.SQL("ALTER ROLE {} {} NOCREATEDB NOCREATEROLE").format(
        sql.Identifier(name), sql.SQL(login)
    )
    if password:
        statement += sql.SQL(" PASSWORD {}").format(sql.Literal(password))
    admin.execute(statement)
    if admin.execute(
        "SELECT 1 FROM pg_roles WHERE rolname = %s AND (rolsuper OR rolreplication OR rolbypassrls)", [name]
    ).fetchone():
        # Only a superuser may revoke these, and only a superuser can have granted them.
        _run(admin, "ALTER ROLE {} NOSUPERUSER NOREPLICATION NOBYPASSRLS", name)
    for other, giver in admin.execute(_MEMBERSHIPS, [name]).fetchall():
        _run(admin, "REVOKE {} FROM {} GRANTED BY {}", other, name, giver)


_MEMBERSHIPS = """
SELECT pg_get_userbyid(roleid), pg_get_userbyid(grantor) FROM pg_auth_members WHERE pg_get_userbyid(member) = %s
"""

# Objects of the schema that belong to another role; sequences of columns follow their tables.
_OTHERS = """
SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, c.oid::regclass::text,
    c.relowner = %(program)s::regrole
FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relowner <> %(owner)s::regrole
    AND c.relkind IN ('r', 'p', 'v', 'S')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i', 'e'))
UNION ALL
SELECT CASE p.prokind WHEN 'a' THEN 'AGGREGATE' ELSE 'FUNCTION' END, p.oid::regprocedure::text, false
FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.proowner <> %(owner)s::regrole
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
"""


def _hand_over(admin: psycopg.Connection[Any]) -> None:
    with admin.transaction():
        _run(admin, "ALTER SCHEMA public OWNER TO {}", OWNER)
        for role in ("PUBLIC", PROGRAM, READER):
            name = sql.SQL(role) if role == "PUBLIC" else sql.Identifier(role)
            admin.execute(sql.SQL("REVOKE ALL ON SCHEMA public FROM {}").format(name))
        for role in (PROGRAM, READER):
            _run(admin, "GRANT USAGE ON SCHEMA public TO {}", role)
        others = admin.execute(_OTHERS, {"owner": OWNER, "program": PROGRAM}).fetchall()
        for kind, name, was_of_program in others:
            # Names as PostgreSQL quotes them.
            admin.execute(sql.SQL(f"ALTER {kind} {name} OWNER TO {{}}").format(sql.Identifier(OWNER)))
            if was_of_program:
                # An older version, whose role owned its tables, keeps working until the migrations are done.
                admin.execute(sql.SQL(f"GRANT ALL ON {kind} {name} TO {{}}").format(sql.Identifier(PROGRAM)))
        if any(was_of_program for _, _, was_of_program in others):
            _run(admin, "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {}", PROGRAM)
        if admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [FORMER_KEEPER]).fetchone():
            _run(admin, "DROP OWNED BY {}", FORMER_KEEPER)
            _run(admin, "DROP ROLE {}", FORMER_KEEPER)


def seal(opened: psycopg.Connection[Any]) -> None:
    """Grant each role its rights on every table, sequence and function, and revoke all others; after every migration.

    Where the roles do not exist, or the program's own role migrates, there is nothing to separate.
    """
    if not is_apart(opened):
        return
    tables = [
        name
        for (name,) in opened.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
        ).fetchall()
    ]
    everyone = sql.SQL("PUBLIC, {}, {}").format(sql.Identifier(PROGRAM), sql.Identifier(READER))
    for things in ("TABLES", "SEQUENCES"):
        opened.execute(sql.SQL(f"REVOKE ALL ON ALL {things} IN SCHEMA public FROM {{}}").format(everyone))
        # Sequences too: pg_dump reads them.
        _run(opened, f"GRANT SELECT ON ALL {things} IN SCHEMA public TO {{}}, {{}}", PROGRAM, READER)
    for table in tables:
        rights = (
            READING if table in WRITTEN_BY_THE_DATABASE else APPENDING if table in APPENDED else EVERYTHING
        )
        _run(opened, f"GRANT {rights} ON {{}} TO {{}}", table, PROGRAM)
    for table, sequence in opened.execute(_SEQUENCES).fetchall():
        if table not in WRITTEN_BY_THE_DATABASE:
            _run(opened, "GRANT USAGE ON SEQUENCE {} TO {}", sequence, PROGRAM)
    for name, arguments in opened.execute(_DEFINERS).fetchall():
        function = sql.SQL("{}({})").format(sql.Identifier(name), sql.SQL(arguments))
        opened.execute(sql.SQL("REVOKE ALL ON FUNCTION {} FROM {}").format(function, everyone))
        if name in DOORS:
            opened.execute(
                sql.SQL("GRANT EXECUTE ON FUNCTION {} TO {}").format(function, sql.Identifier(PROGRAM))
            )


_SEQUENCES = """
SELECT t.relname, s.relname FROM pg_depend d
JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
JOIN pg_class t ON t.oid = d.refobjid
WHERE d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i') AND s.relnamespace = 'public'::regnamespace
"""
_DEFINERS = """
SELECT proname, pg_get_function_identity_arguments(oid) FROM pg_proc
WHERE pronamespace = 'public'::regnamespace AND prosecdef
"""


def is_apart(opened: psycopg.Connection[Any]) -> bool:
    """Whether the tables belong to the owner and not to the role that the program logs in as."""
    row = opened.execute(
        "SELECT (SELECT count(*) = 3 FROM pg_roles WHERE rolname = ANY (%s)) AND coalesce((SELECT tableowner = %s"
        " FROM pg_tables WHERE schemaname = 'public' AND tablename = 'core_historyentry'), false)",
        [[OWNER, PROGRAM, READER], OWNER],
    ).fetchone()
    return bool(row and row[0])


def admin_url() -> str | None:
    """The URL by which migrations and backups reach the database; the running program never has it."""
    return os.environ.get("ADMIN_DATABASE_URL") or None


@contextmanager
def as_owner(url: str | None) -> Iterator[None]:
    """Within the block, Django's connection acts as the owner, logged in by this URL if there is one."""
    if url is None:
        yield
        return
    connection.close()
    before = dict(connection.settings_dict)
    found = urlsplit(url)
    host, _, port = found.netloc.rpartition("@")[2].partition(":")
    connection.settings_dict.update(
        USER=unquote(found.username or ""),
        PASSWORD=unquote(found.password or ""),
        HOST=unquote(host),
        PORT=port,
        OPTIONS={**before["OPTIONS"], "options": f"-c role={OWNER}"},
    )
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.clear()
        connection.settings_dict.update(before)


def _of_database(url: str, database: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{database}"))


def _run(opened: psycopg.Connection[Any], statement: str, *names: str) -> None:
    opened.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
