"""Shared by the import commands."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.db import IntegrityError, transaction

from core.commands import RefusingCommand
from core.tables.delimited import SEPARATORS
from core.tables.encoding import AUTO, ENCODINGS
from core.tables.sources import file_at
from projects.imports.protocol import FileOpener, ImportContext
from projects.imports.read_options import ReadOptions
from projects.imports.recording import record_import
from projects.models import Membership, Project, slug_of_letters


def add_file_arguments(parser: CommandParser, *, several: bool = False) -> None:
    parser.add_argument("project", help="project slug")
    help_text = "CSV, TSV, JSON, XLSX, XLS, ODS, SPSS, or Stata file"
    if several:
        parser.add_argument(
            "file", type=Path, nargs="+", help=f"{help_text}, or several: one for each rater, or parts"
        )
    else:
        parser.add_argument("file", type=Path, help=help_text)
    parser.add_argument("--by", metavar="USER", help="username to record as the importer")
    parser.add_argument(
        "--create-project", metavar="NAME", help="create the project, led by USER, if it does not exist"
    )
    parser.add_argument("--encoding", choices=[AUTO, *ENCODINGS], default=AUTO, help="(default: auto)")
    parser.add_argument("--separator", choices=[AUTO, *SEPARATORS], default=AUTO, help="(default: auto)")
    parser.add_argument(
        "--replace", action="store_true", help="overwrite existing values that differ from the file"
    )


def file_argument(given: dict[str, Any]) -> Path:
    return _found(given["file"])


def file_arguments(given: dict[str, Any]) -> list[Path]:
    return [_found(path) for path in given["file"]]


def _found(path: Path) -> Path:
    if not path.is_file():
        raise CommandError(f"File not found: {path}")
    if path.stat().st_size > settings.IMPORT_MAX_BYTES:
        raise CommandError(f"The file is larger than {settings.IMPORT_MAX_BYTES:,} bytes. Split it.")
    return path


def user_by_name(username: str | None) -> Any:
    if username is None:
        return None
    user = get_user_model().objects.filter(username=username).first()
    if user is None:
        raise CommandError(f"User not found: {username}")
    return user


def project_argument(given: dict[str, Any]) -> Project:
    """The project; if it does not exist and this is requested, a new one led by the user given with --by."""
    slug, by = given["project"], user_by_name(given["by"])
    if project := Project.objects.filter(slug=slug).first():
        return project
    if not given["create_project"]:
        slugs = Project.objects.order_by("slug").values_list("slug", flat=True)[:20]
        raise CommandError(f"Project not found: {slug}. Available projects: {', '.join(slugs) or 'none'}.")
    if by is None:
        raise CommandError("Nobody could open the new project. Use --by to name the user who will lead it.")
    try:
        slug_of_letters(slug)
    except ValidationError as error:
        raise CommandError(f"Invalid slug {slug}: {error.messages[0]}") from None
    try:
        with transaction.atomic():
            project = Project.objects.create(name=given["create_project"], slug=slug)
    except IntegrityError:
        raise CommandError(
            f"Someone else has just created the project {slug}. Run the command again to import into it."
        ) from None
    Membership.objects.create(project=project, user=by, role=Membership.Role.LEAD)
    return project


class ImportCommand(RefusingCommand):
    """Loads a file as one import: all or nothing, with one event in the log."""

    what: str
    open: FileOpener
    options: type[ReadOptions]

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser)

    def handle(self, **given: Any) -> None:
        path = file_argument(given)
        with transaction.atomic():
            project, by = project_argument(given), user_by_name(given["by"])
            options = self.options(
                encoding=given["encoding"], separator=given["separator"], replace=given["replace"]
            )
            file = type(self).open(project, file_at(path), options, ImportContext(by=by))
            done = file.load()
            record_import(project, done, by=by, file_name=path.name, what=self.what)
            self.stdout.write(
                f"{self.what.capitalize()} of {project.slug}: {done.n_created:,} created, {done.n_changed:,} changed, "
                f"{done.n_unchanged:,} unchanged."
            )
            self.report_details(file)

    def report_details(self, file: Any) -> None:
        """Print anything else a person should know about the file."""
