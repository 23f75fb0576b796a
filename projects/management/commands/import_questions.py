"""Import a codebook from the command line."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from core.tables.sources import file_at
from projects.codebook.imports import import_questions
from projects.imports.commands import (
    add_file_arguments,
    file_given,
    project_named,
    read_options,
    refused,
    user_named,
)
from projects.imports.recording import record_import


class Command(BaseCommand):
    help = (
        "Import questions from a file with the columns question, prompt, scale, labels (such as no|yes) "
        "and label_meanings."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser)

    def handle(self, **given: Any) -> None:
        path = file_given(given)
        with refused(self.stderr):
            project = project_named(given)
            done = import_questions(project, file_at(path), read_options(given))
            by = user_named(given["by"])
            record_import(project, done, by=by, file_name=path.name, what="questions")
        self.stdout.write(
            f"Questions of {project.slug}: {done.n_created:,} created, {done.n_changed:,} changed, "
            f"{done.n_unchanged:,} unchanged."
        )
