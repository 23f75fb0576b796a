"""Copies the services' binaries if the clone is in a folder that their user can't enter."""

import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path


def copy_once(parts: Mapping[Path, Path], copy: Path) -> None:
    """Create the folder `copy` from these parts, path in it -> source; it appears once it is complete."""
    if copy.exists():
        return
    copy.parent.mkdir(exist_ok=True)
    copy.parent.chmod(0o755)
    draft = copy.with_name(f".{copy.name}.{secrets.token_hex(4)}")
    draft.mkdir()
    try:
        for place, source in parts.items():
            _copy(source, draft / place)
        _open_to_all(draft)
        draft.rename(copy)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target)


def _open_to_all(folder: Path) -> None:
    # A wheel installed under a strict umask is readable by its owner only.
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
