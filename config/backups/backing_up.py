"""Writes a backup under a temporary name, verifies it by reading it back, and only then renames it."""

import hashlib
import io
import os
import secrets
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO

from django.conf import settings
from django.core.files.storage import default_storage

from config.backups.encrypting import Keys, locked
from config.backups.manifest import DUMP, MEDIA, NAME, BackupError, BackupPart, Manifest
from config.backups.restoring import checked
from config.backups.snapshot import DatabaseSnapshot, snapshot
from config.backups.tools import libpq, tool
from projects.media.media_files import place_of
from projects.media.storage import sync_folder

BLOCK = 1 << 20


def write_backup(
    target: Path, keys: Keys, *, allow_missing_media: bool = False, has_media: bool = True
) -> Manifest:
    """Back up everything while the program runs. Raises BackupError, and then leaves no new file.

    has_media: False omits the media files.
    """
    if target.exists():
        raise BackupError(f"{target} already exists. Choose another name.")
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with tempfile.TemporaryFile(dir=target.parent) as dump:
            manifest = _dump_and_describe(dump, allow_missing_media=allow_missing_media, has_media=has_media)
            with _private(part) as out:
                with locked(out, keys) as stream:
                    _write_tar(stream, manifest, dump)
                out.flush()
                os.fsync(out.fileno())
                digest = _digest(out)
        _check(part, keys, manifest, digest)
        if target.exists():
            raise BackupError(
                f"{target} was created by another program during the backup. Choose another name."
            )
        part.rename(target)
        sync_folder(target.parent)
    finally:
        part.unlink(missing_ok=True)
    return manifest


@contextmanager
def _private(path: Path) -> Iterator[BinaryIO]:
    with open(path, "x+b", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        yield file


def _dump_and_describe(dump: IO[bytes], *, allow_missing_media: bool, has_media: bool) -> Manifest:
    with snapshot() as moment:
        _dump(moment, dump)
        media = moment.media() if has_media else []
        missing = [digest for digest in media if not default_storage.exists(place_of(digest))]
        if missing and not allow_missing_media:
            raise BackupError(
                f"{len(missing):,} media files are missing, such as {missing[0]}. If they were just removed, "
                "back up again. If they were lost, restore them, or use --allow-missing-media to back up without them."
            )
        parts = {
            f"{MEDIA}{digest}": BackupPart(default_storage.size(place_of(digest)), digest)
            for digest in media
            if digest not in set(missing)
        }
        # Last, so that a restore has written everything else before the database appears, all at once.
        parts[DUMP] = BackupPart(dump.seek(0, io.SEEK_END), _digest(dump))
        return Manifest(
            version=settings.VERSION,
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            postgres=moment.postgres(),
            migrations=moment.migrations(),
            counts=moment.counts(),
            heads=moment.heads(),
            parts=parts,
            missing_media=missing,
        )


def _dump(moment: DatabaseSnapshot, file: IO[bytes]) -> None:
    database, environment = libpq()
    command = [str(tool("pg_dump")), "--format=custom", "--compress=gzip:1", f"--snapshot={moment.name}"]
    command += ["--no-unlogged-table-data", "--no-password", "--dbname", database]
    done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, env=environment, check=False)
    if done.returncode != 0:
        raise BackupError(f"pg_dump failed: {_last_lines(done.stderr)}")


def _last_lines(output: bytes) -> str:
    return " ".join(output.decode(errors="replace").splitlines()[-3:])


def _write_tar(stream: IO[bytes], manifest: Manifest, dump: IO[bytes]) -> None:
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.GNU_FORMAT, bufsize=BLOCK) as tar:
        data = manifest.as_bytes()
        _add(tar, NAME, len(data), io.BytesIO(data))
        for name, part in manifest.parts.items():
            if name == DUMP:
                dump.seek(0)
                _add(tar, name, part.n_bytes, dump)
                continue
            try:
                with default_storage.open(place_of(part.sha256)) as media:
                    _add(tar, name, part.n_bytes, media)
            except FileNotFoundError:
                sentence = f"The media file {part.sha256} was removed during the backup. Back up again."
                raise BackupError(sentence) from None


def _add(tar: tarfile.TarFile, name: str, n_bytes: int, content: IO[bytes]) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = n_bytes, 0o600
    try:
        tar.addfile(member, content)
    except OSError as error:
        if "unexpected end of data" not in str(error):
            raise
        raise BackupError(f"{name} is shorter than expected.") from error


def _check(part: Path, keys: Keys, manifest: Manifest, digest: str) -> None:
    """Read it back; a backup encrypted for other people's keys can only be compared with what was written."""
    with part.open("rb") as file:
        if keys.recipients and not keys.identities:
            if _digest(file) != digest:
                raise BackupError(
                    "The backup could not be verified after writing. Check the disk for errors."
                )
            return
        if checked(file, keys) != manifest:
            raise BackupError("The backup could not be verified after writing. Check the disk for errors.")


def _digest(file: IO[bytes]) -> str:
    file.seek(0)
    found = hashlib.file_digest(file, "sha256")  # type: ignore[arg-type]
    file.seek(0, io.SEEK_END)
    return found.hexdigest()
