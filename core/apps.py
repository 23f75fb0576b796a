from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate


class CoreConfig(AppConfig):
    name = "core"

    def ready(self) -> None:
        # Registers <id:> and <key:> for the addresses of every app, and what a worker does around its runs.
        from core.runs import workers  # noqa: F401
        from core.web import converters  # noqa: F401

        post_migrate.connect(seal_tables, sender=self)


def seal_tables(*, using: str, **_options: Any) -> None:
    """After every migration, whichever role ran it: grant the program's role its rights, and no others."""
    from core.database_roles import seal

    with connections[using].cursor() as cursor:
        seal(cursor.connection)
