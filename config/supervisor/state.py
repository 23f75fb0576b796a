"""The folder `var/`: its permissions, its lock, and where the services keep their data."""

import fcntl
import hashlib
import json
import os
import pwd
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from config.environment import identity
from config.supervisor.console import StartError, say, warn
from config.supervisor.files import write_new, write_private
from config.supervisor.system_account import Account, may_enter, service_account

# A Unix socket's path may have 107 bytes on Linux and 103 on macOS, so sockets are never inside the clone.
SOCKETS = Path("/tmp")  # noqa: S108  (made by mkdtemp: random name, 0700)
SOCKETS_PREFIX = "interrater-"
# In the services' home outside var/: its owner.
CLAIM = "state-folder"
HOMES = (Path("/var/lib"), Path("/var/db"))


@dataclass(frozen=True, slots=True)
class StatePaths:
    """All paths; `home` contains what the services own, and is inside `var` unless they can't get there."""

    var: Path
    home: Path
    account: Account | None

    @property
    def log(self) -> Path:
        return self.var / "log"

    def private(self, name: str) -> Path:
        """A folder in var/ that only we can enter."""
        folder = self.var / name
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def owned(self, name: str) -> Path:
        """A folder that only the services can enter."""
        folder = self.home / name
        folder.mkdir(mode=0o700, exist_ok=True)
        if self.account:
            self.account.own(folder)
        return folder

    def secret(self, name: str, *, make: Callable[[], str] = secrets.token_urlsafe) -> str:
        """The secret of this name, created on the first start and readable only by us."""
        path = self.var / name
        if not path.exists():
            _write_secret(path, make())
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
        return path.read_text(encoding="utf-8").strip()


def _write_secret(path: Path, secret: str) -> None:
    # Written first and then renamed: an interrupted start leaves no empty key, and a concurrent one keeps the first.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        write_new(draft, secret)
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def open_state(var: Path) -> StatePaths:
    """Create or open var/ and the services' home."""
    make_private(var)
    pointer = var / "services"
    account = service_account(pointer / "postgres")
    home = _home(var, pointer, account)
    state = StatePaths(var=var, home=home, account=account)
    state.private("log")
    return state


def make_private(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except PermissionError as error:
        raise StartError(
            f"You do not have permission to write to {folder.parent}. Clone to a folder that you own."
        ) from error
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise StartError(
            f"{folder} belongs to the user {_user(found.st_uid)}. Start as that user, or clone to a new folder."
        )
    if found.st_mode & 0o067:
        folder.chmod(0o700)


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _home(var: Path, pointer: Path, account: Account | None) -> Path:
    if pointer.exists():
        return _known_home(var, pointer, account)
    if account is None:
        pointer.mkdir(mode=0o700)
        return pointer
    say(f"Running as root, so the database and the broker run as the user {account.name}.")
    if may_enter(var.parent, account=account):
        pointer.mkdir(mode=0o711)
        _grant_access(var, account)
        return pointer
    home = _home_elsewhere(var, account)
    home.mkdir(mode=0o711, exist_ok=True)
    home.chmod(0o711)
    pointer.unlink(missing_ok=True)
    pointer.symlink_to(home)
    _claim(home, var)
    say(
        f"{account.name} cannot access {var.parent}, so its data is stored in {home} ({pointer} points there)."
    )
    return home


def _known_home(var: Path, pointer: Path, account: Account | None) -> Path:
    home = pointer.resolve()
    is_inside = home.is_relative_to(var.resolve())
    if not is_inside:
        _require_ours(home, var)
    if account and is_inside:
        _grant_access(var, account)
    if not may_enter(home, account=account):
        raise StartError(
            f"{account.name if account else 'Your user'} cannot access the database files in {home}. "
            "Give that user access to the parent folders, or move the folder back."
        )
    return home


def _require_ours(home: Path, var: Path) -> None:
    """Refuse a copy of var/ that would share the original's database; a moved folder keeps its own."""
    try:
        claim = json.loads((home / CLAIM).read_text(encoding="utf-8"))
    except FileNotFoundError:
        claim = {}
    # A copied home contains the original's claim.
    if claim.get("home") == identity(home) and claim["folder"] != identity(var):
        original = Path(claim["path"])
        if original.is_dir() and identity(original) == claim["folder"]:
            own = home.with_name(f"{home.name}-{secrets.token_hex(4)}")
            raise StartError(
                f"{var} is a copy of {original}, and both use the database in {home}. To give the copy its "
                f"own database, stop the original and run: cp -a {home} {own} && ln -sfn {own} {var / 'services'}"
            )
    _claim(home, var)


def _claim(home: Path, var: Path) -> None:
    claim = {"path": str(var), "folder": identity(var), "home": identity(home)}
    write_private(home / CLAIM, json.dumps(claim))


def _grant_access(var: Path, account: Account) -> None:
    # The services' group may pass through var/ to their folder; it can't list or read anything else.
    os.chown(var, 0, account.gid)
    var.chmod(0o710)


def _home_elsewhere(var: Path, account: Account) -> Path:
    name = f"interrater-{hashlib.sha256(os.fsencode(var.resolve())).hexdigest()[:12]}"
    for parent in HOMES:
        if parent.is_dir() and may_enter(parent, account=account):
            return parent / name
    parent = Path(tempfile.gettempdir())
    warn(
        f"The database files would be stored in {parent}, which some systems clear. Clone to a folder that "
        "other users can access."
    )
    return parent / name


@contextmanager
def socket_folder(state: StatePaths) -> Iterator[Path]:
    """A short, private folder for the services' sockets; one that a killed supervisor left is removed."""
    note = state.var / "sockets"
    # The name identifies the owner: a copy of var/ contains the original's note.
    prefix = f"{SOCKETS_PREFIX}{hashlib.sha256(identity(state.var).encode()).hexdigest()[:12]}-"
    if note.exists():
        _remove_sockets(Path(note.read_text(encoding="utf-8")), prefix)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=SOCKETS))
    try:
        write_private(note, str(folder))
        if state.account:
            state.account.own(folder)
        yield folder
    finally:
        _remove_sockets(folder, prefix)
        note.unlink(missing_ok=True)


def _remove_sockets(folder: Path, prefix: str) -> None:
    if folder.parent == SOCKETS and folder.name.startswith(prefix) and not folder.is_symlink():
        shutil.rmtree(folder, ignore_errors=True)


def mend_sockets(folder: Path, account: Account | None) -> bool:
    """Recreate the sockets' folder if something has emptied /tmp; returns whether it was missing."""
    if folder.is_dir():
        return False
    folder.mkdir(mode=0o700)
    if account:
        account.own(folder)
    return True


def try_lock(path: Path) -> int | None:
    """Lock this file until this process ends; None if another process holds it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle
