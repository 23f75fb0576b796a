"""Import a file of labels from the command line."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any, TextIO

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from core.commands import RefusingCommand
from core.refusals import Refused
from core.runs.ledger import time_left
from core.tables.encoding import AUTO
from core.tables.faults import FileRefused
from core.tables.sources import file_at
from core.templatetags.shown import NO_BREAK, duration
from projects.imports.import_commands import (
    add_file_arguments,
    file_arguments,
    project_argument,
    user_by_name,
)
from projects.imports.protocol import ImportContext
from projects.models import Project
from raters.imports.actions import NamedSource, give_up
from raters.imports.command_imports import faults_of, load_claimed, load_or_follow, start_import, unfinished
from raters.imports.label_file import LabelFile
from raters.imports.label_options import CHOICES, FLAGS, TEXTS, LabelOptions
from raters.imports.labels_preview import LabelsPreview
from raters.imports.uploads import combined_name, together
from raters.models import LabelImport, Rater
from raters.reading.columns import ROLES
from raters.reading.records import RATER_KINDS


class Command(RefusingCommand):
    help = (
        "Import labels from a table (CSV, JSON Lines, workbook, SPSS, Stata) or the export of an annotation "
        "program. If there are problems, they are listed and nothing is imported."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser, several=True)
        parser.add_argument(
            "--layout",
            choices=CHOICES["layout"],
            default=AUTO,
            help="long: one label per row; wide: a column for each rater or question; transposed: a column for each "
            "item (default: auto)",
        )
        parser.add_argument(
            "--mapping", type=Path, metavar="FILE", help="JSON file of settings, as printed by --show-mapping"
        )
        parser.add_argument(
            "--show-mapping", action="store_true", help="with --check: print how the file was read, as JSON"
        )
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="COLUMN=ROLE",
            help=f"what a column holds: {', '.join(ROLES)}; may be repeated",
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
            choices=CHOICES["question_kind"],
            default=AUTO,
            help="answer type of new questions (default: auto)",
        )
        parser.add_argument(
            "--level",
            choices=CHOICES["level"],
            default=AUTO,
            help="level of measurement of new questions (default: auto)",
        )
        parser.add_argument(
            "--rater",
            default="",
            help="rater of all rows; each of several columns of labels is then a question",
        )
        parser.add_argument(
            "--kind",
            dest="rater_kind",
            choices=RATER_KINDS,
            default=Rater.Kind.HUMAN,
            help="type of new raters (default: human)",
        )
        parser.add_argument("--round", default="", help="round, if the file has no round column")
        parser.add_argument(
            "--sheet", default=AUTO, help="sheet of a workbook (default: the first with a table)"
        )
        parser.add_argument(
            "--header-line", default=AUTO, help="line of the header, or 0 for none (default: auto)"
        )
        parser.add_argument(
            "--format", default=AUTO, help="program that wrote the file, or table (default: auto)"
        )
        parser.add_argument(
            "--decimal", choices=CHOICES["decimal"], default=AUTO, help="decimal mark (default: auto)"
        )
        parser.add_argument(
            "--repeats",
            choices=CHOICES["repeats"],
            default="refuse",
            help="which of several labels of one rater for an item to keep (default: refuse the file)",
        )
        parser.add_argument(
            "--same-texts",
            choices=CHOICES["same_texts"],
            default="refuse",
            help="which item to take if several have the text of a row (default: refuse the file)",
        )
        parser.add_argument(
            "--declared-only",
            action="store_true",
            help="do not create items, raters, questions, rounds, or categories",
        )
        parser.add_argument("--check", action="store_true", help="check the file without importing it")
        parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")

    def handle(self, **given: Any) -> None:
        file = _file_of(file_arguments(given))
        options = options_from(given)
        progress = ProgressLine(sys.stderr)
        with transaction.atomic():
            is_new = not Project.objects.filter(slug=given["project"]).exists()
            project = project_argument(given)
            run = None if given["check"] else unfinished(project, file, options)
            is_begun_here = run is None
            if given["check"] or not (run or given["yes"]):
                self._check(project, file, options, progress, shows_mapping=given["show_mapping"])
            if given["check"]:
                transaction.set_rollback(True)
                return
            if not (run or given["yes"]):
                self._confirm()
            run = run or start_import(project, file, options, by=user_by_name(given["by"]))
        may_cancel = is_begun_here or run.asked_by == user_by_name(given["by"])
        try:
            self._load(run, progress, is_begun_here=is_begun_here, may_cancel=may_cancel)
        except (CommandError, Refused):
            if is_new:
                self.stderr.write(_cleanup_advice(project))
            raise
        self.stdout.write(
            f"Import {run.pk} into {project.slug}: {run.n_labels:,} labels; {run.n_created:,} created, "
            f"{run.n_changed:,} changed, {run.n_unchanged:,} unchanged."
        )

    def _load(
        self, run: LabelImport, progress: "ProgressLine", *, is_begun_here: bool, may_cancel: bool
    ) -> None:
        try:
            if is_begun_here:
                load_claimed(run, progress.report_progress)
            else:
                self.stderr.write(f"Import {run.pk} of this file has not finished. It will continue.")
            load_or_follow(run, progress.report_progress)
        except KeyboardInterrupt:
            if not may_cancel:
                raise CommandError(
                    f"Import {run.pk} was started by someone else, so it was not canceled."
                ) from None
            if give_up(run, by=run.asked_by):
                raise CommandError("Canceled. Nothing was imported.") from None
        finally:
            progress.end()
        run.refresh_from_db()
        if run.state == LabelImport.State.DRAFT:
            raise CommandError(
                f"Nothing was imported yet. Import {run.pk} needs a review on its page: the whole file differs from "
                "the part that was previewed."
            )
        if run.n_faults:
            raise FileRefused(faults_of(run))
        if run.state != LabelImport.State.DONE:
            raise CommandError(run.failure or "The import was canceled. Nothing was imported.")

    def _check(
        self,
        project: Project,
        file: NamedSource,
        options: LabelOptions,
        progress: "ProgressLine",
        *,
        shows_mapping: bool,
    ) -> None:
        examined = LabelFile(
            project,
            file.source,
            options,
            ImportContext(name=file.name, report_progress=progress.report_progress),
        )
        examined.check_all()
        progress.end()
        if shows_mapping:
            self.stdout.write(json.dumps(examined.options.as_json(), ensure_ascii=False, indent=2))
        if examined.faults:
            raise FileRefused(examined.faults)
        if not shows_mapping:
            self.stdout.write("\n".join(preview_lines(examined.preview)))

    def _confirm(self) -> None:
        if not sys.stdin.isatty():
            raise CommandError("Nothing was imported. To import, add --yes.")
        if input("Import this? [y/N] ").strip().lower() not in {"y", "yes"}:
            raise CommandError("Nothing was imported.")


def _cleanup_advice(project: Project) -> str:
    """What to do with a project that was created for an import that has failed, or was canceled."""
    deleting = f"manage.py delete_project {project.slug} --name {quote(project.name)}"
    return (
        f"The project {project.slug} was created, and is empty. To continue, run the command again, with a "
        f"corrected file if there were problems. To delete it: {deleting}"
    )


def _file_of(paths: list[Path]) -> NamedSource:
    if len(paths) == 1:
        return NamedSource(paths[0].name, file_at(paths[0]))
    names = [path.name for path in paths]
    return NamedSource(combined_name(names), together([(path.name, file_at(path)) for path in paths]))


def options_from(given: dict[str, Any]) -> LabelOptions:
    """Return the options from the mapping, overridden by those from the command line."""
    columns = {}
    for pair in given["map"]:
        column, equals, role = pair.rpartition("=")
        if not equals:
            raise CommandError(f"--map must be COLUMN=ROLE, got {pair}")
        columns[column] = role
    columns |= dict.fromkeys(given["ignore"], "ignore")
    options = {name: given[name] for name in (*TEXTS, *FLAGS) if given[name] not in (AUTO, "", False)}
    try:
        mapping = json.loads(given["mapping"].read_text()) if given["mapping"] else {}
        if not isinstance(mapping, dict):
            raise ValueError("the mapping must be a JSON object")
        return LabelOptions.from_json(
            {**mapping, **options, "columns": {**mapping.get("columns", {}), **columns}}
        )
    except (OSError, ValueError, TypeError) as error:
        raise CommandError(str(error)) from None


def preview_lines(preview: LabelsPreview) -> list[str]:
    """Return lines saying how the file was interpreted and what the import would do."""
    found = preview.interpretation
    read = ", ".join(filter(None, (found.title, found.encoding, found.separator, found.sheet)))
    lines = [
        f"{preview.n_records:,} answers read ({read}): {preview.n_labels:,} labels, "
        f"{preview.n_empty + preview.n_missing:,} missing."
    ]
    for question in preview.questions:
        values = [
            f"{row.written} → {_became(row.becomes)}" for row in question.rows if row.becomes != row.written
        ]
        if values:
            lines.append(f"{question.key}: {'; '.join(values)}.")
    for what, n in {**preview.states, **preview.left_out}.items():
        lines.append(f"Not imported: {n:,} {what}.")
    if preview.n_by_text:
        lines.append(f"Found by their text: {preview.n_by_text:,} items.")
    for name, new in preview.new.items():
        if new.n:
            first = ", ".join(new.first) + (", …" if new.n > len(new.first) else "")
            lines.append(f"New in the project: {new.n:,} × {name} ({first}).")
    lines.append(
        f"{preview.n_created:,} labels to create, {preview.n_changed:,} to change, "
        f"{preview.n_unchanged:,} unchanged."
    )
    return lines


def _became(becomes: Any) -> str:
    if isinstance(becomes, str):
        return becomes
    return "missing" if becomes is None else "none of them" if becomes == [] else "cannot tell"


class ProgressLine:
    """Shows stage and progress on one line of a terminal, or each stage once in a log."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.stage, self.told_at = stream, "", 0.0
        self.began = time.monotonic()

    def report_progress(self, stage: str, share: float, /, **counts: int) -> None:
        if not self.stream.isatty():
            if stage != self.stage:
                self.stream.write(f"{stage} …\n")
        elif stage != self.stage or time.monotonic() > self.told_at + 0.2:
            self.stream.write(f"\r\033[K{stage} … {', '.join(self._parts(share, **counts))}")
            self.told_at = time.monotonic()
        self.stage = stage
        self.stream.flush()

    def _parts(self, share: float, n_done: int = 0, n_total: int = 0) -> Iterator[str]:
        if n_total:
            yield f"{n_done:,} of {n_total:,} labels"
        elif n_done:
            yield f"{n_done:,} labels"
        yield f"{share:.0%}"
        if left := time_left(share, time.monotonic() - self.began):
            yield f"about {duration(left).replace(NO_BREAK, ' ')} left"

    def end(self) -> None:
        if self.stream.isatty() and self.stage:
            self.stream.write("\r\033[K")
        self.stage = ""
