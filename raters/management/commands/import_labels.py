"""Import a file of labels from the command line."""

import sys
import time
from typing import Any, TextIO

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from core.commands import RefusingCommand
from core.tables.faults import FileRefused
from core.tables.sources import file_at
from core.tables.table import looks_like_json_lines
from projects.imports.commands import add_file_arguments, file_given, project_named, user_named
from projects.imports.protocol import Loading
from projects.models import Project, Question
from raters.imports.actions import NamedFile, import_now
from raters.imports.label_file import FileOfLabels, LabelsPreview
from raters.imports.options import FLAGS, RATER_KINDS, ROLES, TEXTS, LabelOptions
from raters.models import Rater


class Command(RefusingCommand):
    help = (
        "Import labels from a CSV, TSV, or JSON Lines file. If there are problems, they are listed and "
        "nothing is imported."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser)
        layout = parser.add_mutually_exclusive_group()
        layout.add_argument("--wide", action="store_true", help="the file has a column for each rater")
        layout.add_argument(
            "--jsonl", action="store_true", help="the file has one JSON object per line (JSON Lines)"
        )
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="ROLE=COLUMN",
            help=f"column to use for {', '.join(ROLES)}; may be repeated",
        )
        parser.add_argument(
            "--ignore",
            action="append",
            default=[],
            metavar="COLUMN",
            help="column to ignore; may be repeated",
        )
        parser.add_argument("--question", default="", help="question, if the file has no question column")
        parser.add_argument(
            "--answers",
            dest="question_kind",
            choices=Question.Kind.values,
            default=Question.Kind.SINGLE,
            help="answer type of new questions (default: single)",
        )
        parser.add_argument(
            "--level",
            choices=Question.Level.values,
            default=Question.Level.NOMINAL,
            help="level of measurement of new questions (default: nominal)",
        )
        parser.add_argument("--rater", default="", help="rater, if the file has no rater column")
        parser.add_argument(
            "--kind",
            dest="rater_kind",
            choices=RATER_KINDS,
            default=Rater.Kind.HUMAN,
            help="type of new raters (default: human)",
        )
        parser.add_argument("--round", default="", help="round, if the file has no round column")
        parser.add_argument("--trim", action="store_true", help="trim leading and trailing spaces")
        parser.add_argument(
            "--declared-only",
            action="store_true",
            help="do not create items, raters, questions, rounds, or categories",
        )
        parser.add_argument("--check", action="store_true", help="check the file without importing it")
        parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")

    def handle(self, **given: Any) -> None:
        path = file_given(given)
        file = NamedFile(path.name, file_at(path))
        options = options_from(given, is_json=looks_like_json_lines(file.source))
        progress = ProgressLine(sys.stderr)
        with transaction.atomic():
            project = project_named(given)
            if given["check"] or not given["yes"]:
                self._check(project, file, options, progress)
            if given["check"]:
                transaction.set_rollback(True)
                return
            if not given["yes"]:
                self._confirm()
            done = import_now(project, file, options, by=user_named(given["by"]), tick=progress.tick)
        progress.end()
        self.stdout.write(
            f"Import {done.pk} into {project.slug}: {done.n_labels:,} labels; {done.n_created:,} created, "
            f"{done.n_changed:,} changed, {done.n_unchanged:,} unchanged."
        )

    def _check(
        self, project: Project, file: NamedFile, options: LabelOptions, progress: "ProgressLine"
    ) -> None:
        examined = FileOfLabels(project, file.source, options, Loading(tick=progress.tick))
        examined.check()
        progress.end()
        if examined.faults:
            raise FileRefused(examined.faults)
        self.stdout.write("\n".join(told(examined.preview)))

    def _confirm(self) -> None:
        if not sys.stdin.isatty():
            raise CommandError("Nothing was imported. To import, add --yes.")
        if input("Import this? [y/N] ").strip().lower() not in {"y", "yes"}:
            raise CommandError("Nothing was imported.")


def options_from(given: dict[str, Any], *, is_json: bool) -> LabelOptions:
    columns = {}
    for pair in given["map"]:
        role, equals, column = pair.partition("=")
        if not equals:
            raise CommandError(f"--map must be ROLE=COLUMN, got {pair}")
        columns[role] = column
    layout = "wide" if given["wide"] else "jsonl" if given["jsonl"] or is_json else "long"
    said = {name: given[name] for name in (*TEXTS, *FLAGS) if name != "layout"}
    try:
        return LabelOptions(layout=layout, columns=columns, ignored=tuple(given["ignore"]), **said)
    except ValueError as error:
        raise CommandError(str(error)) from None


def told(preview: LabelsPreview) -> list[str]:
    """What the import would do, in lines."""
    staged = preview.staged
    read = f"{staged.encoding}, separated by {staged.separator}" if staged.separator else staged.encoding
    lines = [f"{staged.n_rows:,} rows ({read}), {staged.n_labels:,} labels, {staged.n_empty:,} empty cells."]
    for name, new in preview.new.items():
        if new.n:
            first = ", ".join(new.first) + (", …" if new.n > len(new.first) else "")
            lines.append(f"New in the project: {new.n:,} × {name} ({first}).")
    lines.append(
        f"{preview.n_created:,} labels to create, {preview.n_changed:,} to change, "
        f"{preview.n_unchanged:,} unchanged."
    )
    return lines


class ProgressLine:
    """Stage and share on a terminal's line, or each stage once in a log."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.stage, self.told_at = stream, "", 0.0

    def tick(self, stage: str, share: float) -> None:
        if not self.stream.isatty():
            if stage != self.stage:
                self.stream.write(f"{stage} …\n")
        elif stage != self.stage or time.monotonic() > self.told_at + 0.2:
            self.stream.write(f"\r\033[K{stage} … {share:.0%}")
            self.told_at = time.monotonic()
        self.stage = stage
        self.stream.flush()

    def end(self) -> None:
        if self.stream.isatty() and self.stage:
            self.stream.write("\r\033[K")
        self.stage = ""
