"""Restore a backup into an empty database and an empty media folder."""

import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backups.encrypting import keys_from
from config.backups.manifest import BackupError, Manifest
from config.backups.restoring import checked, pending, restore
from config.backups.tools import ToolMissing
from projects.media.lost import lost_in_words, lost_media
from projects.models import MediaFile


class Command(BaseCommand):
    help = "Restore a backup into an empty database and an empty media folder."
    # The tables that system checks would query don't exist yet.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="backup file")
        parser.add_argument(
            "--passphrase-file",
            type=Path,
            help="file whose first line is the passphrase (BACKUP_PASSPHRASE_FILE)",
        )
        parser.add_argument(
            "--identity-file", type=Path, help="age key that decrypts the backup (BACKUP_IDENTITY_FILE)"
        )
        parser.add_argument(
            "--check", action="store_true", help="verify the whole backup without restoring it"
        )

    def handle(self, *args: Any, file: Path, check: bool, **options: Any) -> None:
        started = time.monotonic()
        try:
            keys = keys_from(
                passphrase_file=options["passphrase_file"],
                identity_file=options["identity_file"],
            )
            with file.open("rb") as source:
                manifest = (checked if check else restore)(source, keys)
        except (BackupError, ToolMissing) as refused:
            raise CommandError(str(refused)) from refused
        except OSError as error:
            raise CommandError(f"{file} was not restored: {error}") from error
        done = "is valid" if check else "was restored"
        self.stdout.write(
            f"{file} {done}: made by version {manifest.version} on {manifest.made_at}{_before_upgrade(manifest)}, "
            f"{manifest.n_rows:,} rows, "
            f"{manifest.n_media:,} media files, in {time.monotonic() - started:.1f} s."
        )
        self._warn_of_lost(manifest, is_check=check)

    def _warn_of_lost(self, manifest: Manifest, *, is_check: bool) -> None:
        """Name media files that the restored database refers to and that are not there."""
        if not is_check:
            if lost := lost_in_words(lost_media(MediaFile.objects.all())):
                self.stderr.write(f"{lost} Copy them from the old media folder, or upload them again.")
        elif n := len(manifest.missing_media):
            self.stderr.write(f"{n:,} media file{'' if n == 1 else 's'} had been lost before this backup.")


def _before_upgrade(manifest: Manifest) -> str:
    """Return that the tables are older than the version that made the backup, which it does before it migrates them."""
    is_same = manifest.version == settings.VERSION
    return " before it upgraded the tables of an earlier version" if is_same and pending(manifest) else ""
