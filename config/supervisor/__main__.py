"""`make run`: start everything, supervise it, and stop it cleanly."""

import json
import math
import os
import signal
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from types import FrameType

from django.core.exceptions import ImproperlyConfigured

from config.environment import state_folder
from config.supervisor.children import birth
from config.supervisor.console import StartError, disk_full, is_disk_full, say, waiting
from config.supervisor.state import make_private, open_state, try_lock
from config.supervisor.supervisor import opened_supervisor, prepare, restore, tell_address
from config.supervisor.web_socket import listen

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

DESCRIPTION = """\
Start Interrater on this machine, with its own PostgreSQL and Valkey, a worker, the dispatcher, and the web server.
Restarts what ends unexpectedly. Ctrl-C stops everything."""
SETTINGS = """\
settings, as environment variables:
  PORT            port of the site (default: the first free one from 8000 on)
  STATE_DIR       folder of database, media files, keys, and logs (default: var)
  DEMO            no: the first start loads no demo projects
  OWNER_NAME      name of the first account (default: owner)
  OWNER_PASSWORD  its password (default: a random one, shown once)
  RESTORE         backup to restore into a new STATE_DIR
  DATABASE_URL    your own PostgreSQL
  BROKER_URL      your own Valkey
All others are in .env.example."""


class StopRequested(Exception):
    """We were asked to stop."""


def main() -> int:
    # Everything is set in the environment: --help lists what, and any other argument is an error.
    ArgumentParser(
        prog="python -m config.supervisor",
        description=DESCRIPTION,
        epilog=SETTINGS,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    ).parse_args()
    os.umask(0o022)
    var = state_folder()
    for number in STOPPING:
        signal.signal(number, _stop)
    try:
        make_private(var)
        if address := _address_of_another(var):
            say(f"Interrater is already running from this folder, at {address}")
            return 0
        run(var)
    except StopRequested:
        say("Stopped.")
    except StartError as refusal:
        print(f"Interrater did not start: {refusal}", file=sys.stderr)
        return 1
    except ImproperlyConfigured as error:
        print(f"Interrater is not configured correctly: {error}", file=sys.stderr)
        return 1
    except PermissionError as error:
        print(f"Interrater stopped because of missing permissions: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        if not is_disk_full(error):
            raise
        print(f"Interrater stopped: {disk_full(var)}", file=sys.stderr)
        return 1
    return 0


def run(var: Path) -> None:
    state = open_state(var)
    with opened_supervisor(state) as supervisor:
        try:
            listener = listen(os.environ.get("PORT"))
            services = supervisor.open_services()
            if backup := os.environ.get("RESTORE"):
                restore(services, Path(backup))
            prepare(state, services)
            supervisor.start_programs(services, listener=listener)
            tell_address(state, port=listener.getsockname()[1])
            supervisor.watch(services)
        finally:
            # A second Ctrl-C must not interrupt the shutdown.
            for number in STOPPING:
                signal.signal(number, signal.SIG_IGN)
            (var / "address").unlink(missing_ok=True)
            if supervisor.children:
                say("Stopping …")


def _stop(number: int, frame: FrameType | None) -> None:
    raise StopRequested


def _address_of_another(var: Path) -> str | None:
    """The URL of the instance that already runs from this folder, once it has started; None if the folder is ours."""
    is_told = False
    for _ in waiting("the other process", seconds=math.inf, pause=0.2):
        if try_lock(var / "lock") is not None:
            break
        if address := _address(var):
            return address
        if not is_told:
            say("Interrater is already starting or stopping in this folder. Waiting …")
            is_told = True
    (var / "address").unlink(missing_ok=True)
    return None


def _address(var: Path) -> str | None:
    try:
        found = json.loads((var / "address").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return str(found["address"]) if birth(found["pid"]) else None


if __name__ == "__main__":
    sys.exit(main())
