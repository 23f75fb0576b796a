"""The environment of commands typed by hand while `make run` is running."""

import os
import sys
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
# Files in the state folder: variables for every command, and those that only commands that change tables need.
COMMANDS, ADMINISTRATION = "environment", "administration"
# The variable that names the folder a file was written for.
FOLDER = "STATE_FOLDER"
ADMINISTERING = {"migrate", "prepare", "purge_deleted_projects", "restore"}


def state_folder() -> Path:
    """Where `make run` keeps all persistent data."""
    return Path(os.environ.get("STATE_DIR") or BASE_DIR / "var").absolute()


def use_running_services(command: str = "") -> None:
    """Connect this process to the services of `make run`, unless the environment names a database."""
    if os.environ.get("DATABASE_URL") or not os.access(state_folder() / COMMANDS, os.R_OK):
        return
    for file in [COMMANDS, *([ADMINISTRATION] if command in ADMINISTERING else [])]:
        for line in (state_folder() / file).read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            if name != FOLDER:
                os.environ.setdefault(name, value)
            elif value != identity(state_folder()):
                sys.exit(
                    f"{state_folder()} is a copy that still points to the database of the original. "
                    "Start it once with: make run"
                )
    # Next to the programs' logs, so that a typed command shows only its own output.
    log = state_folder() / "log"
    if os.access(log, os.W_OK):
        os.environ.setdefault("LOG_FILE", str(log / "commands.log"))


def identity(folder: Path) -> str:
    """Identifies the folder independently of its name; a copy has another identity."""
    found = folder.stat()
    return f"{found.st_dev}:{found.st_ino}"
