"""Starts everything in order, watches it, and stops it in reverse order."""

import json
import os
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from config.environment import ADMINISTRATION, BASE_DIR, COMMANDS, FOLDER, identity
from config.probe import probe
from config.supervisor import disks, postgres, programs, valkey
from config.supervisor.children import Child, Program, Records, die_with_parent, output_of
from config.supervisor.console import StartError, disk_full, say, waiting, warn
from config.supervisor.files import write_private
from config.supervisor.liveness import Liveness
from config.supervisor.postgres import Postgres
from config.supervisor.programs import Services
from config.supervisor.state import StatePaths, mend_sockets, socket_folder, try_lock
from config.supervisor.valkey import Valkey


@dataclass(slots=True)
class Supervisor:
    """All running programs; children in the order in which they started."""

    state: StatePaths
    records: Records
    stack: ExitStack
    children: list[Child] = field(default_factory=list)
    sockets: Path | None = None
    broker: Valkey | None = None

    def start(self, program: Program) -> Child:
        child = Child(program, self.records)
        self.children.append(child)
        child.start()
        return child

    def stop(self) -> None:
        """Web first, Postgres last."""
        for child in reversed(self.children):
            child.stop()

    def open_services(self) -> Services:
        """Start PostgreSQL and create the secret key; the broker is configured, and starts once the tables exist."""
        sockets = self.sockets = self.stack.enter_context(socket_folder(self.state))
        server = None if os.environ.get("DATABASE_URL") else self._start_postgres(sockets)
        secret_key_file = self._secret_key()
        broker_url = os.environ.get("BROKER_URL") or self._own_broker(sockets)
        services = Services(
            database_url=server.url if server else os.environ["DATABASE_URL"],
            reader_url=server.reader_url if server else os.environ.get("READER_DATABASE_URL"),
            admin_url=server.admin_url if server else os.environ.get("ADMIN_DATABASE_URL"),
            broker_url=broker_url,
            secret_key_file=secret_key_file,
            static_root=self.state.private("static"),
        )
        for file, variables in (
            (COMMANDS, services.variables()),
            (ADMINISTRATION, services.administration()),
        ):
            written = {FOLDER: identity(self.state.var), **variables}
            lines = [f"{name}={value}\n" for name, value in written.items()]
            write_private(self.state.var / file, "".join(lines))
        return services

    def _start_postgres(self, sockets: Path) -> Postgres:
        state = self.state
        server = Postgres(
            binaries=postgres.usable_folder(state.home / "bin", account=state.account),
            data=state.owned("postgres") / "data",
            sockets=sockets,
            log=state.log / "postgres.log",
            account=state.account,
            superuser_password=state.secret("postgres_password"),
            password=state.secret("database_password"),
            reader_password=state.secret("reader_password"),
        )
        disks.require_room(server.data.parent, is_new=not server.data.exists())
        if sentence := disks.warning(server.data.parent):
            warn(sentence)
        if not server.data.exists():
            say("Creating the database …")
        server.initialize()
        server.forget_foreign_lock()
        server.wait(self.start(server.program()))
        return server

    def _own_broker(self, sockets: Path) -> str:
        state = self.state
        self.broker = Valkey(
            binary=valkey.usable_binary(state.home / "bin", account=state.account),
            data=state.owned("valkey"),
            sockets=sockets,
            log=state.log / "valkey.log",
            account=state.account,
            password=state.secret("broker_password"),
        )
        return self.broker.url

    def _secret_key(self) -> Path | None:
        if os.environ.get("SECRET_KEY") or os.environ.get("SECRET_KEY_FILE"):
            return None
        self.state.secret("secret_key", make=lambda: secrets.token_urlsafe(64))
        return self.state.var / "secret_key"

    def start_programs(self, services: Services, *, listener: socket.socket) -> None:
        if self.broker:
            self.broker.wait(self.start(self.broker.program()))
        # Temporary files of a killed worker are of no use to the next one.
        shutil.rmtree(self.state.private("tmp"), ignore_errors=True)
        self.start(programs.worker(self.state, services))
        self.start(programs.dispatcher(self.state, services))
        web = self.start(programs.web(self.state, services, listener=listener.fileno()))
        _wait_ready(web, port=listener.getsockname()[1])

    def watch(self, services: Services) -> None:
        """Restart programs that die, until a signal arrives."""
        liveness = Liveness(services.database_url)
        worker = next(child for child in self.children if child.program.name == "worker")
        while True:
            self._mend_sockets()
            for child in self.children:
                if news := child.tend():
                    say(news)
            if liveness.worker_is_deaf(running_for=time.monotonic() - worker.started):
                say("The worker has not started a waiting task for a minute. Restarting it.")
                worker.stop()
            time.sleep(0.2)

    def _mend_sockets(self) -> None:
        """Services whose sockets were deleted keep running but are unreachable: restart them."""
        if self.sockets and mend_sockets(self.sockets, self.state.account):
            say(f"The socket folder {self.sockets} was removed. Restarting its services.")
            for child in self.children:
                if child.program.name in {"postgres", "valkey"} and child.is_running:
                    child.stop()
                    child.start()


@contextmanager
def opened_supervisor(state: StatePaths) -> Iterator[Supervisor]:
    """A House that is always stopped at the end; first ends what a killed one left behind."""
    with ExitStack() as stack:
        if try_lock(state.home / "lock") is None:
            raise StartError(f"Another copy of Interrater is using the data in {state.home}. Stop it first.")
        records = Records(state.var / "children.json")
        records.end_orphans()
        supervisor = Supervisor(state=state, records=records, stack=stack)
        try:
            yield supervisor
        finally:
            supervisor.stop()


def restore(services: Services, backup: Path) -> None:
    """Restore a backup on the first start, before there are tables. Raises StartError."""
    say(f"Restoring {backup} …")
    command = [sys.executable, "manage.py", "restore", str(backup.absolute())]
    done = subprocess.run(
        command,
        env={**services.environment(), **services.administration()},
        cwd=BASE_DIR,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=die_with_parent(signal.SIGTERM),
    )
    if done.returncode != 0:
        raise StartError(f"{backup} was not restored. {_last_line(done.stderr)}")
    say(_last_line(done.stdout))
    # Such as media files that are missing.
    if done.stderr.strip():
        say(done.stderr.strip())


def prepare(state: StatePaths, services: Services) -> None:
    """Prepare tables and static files, and on the first start the owner and the demo; shows how to sign in."""
    draft = state.var / "owner_password"
    chosen = os.environ.get("OWNER_PASSWORD")
    # Kept on disk until it has been shown, in case the start is interrupted.
    password = chosen or _draft_password(state, draft)
    demo = [] if os.environ.get("DEMO") == "no" else ["--demo"]
    log = state.log / "prepare.log"
    with log.open("ab") as errors:
        start = errors.tell()
        with subprocess.Popen(
            [sys.executable, "manage.py", "prepare", "--static", *demo],
            env={**services.environment(), **services.administration(), "OWNER_PASSWORD": password},
            cwd=BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            preexec_fn=die_with_parent(signal.SIGTERM),
        ) as preparing:
            output = output_of(preparing, what="migrations and static files")
    if preparing.returncode != 0:
        raise _preparation_failed(log, start)
    outcome = json.loads(output.splitlines()[-1])
    write_private(state.var / "owner", json.dumps(outcome))


def _draft_password(state: StatePaths, draft: Path) -> str:
    """The password for an owner who is yet to be created; empty if the owner has already received it."""
    if (state.var / "owner").exists() and not draft.exists():
        return ""
    return state.secret("owner_password", make=_readable_password)


def _readable_password() -> str:
    """Sixteen letters and digits that are not easily confused: 78 bits."""
    letters = [secrets.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(16)]
    return "-".join("".join(letters[start : start + 4]) for start in range(0, 16, 4))


def tell_address(state: StatePaths, *, port: int) -> None:
    address = f"http://127.0.0.1:{port}/"
    outcome = json.loads((state.var / "owner").read_text(encoding="utf-8"))
    owner, draft = outcome["owner"], state.var / "owner_password"
    write_private(state.var / "address", json.dumps({"pid": os.getpid(), "address": address}))
    say(f"\nInterrater is ready at {address}")
    if draft.exists() and outcome["has_password"]:
        password = draft.read_text(encoding="utf-8")
        say(f"Sign in as {owner} with the password {password} (shown only once).")
    elif owner:
        say(f"Sign in as {owner}. To reset the password, run: {_typed('changepassword', owner)}")
    draft.unlink(missing_ok=True)
    say(f"Logs are in {state.log}. Press Ctrl-C to stop.\n")


def _typed(*words: str) -> str:
    """The command line for one of our commands, which finds this state folder."""
    folder = os.environ.get("STATE_DIR")
    start = f"STATE_DIR={shlex.quote(str(Path(folder).absolute()))} " if folder else ""
    return start + shlex.join([".venv/bin/python", "manage.py", *words])


def _wait_ready(web: Child, *, port: int, seconds: float = 90.0) -> None:
    for _ in waiting("the web server", seconds=seconds):
        if not web.is_running:
            raise StartError(f"The web server did not start: {_last_line(web.output())}")
        status = probe("/readyz", port=port)
        if status == 200:
            return
        if status not in {None, 503}:
            raise StartError(f"The web server responds with status {status}. See {web.program.log}.")
    raise StartError(f"The web server was not ready within {seconds:.0f} seconds. See {web.program.log}.")


def _preparation_failed(log: Path, start: int) -> StartError:
    with log.open("rb") as file:
        file.seek(start)
        output = file.read().decode("utf-8", errors="replace")
    if "No space left on device" in output or "DiskFull" in output:
        return disk_full(log.parent)
    return StartError(f"The database could not be prepared: {_last_line(output)} (See {log} for details.)")


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "nothing"
