"""Take media files from a folder."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.commands import LISTED, RefusingCommand
from projects.imports.import_commands import project_argument, user_by_name
from projects.media.media_uploads import Upload, UploadOutcome


class Command(RefusingCommand):
    help = (
        "Import the images, audio, and video in a folder and its subfolders. Files are named by their "
        "path in the folder."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", help="project slug")
        parser.add_argument("folder", type=Path, help="folder on this server")
        parser.add_argument("--by", metavar="USER", help="username to record as the uploader")
        parser.add_argument(
            "--below", metavar="NAME", default="", help="prefix for each name, such as photos"
        )
        parser.add_argument("--replace", action="store_true", help="replace files that have the same name")

    def handle(self, **given: Any) -> None:
        folder: Path = given["folder"]
        if not folder.is_dir():
            raise CommandError(f"Folder not found: {folder}")
        project = project_argument({**given, "create_project": None})
        by = user_by_name(given["by"])
        upload = Upload(project, by=by, folder=given["below"], replace=given["replace"])
        self._tell(upload.take_all_in(folder))

    def _tell(self, outcome: UploadOutcome) -> None:
        self.stdout.write(
            f"Media files: {len(outcome.added):,} added, {len(outcome.replaced):,} replaced, "
            f"{len(outcome.unchanged):,} unchanged."
        )
        for refused in outcome.refused[:LISTED]:
            self.stderr.write(f"{refused.name}: {refused.sentence}")
        if n := len(outcome.refused):
            raise CommandError(f"{n:,} file{'' if n == 1 else 's'} rejected.")
