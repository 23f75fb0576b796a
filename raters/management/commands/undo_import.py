"""Undo a label import from the command line."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.commands import RefusingCommand
from projects.imports.import_commands import user_by_name
from raters.imports.undoing import UndoPreview, check_undo, undo_import
from raters.models import LabelImport


class Command(RefusingCommand):
    help = (
        "Undo an import of labels: its labels are withdrawn or get their former values back, and what it created "
        "and nothing else uses is deleted. The history keeps everything."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", type=int, help="ID of the import")
        parser.add_argument("--by", metavar="USER", help="username to record")
        parser.add_argument(
            "--check", action="store_true", help="show what would be undone, and change nothing"
        )

    def handle(self, **given: Any) -> None:
        run = LabelImport.objects.select_related("project").filter(pk=given["id"]).first()
        if run is None:
            raise CommandError(f"Import not found: {given['id']}")
        by = user_by_name(given["by"])
        if given["check"]:
            self.stdout.write("\n".join(undo_lines(check_undo(run), verb="would be ")))
            return
        done = undo_import(run, by=by)
        self.stdout.write(f"Import {run.pk} of {run.project.slug} was undone.")
        self.stdout.write("\n".join(undo_lines(done, verb="")))


def undo_lines(undoing: UndoPreview, *, verb: str) -> list[str]:
    """Return lines saying what undoing does, or did."""
    lines = [
        f"Labels: {undoing.n_withdrawn:,} {verb}withdrawn, {undoing.n_restored:,} {verb}restored, "
        f"{undoing.n_kept:,} {verb}kept."
    ]
    if undoing.kept_first:
        more = "; …" if undoing.n_kept > len(undoing.kept_first) else ""
        lines.append(f"Changed after the import: {'; '.join(undoing.kept_first)}{more}.")
    for kind, counts in undoing.created.items():
        if counts.n_deleted or counts.n_kept:
            lines.append(
                f"Created × {kind}: {counts.n_deleted:,} {verb}deleted, {counts.n_kept:,} {verb}kept."
            )
    if undoing.n_reports:
        lines.append(f"Reports that may use what was created: {undoing.n_reports:,}.")
    return lines
