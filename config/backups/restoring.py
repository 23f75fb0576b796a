"""Reads a backup: verifies it completely, then restores it into an empty installation, all or nothing."""

import hashlib
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from config.backups.encrypting import Keys, opened
from config.backups.manifest import DUMP, MEDIA, NAME, BackupError, BackupPart, Manifest
from config.backups.snapshot import heads_of
from config.backups.tools import libpq, tool
from core.database_roles import admin_url, as_owner, ensure_database
from projects.media.media_files import place_of

BLOCK = 1 << 20
MAX_MANIFEST = 1 << 30
_OBJECTS = """
SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
"""


class Member:
    """One file of a backup while it is read: counts its bytes and computes its digest."""

    def __init__(self, name: str, content: IO[bytes]) -> None:
        self.name, self._content = name, content
        self._digest, self._n = hashlib.sha256(), 0

    def read(self, n: int = BLOCK) -> bytes:
        block = self._content.read(n if n > 0 else BLOCK)
        self._digest.update(block)
        self._n += len(block)
        return block

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        """For Django's storages."""
        yield from iter(self.read, b"")

    def part(self) -> BackupPart:
        """Its size and digest, once it was read completely."""
        while self.read():
            pass
        return BackupPart(self._n, self._digest.hexdigest())


def checked(file: BinaryIO, keys: Keys) -> Manifest:
    """The manifest, after every part was verified against it. Raises BackupError."""
    with _parts(file, keys) as (manifest, members):
        found: dict[str, BackupPart] = {}
        for member in members:
            if member.name in found:
                raise BackupError(f"This backup is damaged: it contains {member.name} twice.")
            if member.name == DUMP:
                _require_readable(member)
            found[member.name] = part = member.part()
            # The names under which media files are restored.
            if member.name not in {DUMP, f"{MEDIA}{part.sha256}"}:
                raise BackupError(
                    f"This backup is damaged: the content of {member.name} does not match its name."
                )
        if found != manifest.parts:
            wrong = sorted(
                name for name in {*found, *manifest.parts} if found.get(name) != manifest.parts.get(name)
            )
            raise BackupError(f"This backup is damaged: {wrong[0]} does not match the manifest.")
        if list(found) != list(manifest.parts):
            raise BackupError("This backup is damaged: its parts are in the wrong order.")
    return manifest


def restore(file: BinaryIO, keys: Keys) -> Manifest:
    """Restore a backup into an empty database and an empty media folder. Raises BackupError."""
    ensure_database()
    _require_empty_database()
    manifest = checked(file, keys)
    _require_known(manifest)
    if manifest.n_media:
        _require_empty_media()
    with as_owner(admin_url()):
        _restore(file, keys, manifest)
    # Migrates tables of an older version, and grants the roles' rights, which a backup doesn't contain.
    call_command("migrate", interactive=False, verbosity=0, no_backup=True)
    with as_owner(admin_url()), connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return manifest


def _restore(file: BinaryIO, keys: Keys, manifest: Manifest) -> None:
    kept: list[str] = []
    try:
        with _parts(file, keys) as (_, members):
            for member in members:
                if member.name == DUMP:
                    _restore_database(member)
                else:
                    place = place_of(member.name.removeprefix(MEDIA))
                    kept.append(default_storage.save(place, member))  # type: ignore[arg-type]
    except BaseException:
        for place in kept:
            default_storage.delete(place)
        raise
    _require_counts(manifest)


@contextmanager
def _parts(file: BinaryIO, keys: Keys) -> Iterator[tuple[Manifest, Iterator[Member]]]:
    try:
        with opened(file, keys) as stream, tarfile.open(fileobj=stream, mode="r|", bufsize=BLOCK) as tar:
            first = tar.next()
            content = tar.extractfile(first) if first and first.name == NAME else None
            if content is None or first is None or first.size > MAX_MANIFEST:
                raise BackupError("This file is not a backup: it does not start with a manifest.")
            manifest = Manifest.of_bytes(content.read())
            yield manifest, _members(tar)
            # Read to the very end, where an encrypted file shows whether it is complete.
            while stream.read(BLOCK):
                pass
    except (tarfile.TarError, EOFError) as error:
        raise BackupError("This file is not a backup, or it is incomplete or damaged.") from error


def _members(tar: tarfile.TarFile) -> Iterator[Member]:
    while (each := tar.next()) is not None:
        content = tar.extractfile(each)
        if content is None:
            raise BackupError(f"This backup is damaged: {each.name} is not a regular file.")
        yield Member(each.name, content)


def _require_readable(member: Member) -> None:
    """Check that pg_restore can read the dump's table of contents."""
    _feed([tool("pg_restore"), "--list"], member, {})


def _restore_database(member: Member) -> None:
    database, environment = libpq()
    command = [tool("pg_restore"), "--single-transaction", "--exit-on-error", "--no-owner", "--no-acl"]
    connection.close()
    _feed([*command, "--no-password", "--dbname", database], member, environment)


def _feed(command: list[object], member: Member, environment: dict[str, str]) -> None:
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [str(each) for each in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=environment or None,
        )
        try:
            with process.stdin:  # type: ignore[union-attr]
                while block := member.read():
                    process.stdin.write(block)  # type: ignore[union-attr]
        except BrokenPipeError:
            # It has read what it needs, or failed, which its exit status shows.
            pass
        except BaseException:
            process.kill()
            raise
        finally:
            status = process.wait()
        if status != 0:
            errors.seek(0)
            words = " ".join(errors.read().decode(errors="replace").splitlines()[:3])
            raise BackupError(f"pg_restore failed: {words}")


def _require_empty_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute(_OBJECTS)
        n_objects = cursor.fetchone()[0]
    if n_objects:
        name = connection.settings_dict["NAME"]
        raise BackupError(
            f"The database {name} is not empty: it has {n_objects:,} tables and sequences. Restore into an "
            "empty database."
        )


def _require_empty_media() -> None:
    try:
        folders, files = default_storage.listdir("")
    except FileNotFoundError:
        return
    if folders or files:
        place = (
            f"bucket {settings.MEDIA_S3_BUCKET}"
            if settings.MEDIA_S3_BUCKET
            else f"folder {settings.MEDIA_ROOT}"
        )
        raise BackupError(f"The media {place} is not empty. Restore into an empty one.")


def pending(manifest: Manifest) -> set[str]:
    """Return the migrations of this version that the tables of the backup did not have yet."""
    replaced = MigrationLoader(None).replacements
    return _known_migrations() - set(manifest.migrations) - {f"{app}.{name}" for app, name in replaced}


def _known_migrations() -> set[str]:
    return {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations or {}}


def _require_known(manifest: Manifest) -> None:
    known = _known_migrations()
    if newer := [name for name in manifest.migrations if name not in known]:
        raise BackupError(
            f"This backup was made by version {manifest.version}, which is newer than this version, "
            f"{settings.VERSION}: it "
            f"has the migration {newer[0]}. Restore it with that version."
        )


def _require_counts(manifest: Manifest) -> None:
    with connection.cursor() as cursor:
        for table, n in manifest.counts.items():
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608
            if (found := cursor.fetchone()[0]) != n:
                raise BackupError(f"{table} has {found:,} rows after the restore; expected {n:,}.")
        if manifest.heads and heads_of(cursor.connection) != manifest.heads:
            raise BackupError(
                "The history does not end where the backup says it should. To check it, run: manage.py verify_history"
            )
