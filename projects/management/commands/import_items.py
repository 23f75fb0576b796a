"""Import items, with their content, from the command line."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from core.tables.sources import file_at
from core.tables.table import looks_like_json_lines
from projects.imports.commands import (
    add_file_arguments,
    file_given,
    project_named,
    read_options,
    refused,
    user_named,
)
from projects.imports.recording import record_import
from projects.items.imports import import_items, missing_files_of


class Command(BaseCommand):
    help = 'Import items from a file with an "item" column and a column for each content field.'

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser)

    def handle(self, **given: Any) -> None:
        path: Path = file_given(given)
        source = file_at(path)
        with refused(self.stderr):
            project = project_named(given)
            is_json = looks_like_json_lines(source)
            by = user_named(given["by"])
            done = import_items(project, source, read_options(given), by=by, is_json=is_json)
            record_import(project, done, by=by, file_name=path.name, what="items")
            missing = missing_files_of(project, source, read_options(given), is_json=is_json)
        self.stdout.write(
            f"Items of {project.slug}: {done.n_created:,} created, {done.n_changed:,} changed, "
            f"{done.n_unchanged:,} unchanged."
        )
        if missing.n:
            files = "file" if missing.n == 1 else "files"
            self.stderr.write(
                f"{missing.n:,} media {files} used by these items not found: {', '.join(missing.names)}"
            )
