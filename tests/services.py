"""The Postgres and the broker of a test run: those that DATABASE_URL and BROKER_URL name, or throw-away ones.

The environment is set before the settings are read; the services start when the first test asks for them, so that a run
of pure tests waits for nothing. They are those of `make run`, by the same classes, in a folder of their own.
"""

import atexit
import os
import re
import secrets
import shutil
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from config.supervisor import postgres, valkey
from config.supervisor.children import Child, Program, Records
from config.supervisor.postgres import Postgres
from config.supervisor.state import StatePaths
from config.supervisor.system_account import Account, service_account
from config.supervisor.valkey import Valkey
from core.database_roles import establish

# Of the databases of one run, with what they write ahead: bytes.
ROOM = 4 << 30
KEY = "a key for tests only: long enough for the checks, and known to everyone"


# The folder of the services, if whoever started the run has made one and removes it.
FOLDER = "TEST_SERVICES"
# What one process of a run tells the others, and no program under test is told.
ADMIN, READER = "ADMIN_DATABASE_URL", "READER_DATABASE_URL"
# Addresses known once `prepare` has run.
_addresses: dict[str, str] = {}


def admin_url() -> str:
    """The address of a superuser."""
    if ADMIN not in _addresses:
        raise SystemExit(
            "With DATABASE_URL the tests need ADMIN_DATABASE_URL too: a superuser of that server."
        )
    return _addresses[ADMIN]


def reader_url() -> str:
    """The address of the role that only reads."""
    return _addresses[READER]


def prepare() -> None:
    """Set what the settings read, before they are read; what starts them may have set it."""
    os.environ["SECRET_KEY"] = KEY
    os.environ.pop("SECRET_KEY_FILE", None)
    os.environ["MEDIA_ROOT"] = media_folder()
    # No process under test has them but those that are told.
    _addresses.update((name, url) for name in (ADMIN, READER) if (url := os.environ.pop(name, None)))
    if not os.environ.get("DATABASE_URL"):
        postgres = own().postgres
        os.environ["DATABASE_URL"] = postgres.url
        _addresses.update({ADMIN: postgres.admin_url, READER: postgres.reader_url})
    if not os.environ.get("BROKER_URL"):
        os.environ["BROKER_URL"] = own().valkey.url
    elif number := os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw"):
        os.environ["BROKER_URL"] = _part_of_broker(os.environ["BROKER_URL"], int(number))


def tell_others() -> None:
    """Have the processes that this one starts find the same server."""
    os.environ.update(_addresses)


# What a run is told by the one that it is part of.
_INHERITED = ("DATABASE_URL", "BROKER_URL", "MEDIA_ROOT", "TEST_TEMPLATE", FOLDER)


def of_a_run_of_its_own() -> dict[str, str]:
    """The environment in which `python -m tests` starts services of its own."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in _INHERITED and not name.startswith("PYTEST_")
    }


def _part_of_broker(url: str, number: int) -> str:
    """The address of one of the broker's numbered databases, of which it has 16."""
    return re.sub(r"(virtual_host=|/)\d+$", rf"\g<1>{number % 16}", url)


@cache
def media_folder() -> str:
    """Where the tests of this process, and the programs that they start, keep media files."""
    # That of the process that started this one, if there is one.
    parent = os.environ.get("MEDIA_ROOT") if os.environ.get("PYTEST_XDIST_WORKER") else None
    folder = tempfile.mkdtemp(prefix="irr-media-", dir=parent)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@dataclass(slots=True)
class OwnServices:
    """Services in a temporary folder that is removed at the end, however the run ends."""

    folder: Path
    postgres: Postgres
    valkey: Valkey
    children: list[Child] = field(default_factory=list)

    def start(self) -> None:
        if self.children:
            return
        if os.environ["DATABASE_URL"] == self.postgres.url:
            self.postgres.initialize()
            self.postgres.wait(self._start(self.postgres.program()))
            establish(
                self.postgres.admin_url,
                program_url=self.postgres.url,
                reader_password=self.postgres.reader_password,
            )
        if os.environ["BROKER_URL"] == self.valkey.url:
            self.valkey.wait(self._start(self.valkey.program()))

    def _start(self, program: Program) -> Child:
        child = Child(program, Records(self.folder / "children.json"))
        self.children.append(child)
        child.start()
        return child

    def stop(self) -> None:
        while self.children:
            self.children.pop().stop()
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def own() -> OwnServices:
    """The throw-away services of this run, not yet started."""
    folder = Path(os.environ.get(FOLDER) or new_folder())
    services = OwnServices(folder, own_postgres(folder), own_valkey(folder))
    atexit.register(services.stop)
    return services


def short_folder() -> str:
    """Where temporary things go, or, if its path is too long for a unix socket in them, /tmp."""
    folder = tempfile.gettempdir()
    return folder if len(folder) < 20 else "/tmp"


def new_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="irr-test-", dir=_place()))


def _place() -> str:
    """In memory, where a slow disk does not slow the tests down; else under /tmp.

    Both are short and let `nobody` in; a unix socket's path may have 107 bytes.
    """
    memory = Path("/dev/shm")
    if not memory.is_dir() or not os.access(memory, os.W_OK):
        return "/tmp"
    # Binaries are copied there where `nobody` may not enter the clone.
    may_execute = not os.statvfs(memory).f_flag & os.ST_NOEXEC
    return str(memory) if may_execute and shutil.disk_usage(memory).free >= ROOM else "/tmp"


def own_postgres(folder: Path, **settings: str) -> Postgres:
    """A Postgres in this folder; `settings` are Postgres' own.

    Its passwords cost nothing to check, for the tests connect thousands of times. It counts no table by itself: most
    tests take back what they wrote, and a table counted in the middle of one passes for empty in the next.
    """
    state = _state(folder)
    return Postgres(
        binaries=postgres.usable_folder(folder / "bin", account=state.account),
        data=state.owned("postgres") / "data",
        sockets=state.owned("run"),
        log=folder / "postgres.log",
        account=state.account,
        superuser_password=secrets.token_urlsafe(12),
        password=secrets.token_urlsafe(12),
        reader_password=secrets.token_urlsafe(12),
        settings=tuple(
            {"scram_iterations": "1", "autovacuum": "off", "max_connections": "300", **settings}.items()
        ),
    )


def own_valkey(folder: Path) -> Valkey:
    state = _state(folder)
    return Valkey(
        binary=valkey.usable_binary(folder / "bin", account=state.account),
        data=state.owned("valkey"),
        sockets=state.owned("run"),
        log=folder / "valkey.log",
        account=state.account,
        password=secrets.token_urlsafe(12),
    )


def _state(folder: Path) -> StatePaths:
    account = _account()
    if account:
        folder.chmod(0o711)
    return StatePaths(var=folder, home=folder, account=account)


@cache
def _account() -> Account | None:
    return service_account(Path("/nowhere"))


def ensure_started() -> None:
    """Start the throw-away services, if this run uses any."""
    if own.cache_info().currsize:
        own().start()
