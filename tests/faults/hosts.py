"""Several hosts, as far as programs can tell: network namespaces of Linux, joined by a bridge.

The first host is this one, with the database, the broker, and the dispatcher. All others reach it over TCP, if asked
for with a delay, and have workers, or the proxy, a web server, and a worker. Needs root.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

import psycopg
import redis

from config.environment import BASE_DIR
from config.supervisor.children import Child, Program, Records
from config.supervisor.postgres import DATABASE, PROGRAM
from tests.faults import far
from tests.faults.arena import Arena, open_arena
from tests.live import wait_until

CAN_HAVE_HOSTS = hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("ip") is not None
POSTGRES_PORT, BROKER_PORT = 5432, 6379
# What hosts are called by their own programs; `ip netns exec` has them find it under /etc.
NAMES = Path("/etc/netns")


@dataclass(frozen=True, slots=True)
class Host:
    name: str
    # Its end of the cable that is on the bridge.
    cable: str
    address: str

    @property
    def inside(self) -> list[str]:
        """The command that runs a command on this host."""
        return ["ip", "netns", "exec", self.name]

    def delay(self, arena: Arena, seconds: float) -> dict[str, str]:
        """Lead to the database and the broker with a delay; returns the environment of programs that go that way."""
        ways = {POSTGRES_PORT: arena.live.database_url, BROKER_PORT: arena.live.broker_url}
        first_host = str(urlsplit(arena.live.broker_url).hostname)
        targets = [word for port in ways for word in (str(port), f"{first_host}:{port}")]
        cable = arena.live.start(
            f"far-{self.name}", "-m", "tests.faults.far", str(seconds), *targets, inside=self.inside
        )
        wait_until(lambda: far.READY in cable.output(), child=cable)
        near_database, near_broker = (url.replace(first_host, "127.0.0.1") for url in ways.values())
        return {"DATABASE_URL": near_database, "BROKER_URL": near_broker}

    def start_site(self, arena: Arena, **environment: str) -> str:
        """Start the web server and the proxy before it, with the files of the deployment; returns the address."""
        url, folder = f"http://{self.address}/", arena.live.folder
        statics = str(folder / "static")
        arena.live.run("collectstatic", "--no-input", STATIC_ROOT=statics).check_returncode()
        server = ("-m", "gunicorn", "--config", str(BASE_DIR / "config/gunicorn.py"))
        hosts = {"ALLOWED_HOSTS": self.address, "WEB_BIND": "127.0.0.1:8000", "STATIC_ROOT": statics}
        arena.live.start(f"web-{self.name}", *server, inside=self.inside, **hosts, **environment)
        names = NAMES / self.name
        names.mkdir(parents=True)
        (names / "hosts").write_text("127.0.0.1 localhost web\n", encoding="utf-8")
        caddy = (str(Path(sys.executable).parent / "caddy"), "run", "--adapter", "caddyfile", "--config")
        program = Program(
            name=f"proxy-{self.name}",
            command=[*self.inside, *caddy, str(BASE_DIR / "deploy/Caddyfile")],
            log=folder / f"proxy-{self.name}.log",
            environment={
                **os.environ,
                "SITE_HOST": url.rstrip("/"),
                "HOME": str(folder),
                "XDG_DATA_HOME": str(folder),
            },
            folder=BASE_DIR,
        )
        proxy = Child(program, Records(folder / f"proxy-{self.name}.json"))
        arena.live.children.append(proxy)
        proxy.start()
        wait_until(lambda: _is_ready(url), child=proxy)
        return url

    def disconnect(self) -> None:
        """Nothing arrives, and nobody is told: as if the cable were cut, or the power."""
        _ip("link", "set", self.cable, "down")

    def connect(self) -> None:
        _ip("link", "set", self.cable, "up")

    def kill(self) -> None:
        """As a power failure: whoever it was connected to hears nothing of its end."""
        self.disconnect()
        for pid in _ip("netns", "pids", self.name).split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


@contextmanager
def open_hosts(n: int) -> Iterator[tuple[Arena, list[Host]]]:
    """Return an arena whose programs connect over TCP, and n more hosts."""
    # A network of its own for each process that runs tests.
    network = f"10.{200 + os.getpid() % 50}.{os.getpid() // 50 % 250}"
    address = f"{network}.1"
    with ExitStack() as stack:
        hosts = [stack.enter_context(host) for host in _hosts(stack, network, n)]
        arena = stack.enter_context(open_arena(listen_addresses=address, port=str(POSTGRES_PORT)))
        _admit(arena, f"{network}.0/24")
        password = quote(arena.postgres.password, safe="")
        arena.live.database_url = f"postgres://{PROGRAM}:{password}@{address}:{POSTGRES_PORT}/{DATABASE}"
        arena.live.broker_url = f"redis://:{quote(arena.valkey.password, safe='')}@{address}:{BROKER_PORT}/0"
        yield arena, hosts


def _hosts(stack: ExitStack, network: str, n: int) -> list[AbstractContextManager[Host]]:
    bridge = f"irr{os.getpid()}"
    _ip("link", "add", bridge, "type", "bridge")
    stack.callback(_ip, "link", "del", bridge)
    _ip("address", "add", f"{network}.1/24", "dev", bridge)
    _ip("link", "set", bridge, "up")
    return [_host(bridge, network, place) for place in range(n)]


@contextmanager
def _host(bridge: str, network: str, place: int) -> Iterator[Host]:
    name = f"{bridge}-{place}"
    host = Host(name=name, cable=name, address=f"{network}.{place + 2}")
    _ip("netns", "add", host.name)
    try:
        _ip("link", "add", host.cable, "type", "veth", "peer", "name", "eth0", "netns", host.name)
        _ip("link", "set", host.cable, "master", bridge)
        host.connect()
        for command in (
            ("address", "add", f"{host.address}/24", "dev", "eth0"),
            ("link", "set", "eth0", "up"),
            ("link", "set", "lo", "up"),
        ):
            _ip("-netns", host.name, *command)
        yield host
    finally:
        host.kill()
        # By itself, it would go some time after the last program.
        _ip("link", "del", host.cable)
        _ip("netns", "del", host.name)
        shutil.rmtree(NAMES / host.name, ignore_errors=True)


def _admit(arena: Arena, network: str) -> None:
    """Let the hosts connect to the database and the broker, with passwords as from here."""
    with (arena.postgres.data / "pg_hba.conf").open("a", encoding="utf-8") as rules:
        rules.write(f"host all all {network} scram-sha-256\n")
    with psycopg.connect(arena.postgres.admin_url, autocommit=True) as connection:
        connection.execute("SELECT pg_reload_conf()")
    broker = redis.Redis(unix_socket_path=str(arena.valkey.socket), password=arena.valkey.password)
    broker.config_set("bind", network.replace(".0/24", ".1"))
    broker.config_set("port", BROKER_PORT)
    broker.close()


def _is_ready(url: str) -> bool:
    try:
        with urlopen(f"{url}readyz", timeout=5) as response:
            return bool(response.status == 200)
    except (URLError, OSError):
        return False


def _ip(*command: str) -> str:
    done = subprocess.run(["ip", *command], check=True, capture_output=True, text=True)
    return done.stdout
