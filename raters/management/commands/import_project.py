from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from raters.bundle.reading import BadProjectFile, NameTaken, import_project
from raters.models import User


class Command(BaseCommand):
    help = "Read a project that `export_project` or the page of a project wrote, with all its history."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the file of the project")
        parser.add_argument("--lead", required=True, help="the name of the user who will lead it here")

    def handle(self, *args: Any, file: Path, lead: str, **options: Any) -> None:
        user = User.objects.filter(username=lead, is_active=True).first()
        if user is None:
            raise CommandError(f"There is no user {lead}.")
        try:
            with file.open("rb") as source:
                project = import_project(source, lead=user)
        except FileNotFoundError:
            raise CommandError(f"There is no file {file}.") from None
        except (BadProjectFile, NameTaken) as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(f"Project {project.slug} is here, with {user.username} as its lead.")
