"""Purge the projects that were deleted long enough ago."""

from typing import Any

from django.core.management.base import BaseCommand

from core.database_roles import admin_url, as_owner
from projects.deletion.actions import PurgeNotDue, due_projects, purge


class Command(BaseCommand):
    help = (
        "Permanently delete projects that were deleted PROJECT_DELETION_DAYS ago. Needs ADMIN_DATABASE_URL."
    )

    def handle(self, **_: Any) -> None:
        with as_owner(admin_url()):
            for project in due_projects():
                try:
                    purge(project)
                except PurgeNotDue:
                    self.stderr.write(
                        f"{project.slug} was not purged: its history does not show that it is due."
                    )
                else:
                    self.stdout.write(f"Purged {project.slug}.")
