"""Back up the database and the media files into one file."""

import os
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backups.backing_up import write_backup
from config.backups.encrypting import Keys, keys_from
from config.backups.keeping import due_at, duration, new_name, remove_all_but
from config.backups.manifest import BackupError
from config.backups.tools import ToolMissing

# The delay after a failed backup, and the longest interval between two checks of the clock.
_AGAIN = 600.0


class Command(BaseCommand):
    help = "Back up the database and the media files to one file. Interrater can keep running."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "target",
            type=Path,
            help="file to write, or a folder; in a folder, the file name contains the current time",
        )
        parser.add_argument(
            "--keep",
            type=int,
            metavar="N",
            help="with a folder: keep the newest N backups and remove the others",
        )
        parser.add_argument(
            "--every",
            metavar="24h",
            help="with a folder: keep running and back up at this interval, such as 30m, 24h, or 7d",
        )
        parser.add_argument(
            "--passphrase-file",
            type=Path,
            help="encrypt with the first line of this file (BACKUP_PASSPHRASE_FILE)",
        )
        parser.add_argument(
            "--recipient",
            action="append",
            default=[],
            help="encrypt for an age or SSH public key; may be repeated (BACKUP_RECIPIENT)",
        )
        parser.add_argument(
            "--identity-file",
            type=Path,
            help="age key of a recipient, to verify the backup after writing it",
        )
        parser.add_argument(
            "--allow-missing-media", action="store_true", help="back up even if media files are missing"
        )

    def handle(self, *args: Any, target: Path, keep: int | None, every: str | None, **options: Any) -> None:
        is_folder = target.is_dir()
        if (keep is not None or every) and not is_folder:
            raise CommandError(f"--keep and --every require a folder, but {target} is not a folder.")
        if keep is not None and keep < 1:
            raise CommandError("--keep must be at least 1.")
        self.keys = _keys(options)
        self.may_miss = bool(options["allow_missing_media"])
        if every:
            self._go_on(target, _duration(every), keep)
            return
        self._back_up(target / new_name(is_locked=self.keys.are_for_locking) if is_folder else target)
        self._rotate(target, keep)

    def _back_up(self, file: Path) -> None:
        started = time.monotonic()
        try:
            manifest = write_backup(file, self.keys, allow_missing_media=self.may_miss)
        except (BackupError, ToolMissing) as refused:
            raise CommandError(str(refused)) from refused
        except OSError as error:
            raise CommandError(f"No backup was written: {error}") from error
        if manifest.missing_media:
            self.stderr.write(
                f"{len(manifest.missing_media):,} media files are missing and not included in the backup."
            )
        self.stdout.write(
            f"{file}: {file.stat().st_size:,} bytes, {manifest.n_rows:,} rows, {manifest.n_media:,} media files, "
            f"verified, in {time.monotonic() - started:.1f} s."
        )

    def _rotate(self, folder: Path, keep: int | None) -> None:
        for removed in remove_all_but(keep, folder) if keep else []:
            self.stdout.write(f"Removed {removed.name}.")

    def _go_on(self, folder: Path, every: timedelta, keep: int | None) -> None:
        while True:
            wait = (due_at(folder, every) - datetime.now(UTC)).total_seconds()
            if wait > 0:
                time.sleep(min(wait, _AGAIN))
                continue
            try:
                self._back_up(folder / new_name(is_locked=self.keys.are_for_locking))
                self._rotate(folder, keep)
            except CommandError as failed:
                print(f"The backup failed and will be retried: {failed}", file=sys.stderr, flush=True)
                time.sleep(_AGAIN)


def _keys(options: dict[str, Any]) -> Keys:
    recipients = options["recipient"] or os.environ.get("BACKUP_RECIPIENT", "").split()
    try:
        return keys_from(
            passphrase_file=options["passphrase_file"],
            recipients=recipients,
            identity_file=options["identity_file"],
        )
    except BackupError as refused:
        raise CommandError(str(refused)) from refused


def _duration(text: str) -> timedelta:
    try:
        return duration(text)
    except ValueError as error:
        raise CommandError(f"--every {error}.") from error
