from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from projects.events import record
from projects.models import Event, Project
from raters.archive.project_export import project_file


class Command(BaseCommand):
    help = "Export a project with its full history to one file, to import elsewhere or archive."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="project slug")
        parser.add_argument("file", type=Path, help="file to write; must not exist yet")

    def handle(self, *args: Any, slug: str, file: Path, **options: Any) -> None:
        project = Project.objects.filter(slug=slug).first()
        if project is None:
            raise CommandError(f"Project not found: {slug}")
        try:
            with file.open("xb") as target:
                for piece in project_file(project):
                    target.write(piece)
        except FileExistsError:
            raise CommandError(f"{file} already exists. Choose another name.") from None
        record(Event.Kind.EXPORTED, project=project, about=f"{slug}.zip")
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes.")
