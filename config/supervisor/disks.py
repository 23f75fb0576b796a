"""Which kind of disk the data is on, and whether it has space."""

import shutil
from pathlib import Path

from config.supervisor.console import StartError

# A new database takes about 80 MB, and a running one must be able to write its WAL (bytes).
ROOM_FOR_NEW, ROOM_FOR_OLD = 300 * 1024**2, 50 * 1024**2
PASSING = {"tmpfs", "ramfs"}
LAYERS = {"overlay", "aufs"}


def require_room(folder: Path, *, is_new: bool) -> None:
    needed = ROOM_FOR_NEW if is_new else ROOM_FOR_OLD
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise StartError(
            f"The disk that contains {folder} is full: {free // 1024**2} MB are free, but "
            f"{needed // 1024**2} MB are needed. Free some space and start again."
        )


def warning(folder: Path, *, mounts: Path = Path("/proc/self/mountinfo")) -> str | None:
    """A warning if data in this folder will not survive the machine or the container."""
    kind = _file_system(folder.resolve(), mounts)
    if kind in PASSING:
        return f"{folder} is stored in memory ({kind}). ALL LABELS WILL BE LOST when this machine restarts."
    if kind in LAYERS:
        return (
            f"{folder} is stored inside the container. ALL LABELS WILL BE LOST when the container is removed. "
            "Mount a volume."
        )
    return None


def _file_system(folder: Path, mounts: Path) -> str | None:
    """The type of the file system of a folder, where the system reports it (Linux)."""
    if not mounts.exists():
        return None
    found: tuple[int, str] | None = None
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        before, _, after = line.partition(" - ")
        point = Path(before.split()[4].encode().decode("unicode_escape"))
        # Of two mounts at the same path, the later one is visible.
        if folder.is_relative_to(point) and (found is None or len(point.parts) >= found[0]):
            found = (len(point.parts), after.split()[0])
    return found[1] if found else None
