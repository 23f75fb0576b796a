"""Delete a project, or restore it, from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import CommandError

from core.commands import RefusingCommand
from projects.deletion import actions as deletion
from projects.imports.import_commands import user_by_name
from projects.models import Project


class Command(RefusingCommand):
    help = "Delete a project. It is hidden immediately and permanently deleted after PROJECT_DELETION_DAYS."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="project slug")
        action = parser.add_mutually_exclusive_group(required=True)
        action.add_argument("--name", help="project name, to confirm")
        action.add_argument("--restore", action="store_true", help="restore a deleted project")
        parser.add_argument("--by", metavar="USER", help="username to record in the activity log")

    def handle(self, *, project: str, name: str | None, restore: bool, by: str | None, **_: Any) -> None:
        found = Project.objects.filter(slug=project).first()
        if found is None:
            raise CommandError(f"Project not found: {project}")
        user = user_by_name(by)
        if restore:
            if found.deletion_due_at is None:
                raise CommandError(f"{found.name} was not deleted.")
            deletion.restore(found, by=user)
            self.stdout.write(f"Restored {found.name}.")
            return
        deletion.request_deletion(found, by=user, name=name or "")
        self.stdout.write(
            f"Deleted {found.name}. It will be purged after {found.deletion_due_at:%Y-%m-%d %H:%M} UTC."
        )
