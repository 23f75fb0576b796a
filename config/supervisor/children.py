"""The supervisor's child processes: started, stopped, reaped, and recognized after a crash."""

import ctypes
import json
import math
import os
import platform
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config.environment import identity
from config.supervisor.console import StartError, say, waiting
from config.supervisor.files import write_private
from config.supervisor.system_account import Account, as_user

PR_SET_PDEATHSIG = 1
MAX_LOG = 20 * 1024 * 1024
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
# A child that ran this long was healthy: its next restart begins with the short delay again (seconds).
WELL_AFTER = 60.0
SUPERVISOR = "supervisor"


@dataclass(frozen=True, slots=True)
class Program:
    name: str
    command: list[str]
    log: Path
    environment: Mapping[str, str]
    account: Account | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    # The signal sent if the program does not react to the first one in time.
    last_signal: signal.Signals = signal.SIGKILL
    # The signal that Linux sends when the supervisor itself is killed.
    orphan_signal: signal.Signals = signal.SIGTERM
    patience: float = 20.0
    folder: Path = Path("/")
    handles: tuple[int, ...] = ()


@dataclass(slots=True)
class Child:
    """A running program, and what is needed to restart it."""

    program: Program
    records: "Records"
    popen: subprocess.Popen[bytes] | None = None
    log_start: int = 0
    started: float = 0.0
    pause: float = FIRST_PAUSE
    again_at: float | None = None
    n_restarts: int = field(default=0)

    def start(self) -> None:
        program = self.program
        _rotate(program.log)
        with program.log.open("ab") as log:
            self.log_start = log.tell()
            self.popen = subprocess.Popen(
                program.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=dict(program.environment),
                cwd=program.folder,
                # Ctrl-C reaches only the supervisor, which stops its children in order.
                start_new_session=True,
                pass_fds=program.handles,
                preexec_fn=die_with_parent(program.orphan_signal),
                **as_user(program.account),
            )
        self.started, self.again_at = time.monotonic(), None
        self.records.add(program.name, pid=self.popen.pid)

    @property
    def is_running(self) -> bool:
        return self.popen is not None and self.popen.poll() is None

    @property
    def pid(self) -> int:
        if self.popen is None:
            raise RuntimeError(f"{self.program.name} was not started")
        return self.popen.pid

    def output(self) -> str:
        """The program's output since its last start."""
        with self.program.log.open("rb") as log:
            log.seek(self.log_start)
            return log.read(200_000).decode("utf-8", errors="replace")

    def stop(self) -> None:
        """Send the first signal, wait, send the last one; returns when the program has ended."""
        if self.popen is None:
            return
        program = self.program
        for number, patience in ((program.stop_signal, program.patience), (program.last_signal, 15.0)):
            if not self.is_running:
                break
            if number == program.last_signal:
                say(f"{program.name} did not stop within {program.patience:.0f} seconds. Killing it.")
            with suppress(ProcessLookupError):
                self.popen.send_signal(number)
            for _ in waiting(f"{program.name} to stop", seconds=patience):
                if self.popen.poll() is not None:
                    break
        self._sweep()
        self.records.remove(self.program.name)

    def tend(self) -> str | None:
        """Restart a dead program, with growing delays; returns a message when there is news."""
        if self.is_running:
            return None
        now = time.monotonic()
        if self.again_at is None:
            self._sweep()
            self.pause = FIRST_PAUSE if now - self.started > WELL_AFTER else self.pause
            self.again_at = now + self.pause
            self.pause = min(self.pause * 2, LONGEST_PAUSE)
            return f"{self.program.name} stopped ({self._how()}). See {self.program.log}. Restarting it."
        if now >= self.again_at:
            self.n_restarts += 1
            self.start()
        return None

    def _sweep(self) -> None:
        """End what remains of a dead program's process group; not for PostgreSQL, whose backends end by themselves."""
        if self.program.last_signal == signal.SIGKILL:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    def _how(self) -> str:
        code = self.popen.returncode if self.popen else 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"


@dataclass(frozen=True, slots=True)
class Records:
    """Records on disk which process is which child, so that the next start finds what a killed supervisor left.

    Including the folder and the supervisor they belong to: records in a copy of the folder are the original's.
    """

    path: Path

    def add(self, name: str, *, pid: int) -> None:
        self._write({**self.children(), name: [pid, birth(pid)]})

    def remove(self, name: str) -> None:
        self._write({key: value for key, value in self.children().items() if key != name})

    def children(self) -> dict[str, list[object]]:
        """The children of this folder, by name: process ID and start time."""
        found = self._read()
        *_, folder = found.pop(SUPERVISOR, [None])
        return found if folder == identity(self.path.parent) else {}

    def end_orphans(self) -> list[str]:
        """End the processes that a killed supervisor of this folder left behind, and report it; returns their names."""
        pid, born, _folder = self._read().get(SUPERVISOR, [0, None, None])
        living = {name: int(str(pid)) for name, (pid, born) in self.children().items() if _is_same(pid, born)}
        if living and pid != os.getpid() and _is_same(pid, born):
            raise StartError(
                f"Interrater is already running from this folder (process {pid}). Stop it first."
            )
        # PostgreSQL is stopped last, by SIGINT (fast shutdown). SIGKILL would leave its backends behind.
        for name in sorted(living, key=lambda name: name == "postgres"):
            gentle = name == "postgres"
            say(
                f"The last run did not shut down cleanly and left {name} running (process {living[name]}). "
                "Stopping it."
            )
            _end(living[name], signal.SIGINT if gentle else signal.SIGTERM, patience=30.0 if gentle else 3.0)
            _end(living[name], signal.SIGQUIT if gentle else signal.SIGKILL, patience=10.0)
        self._write({})
        return sorted(living)

    def _read(self) -> dict[str, list[object]]:
        try:
            return dict(json.loads(self.path.read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError):
            return {}

    def _write(self, children: Mapping[str, object]) -> None:
        supervisor = [os.getpid(), birth(os.getpid()), identity(self.path.parent)]
        write_private(self.path, json.dumps({SUPERVISOR: supervisor, **children}))


def birth(pid: int) -> str | None:
    """When a process started, as the system reports it; distinguishes it from a later process with the same ID."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        # The name, in parentheses, may contain spaces; the start time is the 20th field after it.
        return stat.read_text().rpartition(")")[2].split()[19]
    except OSError:
        if platform.system() == "Linux":
            return None
    shown = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return shown.stdout.strip() or None


def output_of(popen: subprocess.Popen[Any], *, what: str) -> Any:
    """The program's output when it ends, however long that takes."""
    for _ in waiting(what, seconds=math.inf):
        with suppress(subprocess.TimeoutExpired):
            return popen.communicate(timeout=1)[0]
    raise RuntimeError("the wait has no end")


def _is_same(pid: object, born: object) -> bool:
    return born is not None and birth(int(str(pid))) == born


def _end(pid: int, number: signal.Signals, *, patience: float) -> None:
    born = birth(pid)
    if born is None:
        return
    with suppress(ProcessLookupError):
        os.kill(pid, number)
    for _ in waiting(f"process {pid} to stop", seconds=patience):
        if birth(pid) != born or _is_zombie(pid):
            return


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False


def die_with_parent(number: signal.Signals) -> Callable[[], None] | None:
    """Runs in the child before exec: ask Linux to end it with the supervisor."""
    if platform.system() != "Linux":
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getpid()

    def ask() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        # The supervisor may have died before this call.
        if os.getppid() != parent:
            os._exit(1)

    return ask


def _rotate(log: Path) -> None:
    if log.exists() and log.stat().st_size > MAX_LOG:
        log.replace(log.with_suffix(".log.1"))
