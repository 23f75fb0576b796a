from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.new_files import write_new_file
from projects.events import record
from projects.media.lost import lost_in_words, lost_media
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
        write_new_file(file, project_file(project))
        record(Event.Kind.EXPORTED, project=project, about=f"{slug}.zip")
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes.")
        if lost := lost_in_words(lost_media(project.media.all())):
            self.stderr.write(f"{lost} The file does not contain them.")
