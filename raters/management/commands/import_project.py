from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from projects.media.lost import lost_in_words, lost_media
from projects.models import slug_of_letters
from raters.archive.archive import BadProjectFile
from raters.archive.people import AccountChoice, NameTaken
from raters.archive.project_import import import_project
from raters.models import User


class Command(BaseCommand):
    help = "Import a project file, created by export_project or on the project’s settings page, with its full history."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="project file")
        parser.add_argument("--lead", required=True, help="username of the project lead on this server")
        parser.add_argument("--slug", default="", help="project slug (default: the slug in the file)")
        parser.add_argument(
            "--as",
            action="append",
            default=[],
            dest="people",
            metavar="NAME=NAME_HERE",
            help="import a person under another name; may be repeated. If an account of that name exists, "
            "the history is attributed to it; if not, a deactivated account is created.",
        )

    def handle(self, *args: Any, file: Path, lead: str, slug: str, people: list[str], **options: Any) -> None:
        user = User.objects.filter(username=lead, is_active=True).first()
        if user is None:
            raise CommandError(f"User not found: {lead}")
        try:
            if slug:
                slug_of_letters(slug)
            with file.open("rb") as source:
                project = import_project(source, lead=user, slug=slug, people=_accounts(people))
        except FileNotFoundError:
            raise CommandError(f"File not found: {file}") from None
        except BadProjectFile as refused:
            rows = "".join(f"\n  {problem}" for problem in refused.problems)
            raise CommandError(f"{refused}{rows}" if len(refused.problems) > 1 else str(refused)) from refused
        except NameTaken as taken:
            raise CommandError(f"{taken}{_hint(taken)}") from taken
        except ValidationError as error:
            raise CommandError(f"--slug: {' '.join(error.messages)}") from error
        self.stdout.write(f"Imported project {project.slug}, led by {user.username}.")
        if lost := lost_in_words(lost_media(project.media.all())):
            self.stderr.write(f"{lost} The project file does not contain them; upload them again.")


def _accounts(people: list[str]) -> dict[str, AccountChoice]:
    found = {}
    for pair in people:
        name, separator, here = pair.partition("=")
        if not separator or not name or not here:
            raise CommandError(f"--as must be NAME=NAME_HERE, got {pair}")
        found[name] = AccountChoice(here, is_existing=User.objects.filter(username=here).exists())
    return found


def _hint(taken: NameTaken) -> str:
    options = [f"--as {name}={free}" for name, free in taken.people.items()]
    options += [f"--slug {taken.slug}"] if taken.slug else []
    return f" Try: {' '.join(options)}" if options else ""
