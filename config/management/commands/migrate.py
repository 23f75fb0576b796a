"""Django's `migrate`, as the owner of the tables, after a backup, and all or nothing."""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from config.backups.backing_up import write_backup
from config.backups.encrypting import keys_from
from config.backups.keeping import name_before_upgrade, remove_old_upgrades
from config.backups.manifest import BackupError
from config.backups.tools import ToolMissing
from config.environment import state_folder
from core.database_roles import PROGRAM, admin_url, as_owner, is_apart


class Command(migrate.Command):
    help = (
        f"{migrate.Command.help} Runs as the table owner, using ADMIN_DATABASE_URL. Backs up the "
        "database first, and runs all migrations in one transaction: if one fails, nothing changes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--no-backup", action="store_true", help="do not back up the database first")

    def handle(self, *args: Any, no_backup: bool = False, **options: Any) -> None:
        url = admin_url()
        if url is None:
            self._refuse_program()
        with as_owner(url):
            if not no_backup:
                self._back_up()
            with transaction.atomic():
                super().handle(*args, **options)

    def _refuse_program(self) -> None:
        with connection.cursor() as cursor:
            if is_apart(cursor.connection) and connection.settings_dict["USER"] == PROGRAM:
                raise CommandError(
                    "The application role cannot change tables. "
                    "Set ADMIN_DATABASE_URL to the URL of a superuser of this database."
                )

    def _back_up(self) -> None:
        """Back up before an older version's tables change; migrations don't touch media files."""
        executor = MigrationExecutor(connection)
        is_new = not executor.loader.applied_migrations
        if is_new or not executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return
        folder = Path(os.environ.get("BACKUP_FOLDER") or state_folder() / "backups")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            target = folder / name_before_upgrade(settings.VERSION)
            write_backup(target, keys_from(passphrase_file=None, identity_file=None), has_media=False)
        except (BackupError, ToolMissing, OSError) as error:
            raise CommandError(
                f"The database was not backed up, so nothing was migrated: {error} "
                "To migrate without a backup: manage.py migrate --no-backup"
            ) from error
        self.stderr.write(f"Backed up the database to {target}.")
        for removed in remove_old_upgrades(folder):
            self.stderr.write(f"Removed {removed.name}.")
