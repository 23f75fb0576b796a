"""Interrater's own programs, as the supervisor starts them."""

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from config.environment import BASE_DIR
from config.supervisor.children import Program
from config.supervisor.state import StatePaths
from config.variables import whole

# A computation uses one core; the worker's processes run in parallel.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True)
class Services:
    """What the programs need to know about the services."""

    database_url: str
    reader_url: str | None
    admin_url: str | None
    broker_url: str
    secret_key_file: Path | None
    static_root: Path

    def variables(self) -> dict[str, str]:
        """Variables that commands need to find the services, including commands typed by hand."""
        found = {
            "DATABASE_URL": self.database_url,
            "BROKER_URL": self.broker_url,
            "STATIC_ROOT": str(self.static_root),
        }
        if self.reader_url:
            found["READER_DATABASE_URL"] = self.reader_url
        if self.secret_key_file:
            found["SECRET_KEY_FILE"] = str(self.secret_key_file)
        return found

    def administration(self) -> dict[str, str]:
        """Additional variables for commands that change tables; never for programs that serve or compute."""
        return {"ADMIN_DATABASE_URL": self.admin_url} if self.admin_url else {}

    def environment(self) -> dict[str, str]:
        secrets = {"OWNER_PASSWORD", "ADMIN_DATABASE_URL"}
        found = {name: value for name, value in os.environ.items() if name not in secrets}
        ours = {"DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONUNBUFFERED": "1"}
        # People who run the program on their own machine want all features.
        found.setdefault("CALCULATOR", "1")
        return {**found, **self.variables(), **ours}


def worker(state: StatePaths, services: Services) -> Program:
    concurrency = str(whole("WORKER_CONCURRENCY", min(4, os.cpu_count() or 1)))
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--concurrency", concurrency]
    command += ["--loglevel", "INFO", "--without-gossip", "--without-mingle", "--without-heartbeat"]
    return Program(
        name="worker",
        command=command,
        log=state.log / "worker.log",
        environment={
            **services.environment(),
            **ONE_THREAD,
            "TMPDIR": str(state.private("tmp")),
            "PGOPTIONS": os.environ.get("PGOPTIONS", "-c statement_timeout=300s"),
        },
        # An interrupted computation is repeated after the next start.
        patience=5.0,
        last_signal=signal.SIGKILL,
        orphan_signal=signal.SIGQUIT,
        folder=BASE_DIR,
    )


def dispatcher(state: StatePaths, services: Services) -> Program:
    return Program(
        name="dispatcher",
        command=[sys.executable, "manage.py", "dispatch_runs"],
        log=state.log / "dispatcher.log",
        environment=services.environment(),
        patience=5.0,
        folder=BASE_DIR,
    )


def web(state: StatePaths, services: Services, *, listener: int) -> Program:
    return Program(
        name="web",
        command=[sys.executable, "-m", "gunicorn", "--config", str(BASE_DIR / "config" / "gunicorn.py")],
        log=state.log / "web.log",
        # The supervisor holds the listening socket: clients wait while the server restarts. Beside it, gunicorn
        # binds no other, so there are no metrics.
        environment={**services.environment(), "WEB_BIND": f"fd://{listener}", "METRICS_BIND": ""},
        handles=(listener,),
        patience=25.0,
        folder=BASE_DIR,
    )
