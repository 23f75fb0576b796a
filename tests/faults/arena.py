"""A Postgres, a broker, workers and a dispatcher of one test's own, to be killed, stopped and started again."""

import os
import random
import secrets
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import dj_database_url
from django.db import connections

from config.supervisor.children import Child, Records
from config.supervisor.postgres import Postgres
from config.supervisor.valkey import Valkey
from core.database_roles import OWNER, establish
from reports.models import Report
from tests.live import Live, own_database, wait_until
from tests.services import own_postgres, own_valkey, short_folder

SEED = int(os.environ.get("FAULT_SEED", "1969"))


@dataclass(slots=True)
class Arena:
    live: Live
    postgres: Postgres
    valkey: Valkey
    database: Child
    broker: Child
    chance: random.Random
    dispatcher: Child | None = None
    workers: list[Child] = field(default_factory=list)

    def start_worker(self, *, concurrency: int = 2, inside: Sequence[str] = (), **environment: str) -> Child:
        """A worker with faults inside (tests/faults/worker.py), ready to take messages."""
        worker = self.live.start(
            f"worker-{len(self.workers)}",
            *("-m", "celery", "-A", "tests.faults.worker", "worker", "-n", f"{secrets.token_hex(4)}@test"),
            *("--concurrency", str(concurrency), "--loglevel", "INFO"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
            inside=inside,
            **environment,
        )
        wait_until(lambda: " ready." in worker.output(), child=worker)
        self.workers.append(worker)
        return worker

    def wait(self, condition: Callable[[list[int]], bool], pks: list[int], *, seconds: float = 240) -> None:
        """Wait until the condition holds for these runs; says what everybody said if it does not."""
        try:
            wait_until(lambda: condition(pks), seconds=seconds)
        except AssertionError as error:
            rows = list(Report.objects.filter(pk__in=pks).values())
            output = [f"{child.program.name}:\n{child.output()[-3000:]}" for child in self.live.children]
            raise AssertionError("\n".join([str(error), *map(str, rows), *output])) from None

    def stop_worker(self, worker: Child) -> None:
        self.workers.remove(worker)
        worker.stop()

    def start_dispatcher(self, **environment: str) -> None:
        self.dispatcher = self.live.start_dispatcher(**environment)

    def kill(self, child: Child) -> None:
        """kill -9 of a program and everything it started."""
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        assert child.popen is not None
        child.popen.wait()

    def restart_worker(self, worker: Child) -> None:
        """kill -9, and a new start at once, as the supervisor would do it."""
        self.kill(worker)
        worker.start()

    def restart_postgres(self) -> None:
        """kill -9 of the server alone, as the kernel would do it, and its recovery."""
        os.kill(self.database.pid, signal.SIGKILL)
        assert self.database.popen is not None
        self.database.popen.wait()
        self.database.start()
        self.postgres.wait(self.database)
        connections.close_all()

    def restart_broker(self) -> None:
        self.kill(self.broker)
        self.broker.start()
        self.valkey.wait(self.broker)


@contextmanager
def open_arena(**settings: str) -> Iterator[Arena]:
    """Once there is a test database, whose tables the server is given; `settings` are PostgreSQL's own."""
    with tempfile.TemporaryDirectory(
        prefix="irr-arena-", dir=short_folder(), ignore_cleanup_errors=True
    ) as name:
        folder = Path(name)
        postgres, valkey = own_postgres(folder, **settings), own_valkey(folder)
        postgres.initialize()
        live = Live(folder, postgres.url, valkey.url)
        database = Child(postgres.program(), Records(folder / "postgres.json"))
        broker = Child(valkey.program(), Records(folder / "valkey.json"))
        try:
            database.start()
            postgres.wait(database)
            establish(postgres.admin_url, program_url=postgres.url)
            _copy_tables(postgres)
            broker.start()
            valkey.wait(broker)
            with use_server(postgres.url):
                yield Arena(live, postgres, valkey, database, broker, random.Random(SEED))
        finally:
            live.stop()
            for child in (broker, database):
                with suppress(ProcessLookupError):
                    os.kill(child.pid, signal.SIGCONT)
                child.stop()


def _copy_tables(server: Postgres) -> None:
    """Those of the tests, which were migrated as in production; to migrate again would take ten times as long."""
    pg_dump, pg_restore = (server.binaries / "bin" / name for name in ("pg_dump", "pg_restore"))
    with tempfile.NamedTemporaryFile(prefix="irr-tables-") as file:
        subprocess.run([pg_dump, "--format", "custom", "--file", file.name, own_database()], check=True)
        options = ["--role", OWNER, "--no-owner", "--single-transaction", "--dbname", server.admin_url]
        subprocess.run([pg_restore, *options, file.name], check=True)


@contextmanager
def use_server(url: str) -> Iterator[None]:
    """Point Django at another server."""
    default = connections["default"]
    before = dict(default.settings_dict)
    default.close()
    default.settings_dict.update(dj_database_url.parse(url))
    try:
        yield
    finally:
        default.close()
        default.settings_dict.clear()
        default.settings_dict.update(before)
