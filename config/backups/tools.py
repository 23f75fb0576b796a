"""Finds pg_dump and pg_restore of the server's PostgreSQL version, and passes the database to them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from django.db import connection
from psycopg.conninfo import make_conninfo

from config.supervisor.console import StartError
from config.supervisor.postgres import installed_folder

# Options of Django's connection that libpq does not know.
_NOT_LIBPQ = {"cursor_factory", "context", "prepare_threshold", "password", "client_encoding"}
_VERSION = re.compile(r"(\d+)(?:\.\d+|devel|beta|rc)")


class ToolMissing(Exception):
    """There is no pg_dump or pg_restore for this server; the message says what to do."""


def tool(name: str) -> Path:
    """The program from the PostgreSQL that `make run` installs, or else from the PATH."""
    try:
        own = installed_folder() / "bin" / name
    except StartError:
        own = None
    found = own if own is not None and own.exists() else shutil.which(name)
    if found is None:
        raise ToolMissing(f"{name} was not found. Install the PostgreSQL {server_major()} client programs.")
    _require_major(Path(found))
    return Path(found)


def server_major() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        return int(cursor.fetchone()[0]) // 10_000


def _require_major(program: Path) -> None:
    output = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    found = _VERSION.search(output)
    major = int(found[1]) if found else 0
    if major != server_major():
        raise ToolMissing(
            f"{program} is from PostgreSQL {major}, but the server is PostgreSQL {server_major()}. "
            f"Install the PostgreSQL {server_major()} client programs."
        )


def libpq() -> tuple[str, dict[str, str]]:
    """The connection string without the password, and the environment that contains the password."""
    params = connection.get_connection_params()
    named = {name: value for name, value in params.items() if name not in _NOT_LIBPQ}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    if password := params.get("password"):
        environment["PGPASSWORD"] = str(password)
    return make_conninfo(**named), environment
