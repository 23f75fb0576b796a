from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from projects.events import record
from projects.models import Event, Project
from raters.archive.writing import project_file


class Command(BaseCommand):
    help = "Write a whole project with all its history into one file, for another server or for keeping."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the project, as in its address")
        parser.add_argument("file", type=Path, help="the file to write; it must not be there yet")

    def handle(self, *args: Any, slug: str, file: Path, **options: Any) -> None:
        project = Project.objects.filter(slug=slug).first()
        if project is None:
            raise CommandError(f"There is no project {slug}.")
        try:
            with file.open("xb") as target:
                for piece in project_file(project):
                    target.write(piece)
        except FileExistsError:
            raise CommandError(f"{file} is there already.") from None
        record(Event.Kind.EXPORTED, project=project, about=f"{slug}.zip")
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes.")
