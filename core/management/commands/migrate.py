"""Django's `migrate`, as the owner of the tables, and all or nothing."""

from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import connection, transaction

from core.roles import PROGRAM, admin_url, as_owner, is_apart


class Command(migrate.Command):
    help = (
        f"{migrate.Command.help} Acts as the owner of the tables, whom ADMIN_DATABASE_URL leads to, "
        "and in one transaction: if one migration fails, everything stays as it was."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        url = admin_url()
        if url is None:
            self._refuse_program()
        with as_owner(url), transaction.atomic():
            super().handle(*args, **options)

    def _refuse_program(self) -> None:
        with connection.cursor() as cursor:
            if is_apart(cursor.connection) and connection.settings_dict["USER"] == PROGRAM:
                raise CommandError(
                    "The role of the program may not change tables. "
                    "Set ADMIN_DATABASE_URL to the address of a superuser of this database."
                )
