"""Real processes on committed data: a database of their own, a worker, a dispatcher, a web server.

Ordinary tests roll back and see nothing of this database; it is kept apart because its rows stay, history refusing to
be deleted. So each test that uses it makes a project of its own, with a unique name.
"""

import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql
from psycopg.pq import TransactionStatus

from config.environment import BASE_DIR
from config.probe import probe
from config.supervisor.children import Child, Program, Records
from config.supervisor.programs import ONE_THREAD
from config.supervisor.web_socket import listen
from core import database_roles
from tests import services

LEASE = 4.0
# The end of the name of the database of committed rows.
LIVE = "live"
# The migrated database that the processes of one run copy, if there are several.
TEMPLATE = "TEST_TEMPLATE"
# Set for the tests that drive a browser, never for the program itself.
ASYNC = "DJANGO_ALLOW_ASYNC_UNSAFE"


@dataclass(slots=True)
class Live:
    """Starts programs of ours on one database and one broker, and stops all of them."""

    folder: Path
    database_url: str
    broker_url: str
    children: list[Child] = field(default_factory=list)

    def environment(self, **more: str) -> dict[str, str]:
        return {
            **{name: value for name, value in os.environ.items() if name != ASYNC},
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": self.database_url,
            "BROKER_URL": self.broker_url,
            "RUN_LEASE": str(LEASE),
            "PYTHONUNBUFFERED": "1",
            **ONE_THREAD,
            **more,
        }

    def start(self, name: str, *command: str, inside: Sequence[str] = (), **environment: str) -> Child:
        """Start a program of ours by its arguments to Python; its output is in `log(name)`.

        inside: the command that runs it on another host.
        """
        program = Program(
            name=name,
            command=[*inside, sys.executable, *command],
            log=self.folder / f"{name}.log",
            environment=self.environment(**environment),
            folder=BASE_DIR,
            patience=5.0,
        )
        child = Child(program, Records(self.folder / f"{name}-{secrets.token_hex(4)}.json"))
        self.children.append(child)
        child.start()
        return child

    def start_worker(self, *, concurrency: int = 2, name: str = "worker", **environment: str) -> Child:
        """A real Celery worker, ready to take messages when this returns."""
        child = self.start(
            name,
            *("-m", "celery", "-A", "config", "worker", "-n", f"{name}-{secrets.token_hex(4)}@test"),
            *("--concurrency", str(concurrency), "--loglevel", "INFO"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
            **environment,
        )
        wait_until(lambda: " ready." in child.output(), child=child)
        return child

    def start_dispatcher(self, **environment: str) -> Child:
        return self.start("dispatcher", "manage.py", "dispatch_runs", **environment)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command of manage.py to its end."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            env=self.environment(**environment),
            cwd=BASE_DIR,
            capture_output=True,
            text=True,
            check=False,
            timeout=400,
        )

    def end(self, *children: Child) -> None:
        for child in reversed(children):
            self.children.remove(child)
            child.stop()

    def stop(self) -> None:
        for child in reversed(self.children):
            child.stop()
        self.children.clear()


@dataclass(frozen=True, slots=True)
class Site:
    """A web server under test."""

    url: str
    child: Child


@contextmanager
def open_live(database_url: str, *, broker_url: str) -> Iterator[Live]:
    with tempfile.TemporaryDirectory(prefix="irr-live-") as folder:
        live = Live(Path(folder), database_url, broker_url)
        try:
            yield live
        finally:
            live.stop()


@contextmanager
def open_site(live: Live, **environment: str) -> Iterator[Site]:
    """gunicorn as in production, on a free port of the loopback."""
    statics = live.folder / "static"
    live.run("collectstatic", "--no-input", STATIC_ROOT=str(statics)).check_returncode()
    with listen("0") as listener:
        port = listener.getsockname()[1]
        program = Program(
            name="web",
            command=[sys.executable, "-m", "gunicorn", "--config", str(BASE_DIR / "config" / "gunicorn.py")],
            log=live.folder / "web.log",
            environment=live.environment(
                WEB_BIND=f"fd://{listener.fileno()}", STATIC_ROOT=str(statics), **environment
            ),
            handles=(listener.fileno(),),
            folder=BASE_DIR,
        )
        child = Child(program, Records(live.folder / "web.json"))
        child.start()
        try:
            wait_until(lambda: probe("/readyz", port=port) == 200, child=child)
            yield Site(f"http://127.0.0.1:{port}", child)
        finally:
            child.stop()


def wait_until(
    condition: Callable[[], object], *, seconds: float = 240.0, child: Child | None = None
) -> None:
    """Wait for something that another process brings about; says what that process said if it does not."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until or (child and not child.is_running):
            raise AssertionError(
                f"not so after {seconds:.0f} s" + (f":\n{child.output()[-3000:]}" if child else "")
            )
        time.sleep(0.05)


def copy_test_database(suffix: str = LIVE) -> str:
    """Make a database of committed rows from Django's empty test database; returns its name."""
    source = connection.settings_dict["NAME"]
    copy = f"{source}_{suffix}"
    # What is connected to a database keeps it from being copied.
    connections.close_all()
    _copy(source, copy)
    return copy


def _copy(source: str, copy: str) -> None:
    _close_aside(source)
    with _maintenance() as maintenance:
        _drop(maintenance, copy)
        maintenance.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {}").format(
                *map(sql.Identifier, (copy, source, database_roles.OWNER))
            )
        )


def name_template() -> None:
    """Tell the processes that this one starts that there will be a database to copy."""
    os.environ[TEMPLATE] = f"test_{connection.settings_dict['NAME']}_template"


def make_template() -> None:
    """The database that the other processes copy."""
    name = os.environ[TEMPLATE]
    drop_database(name)
    with use_database(name):
        _migrate()


# The name of the database of this process, once it is made.
_made: list[str] = []


def own_database() -> str:
    """The address, for a superuser, of the database of this process, wherever Django is pointed at."""
    return with_name(services.admin_url(), _made[-1])


def make_test_database(suffix: str = "") -> None:
    """A database for this process, migrated by the owner as in production; Django goes to it as the program."""
    name = "_".join(filter(None, ["test", connection.settings_dict["NAME"], suffix]))
    _made.append(name)
    if template := os.environ.get(TEMPLATE):
        _copy(template, name)
        _point({"default": name})
        # What may be done with a database as a whole is not copied.
        with administering():
            database_roles.ensure_database()
    else:
        drop_database(name)
        _point({"default": name})
        _migrate()


def _migrate() -> None:
    with administering():
        database_roles.ensure_database()
        call_command("migrate", verbosity=0, interactive=False)


@contextmanager
def administering() -> Iterator[str]:
    """Commands may change the tables of the database that Django's connection is at; gives the superuser's address."""
    with pytest.MonkeyPatch.context() as environment:
        url = with_name(services.admin_url(), connection.settings_dict["NAME"])
        environment.setenv("ADMIN_DATABASE_URL", url)
        yield url


def make_database(name: str, *, owner: str = database_roles.OWNER) -> None:
    """An empty one."""
    drop_database(name)
    with _maintenance() as maintenance:
        maintenance.execute(
            sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(name), sql.Identifier(owner))
        )


def remove_test_database() -> None:
    name = connection.settings_dict["NAME"]
    connection.close()
    drop_database(name)


def drop_database(name: str) -> None:
    with _maintenance() as maintenance:
        _drop(maintenance, name)


@contextmanager
def away(name: str) -> Iterator[None]:
    """Nobody can connect to the database, and whoever is connected is cut off.

    A server looks at its connection before each request; the client of the tests leaves that to the test.
    """
    connections.close_all()
    _close_aside(name)
    with _maintenance() as maintenance:
        database = sql.Identifier(name)
        maintenance.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(database))
        try:
            maintenance.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", [name]
            )
            yield
        finally:
            maintenance.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(database))


def _drop(maintenance: psycopg.Connection, name: str) -> None:
    """Without FORCE, which fails where autovacuum is at work: Postgres ends that by itself, and we our connections."""
    _close_aside(name)
    maintenance.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s AND usename IS NOT NULL",
        [name],
    )
    maintenance.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))


def _maintenance() -> psycopg.Connection:
    return psycopg.connect(with_name(services.admin_url(), "postgres"), autocommit=True)


def as_superuser() -> psycopg.Connection:
    """A superuser's connection to the database that Django's connection is at."""
    url = with_name(services.admin_url(), connection.settings_dict["NAME"])
    return psycopg.connect(url, autocommit=True)


def live_url(name: str) -> str:
    return with_name(os.environ["DATABASE_URL"], name)


def with_name(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


@contextmanager
def use_database(name: str) -> Iterator[None]:
    """Point Django at another database of the same server."""
    aliases = list(connections)
    before = {alias: connections[alias].settings_dict["NAME"] for alias in aliases}
    _point(dict.fromkeys(aliases, name))
    try:
        yield
    finally:
        _point(before)


def _point(names: dict[str, str]) -> None:
    for alias, name in names.items():
        wrapper = connections[alias]
        _put_aside(alias, wrapper)
        wrapper.close()
        wrapper.settings_dict["NAME"] = name
        _take_up(alias, wrapper)


# Connections to the two databases between which tests go back and forth, while Django is pointed at the other: a new
# one reads the catalog and compiles the triggers again, which takes longer than many a test.
_aside: dict[tuple[str, str], psycopg.Connection] = {}
# As good as new.
FRESH = "RESET ALL; DISCARD TEMP; UNLISTEN *; SELECT pg_advisory_unlock_all()"


def _put_aside(alias: str, wrapper: BaseDatabaseWrapper) -> None:
    name, opened = wrapper.settings_dict["NAME"], wrapper.connection
    is_ours = _made and name in (_made[-1], f"{_made[-1]}_{LIVE}")
    if not is_ours or opened is None or wrapper.in_atomic_block or opened.closed:
        return
    if opened.info.transaction_status == TransactionStatus.IDLE and opened.autocommit:
        _close_aside(name, alias)
        _aside[alias, name] = opened
        wrapper.connection = None


def _take_up(alias: str, wrapper: BaseDatabaseWrapper) -> None:
    opened = _aside.pop((alias, wrapper.settings_dict["NAME"]), None)
    if opened is None:
        return
    try:
        opened.execute(FRESH)
    except psycopg.OperationalError:
        # A test has cut it off.
        opened.close()
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wrapper, "get_new_connection", lambda params: opened)
        wrapper.connect()


def _close_aside(name: str, *aliases: str) -> None:
    """Before the database is copied, dropped or closed to everyone."""
    for alias in aliases or tuple(connections):
        if opened := _aside.pop((alias, name), None):
            opened.close()
