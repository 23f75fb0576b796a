"""A folder of backups, named by their time, from which the oldest are removed.

`python -m config.backups.keeping FOLDER EVERY` reports by its exit status whether the newest backup is current.
"""

import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

_NAME = re.compile(r"interrater-(\d{8}T\d{6}Z)\.tar(\.age)?")
# Names of the backups that `migrate` makes before it changes tables, and how many of them it keeps.
_BEFORE_UPGRADE = re.compile(r"before-.+-(\d{8}T\d{12}Z)\.tar")
KEPT_UPGRADES = 3
_EVERY = re.compile(r"([1-9]\d{0,4})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_TIME = "%Y%m%dT%H%M%SZ"


def new_name(*, is_locked: bool) -> str:
    return f"interrater-{datetime.now(UTC):{_TIME}}.tar" + (".age" if is_locked else "")


def name_before_upgrade(version: str) -> str:
    return f"before-{version}-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.tar"


def backups_in(folder: Path) -> list[Path]:
    """The backups named by this module, oldest first; other files are not touched."""
    return _named(_NAME, folder)


def remove_all_but(n: int, folder: Path) -> list[Path]:
    """Keep the newest n; returns the removed files."""
    return _removed(backups_in(folder)[:-n])


def remove_old_upgrades(folder: Path) -> list[Path]:
    """Keep the newest backups that were made before upgrades; returns the removed files."""
    return _removed(_named(_BEFORE_UPGRADE, folder)[:-KEPT_UPGRADES])


def _named(pattern: re.Pattern[str], folder: Path) -> list[Path]:
    found = [(match[1], path) for path in folder.iterdir() if (match := pattern.fullmatch(path.name))]
    return [path for _, path in sorted(found)]


def _removed(old: list[Path]) -> list[Path]:
    for path in old:
        path.unlink()
    return old


def due_at(folder: Path, every: timedelta) -> datetime:
    """When the next backup is due."""
    made = [_NAME.fullmatch(path.name) for path in backups_in(folder)[-1:]]
    last = datetime.strptime(made[0][1], _TIME).replace(tzinfo=UTC) if made and made[0] else None
    return last + every if last else datetime.now(UTC)


def duration(text: str) -> timedelta:
    """Raises ValueError unless it is a number with m, h or d, such as 24h."""
    found = _EVERY.fullmatch(text)
    if not found:
        raise ValueError(f"must be a number followed by m, h, or d, such as 24h; got {text}")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def is_current(folder: Path, every: timedelta) -> bool:
    """Whether no backup was missed; allows time for one in progress."""
    return bool(backups_in(folder)) and due_at(folder, every) + every > datetime.now(UTC)


if __name__ == "__main__":
    sys.exit(0 if is_current(Path(sys.argv[1]), duration(sys.argv[2])) else 1)
