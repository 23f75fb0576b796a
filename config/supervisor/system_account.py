"""The user that the database and the broker run as: an existing user, never root."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from config.supervisor.console import StartError

CANDIDATES = ("nobody", "postgres", "daemon")


@dataclass(frozen=True, slots=True)
class Account:
    name: str
    uid: int
    gid: int

    @property
    def ids(self) -> tuple[int, int]:
        return self.uid, self.gid

    def own(self, path: Path) -> None:
        os.chown(path, self.uid, self.gid)


def service_account(data: Path) -> Account | None:
    """The unprivileged user that the services run as; None if we are unprivileged ourselves."""
    if os.geteuid() != 0:
        return None
    if data.exists() and (uid := data.stat().st_uid) != 0:
        return _account(pwd.getpwuid(uid))
    for name in CANDIDATES:
        try:
            return _account(pwd.getpwnam(name))
        except KeyError:
            continue
    raise StartError(
        f"PostgreSQL cannot run as root, and none of the users {', '.join(CANDIDATES)} exists here."
    )


def may_enter(folder: Path, *, account: Account | None) -> bool:
    """Whether the services can reach this folder; the system decides, because it knows about ACLs."""
    if account is None:
        return os.access(folder, os.X_OK)
    return _runs(["/bin/sh", "-c", 'cd "$1"', "sh", str(folder)], account=account)


def may_execute(program: Path, *, account: Account | None) -> bool:
    return _runs([str(program), "--version"], account=account)


def _account(entry: pwd.struct_passwd) -> Account:
    return Account(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)


def _runs(command: list[str], *, account: Account | None) -> bool:
    try:
        ended = subprocess.run(command, capture_output=True, cwd="/", check=False, **as_user(account))
    except PermissionError:
        return False
    return ended.returncode == 0


class RunAs(TypedDict, total=False):
    """Arguments of `subprocess`; none of them runs a program as the user who starts it."""

    user: int
    group: int
    extra_groups: list[int]


def as_user(account: Account | None) -> RunAs:
    """The subprocess arguments that run a program as this user."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}
