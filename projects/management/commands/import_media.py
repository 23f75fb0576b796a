"""Take media files from a folder."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.commands import LISTED, RefusingCommand
from projects.imports.commands import project_named, user_named
from projects.media.uploads import Outcome, Upload


class Command(RefusingCommand):
    help = "Take the images, sound and video below a folder, under the names that they have there."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", help="slug of the project")
        parser.add_argument("folder", type=Path)
        parser.add_argument("--by", metavar="USER", help="whose files they are")
        parser.add_argument("--below", metavar="NAME", default="", help="put before each name, as in photos")
        parser.add_argument("--replace", action="store_true", help="let files of the same name give way")

    def handle(self, **given: Any) -> None:
        folder: Path = given["folder"]
        if not folder.is_dir():
            raise CommandError(f"There is no folder {folder}.")
        project = project_named({**given, "create_project": None})
        by = user_named(given["by"])
        upload = Upload(project, by=by, folder=given["below"], replace=given["replace"])
        self._tell(upload.take_all_in(folder))

    def _tell(self, outcome: Outcome) -> None:
        self.stdout.write(
            f"Media files: {len(outcome.added):,} added, {len(outcome.replaced):,} replaced, "
            f"{len(outcome.unchanged):,} there already."
        )
        for refused in outcome.refused[:LISTED]:
            self.stderr.write(f"{refused.name}: {refused.sentence}")
        if n := len(outcome.refused):
            raise CommandError(f"{n:,} file{'' if n == 1 else 's'} refused.")
