"""Export labels from the command line."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.commands import RefusingCommand
from core.new_files import write_new_file
from projects.models import Project, Question, Round
from raters.writing.contents import contents_of
from raters.writing.downloading import pieces_of, record_export
from raters.writing.records import ExportKind
from raters.writing.scope import scope_of
from raters.writing.targets import BY_KEY, TARGETS


class Command(RefusingCommand):
    help = "Export labels, final labels, or items to a file, in the format of another program."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", help="project slug")
        parser.add_argument(
            "--format",
            dest="target",
            choices=list(BY_KEY),
            default=TARGETS[0].key,
            help=f"format of the file (default: {TARGETS[0].key})",
        )
        parser.add_argument("--output", type=Path, help="file to write; must not exist yet")
        parser.add_argument(
            "--what",
            choices=[str(what) for what in ExportKind],
            default=str(ExportKind.LABELS),
            help="what to export (default: labels)",
        )
        parser.add_argument(
            "--question", action="append", help="question key; may be repeated (default: all questions)"
        )
        parser.add_argument(
            "--round", action="append", help="round key; may be repeated (default: all rounds)"
        )
        parser.add_argument(
            "--check", action="store_true", help="print what the format leaves out, and write nothing"
        )

    def handle(
        self, *args: Any, project: str, target: str, output: Path | None, check: bool, **options: Any
    ) -> None:
        found, chosen = Project.objects.filter(slug=project).first(), BY_KEY[target]
        if found is None:
            raise CommandError(f"Project not found: {project}")
        scope = scope_of(
            found,
            ExportKind(options["what"]),
            _keyed(found, Question, options["question"]),
            _keyed(found, Round, options["round"]),
        )
        contents = contents_of(scope)
        for loss in chosen.losses(contents):
            number = "" if loss.n is None else f"{loss.n:,} "
            self.stderr.write(f"{number}{loss.words}: {loss.becomes}")
        if refusal := chosen.refusal(contents):
            raise CommandError(refusal)
        if check:
            return
        if output is None:
            raise CommandError("Name the file to write with --output, or use --check.")
        write_new_file(output, pieces_of(scope, chosen))
        record_export(scope, chosen)
        self.stdout.write(f"{output}: {output.stat().st_size:,} bytes.")


def _keyed(project: Project, model: type[Question] | type[Round], keys: list[str] | None) -> list[Any] | None:
    """Return the rows with these keys in project order; None for all."""
    if not keys:
        return None
    found: list[Any] = list(model._default_manager.filter(project=project, key__in=keys))
    if missing := sorted(set(keys) - {each.key for each in found}):
        raise CommandError(f"{model.__name__} not found: {missing[0]}")
    return found
