"""`make run` under test: the real supervisor with its state in a folder of the test."""

import json
import os
import re
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from config.environment import BASE_DIR
from tests.services import short_folder

NOT_OURS = (
    "DATABASE_URL",
    "BROKER_URL",
    "SECRET_KEY",
    "SECRET_KEY_FILE",
    "PORT",
    "OWNER_NAME",
    "OWNER_PASSWORD",
    "DEMO",
)
READY = re.compile(r"ready at (http://\S+)")
PATIENCE = 240.0


@dataclass(slots=True)
class Run:
    """One start of the supervisor; everything it says is in `said()`."""

    var: Path
    root: Path = BASE_DIR
    output_file: Path = field(default_factory=lambda: Path())
    popen: subprocess.Popen[bytes] | None = None

    def start(self, **environment: str) -> "Run":
        self.output_file = Path(tempfile.gettempdir()) / f"irr-run-{secrets.token_hex(6)}.out"
        inherited = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
        with self.output_file.open("wb") as output:
            self.popen = subprocess.Popen(
                [sys.executable, "-m", "config.supervisor"],
                cwd=self.root,
                env={**inherited, "STATE_DIR": str(self.var), "PORT": "0", **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return self

    def output(self) -> str:
        return self.output_file.read_text(encoding="utf-8")

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self.popen is not None
        return self.popen

    def wait_for_output(self, words: str) -> str:
        """Wait for these words (a regular expression); returns the first group, if it has one."""
        until = time.monotonic() + PATIENCE
        while True:
            ended = self.process.poll() is not None
            if found := re.search(words, self.output()):
                return found.group(found.lastindex or 0)
            assert not ended, f"ended with {self.process.returncode}:\n{self.output()}{self.logs()}"
            assert time.monotonic() < until, f"not in the output: {words!r}:\n{self.output()}{self.logs()}"
            time.sleep(0.05)

    def until_ready(self) -> str:
        return self.wait_for_output(READY.pattern)

    def until_address(self) -> str:
        """Where this one serves, or another that runs from the same folder already."""
        return self.wait_for_output(r"(?:ready|folder,) at (http://\S+)")

    def until_ended(self) -> int:
        return self.process.wait(PATIENCE)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.until_ended()

    def kill(self) -> None:
        """The end that nobody can prepare for."""
        self.process.kill()
        self.process.wait()

    def children(self) -> dict[str, int]:
        found = json.loads((self.var / "children.json").read_text(encoding="utf-8"))
        return {name: pid for name, (pid, *_) in found.items() if name != "supervisor"}

    def is_ours(self, pid: int) -> bool:
        """Whether a process belongs to this run: it is one of its children, or descends from one."""
        mine = {self.process.pid, *self.children().values()}
        while pid > 1 and pid not in mine:
            try:
                pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                return False
        return pid in mine

    def logs(self) -> str:
        logs = sorted((self.var / "log").glob("*.log")) if self.var.exists() else []
        return "".join(f"\n--- {log.name}\n{log.read_text(errors='replace')[-1500:]}" for log in logs)


@contextmanager
def new_folder(parent: Path | None = None) -> Iterator[Path]:
    """A folder that the services' user may enter, unlike pytest's own; removed with what it points to."""
    folder = Path(tempfile.mkdtemp(prefix="irr-run-", dir=parent or short_folder()))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        for pointer in folder.glob("**/services"):
            shutil.rmtree(pointer.resolve(), ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def ended(*runs: Run) -> Iterator[None]:
    """Leave no process behind, whatever the test found."""
    try:
        yield
    finally:
        for run in runs:
            if run.popen and run.popen.poll() is None:
                run.popen.send_signal(signal.SIGINT)
        for run in runs:
            if run.popen:
                with suppress(subprocess.TimeoutExpired):
                    run.popen.wait(PATIENCE)
                run.output_file.unlink(missing_ok=True)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def environment(run: Run) -> dict[str, str]:
    lines = (run.var / "environment").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


def query(run: Run, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(environment(run)["DATABASE_URL"]) as connection:
        return connection.execute(statement).fetchall()


def get(address: str) -> int:
    with urllib.request.urlopen(address, timeout=60) as answer:
        return int(answer.status)
