"""Restore a backup into an empty database and an empty media folder."""

import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backups.encrypting import keys_from
from config.backups.manifest import BackupError
from config.backups.restoring import checked, restore
from config.backups.tools import ToolMissing


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
            f"{file} {done}: version {manifest.version}, made {manifest.made_at}, {manifest.n_rows:,} rows, "
            f"{manifest.n_media:,} media files, in {time.monotonic() - started:.1f} s."
        )
