"""Agreement between the raters of a file, without a database or a server."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.serializers.json import DjangoJSONEncoder

# Blocks are counted by threads of our own; BLAS reads this when NumPy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from core.tables.encoding import Source
from core.tables.faults import FileRefused
from core.tables.sources import bytes_of, file_at
from reports.analysis.options import OptionRefused
from reports.command.agreement import FileResult, agreement_of
from reports.command.arguments import Given, add_arguments, choices_of, reading_of, refuse_unsuitable
from reports.command.left_out import refuse_strangers
from reports.command.text import as_text
from reports.sources.label_file import read_label_file

LISTED = 100


class Command(BaseCommand):
    help = (
        "Compute inter-rater agreement from a CSV file: Cohen's kappa and confusion matrices for all pairs of raters, "
        "and"
        " overall coefficients such as Fleiss' kappa, Krippendorff's alpha, and Gwet's AC1. Columns: item, rater, "
        "label,"
        " and, if there are several, question; --statistics raters also uses time, the time of the label. Other columns"
        " are ignored. An empty label is missing. Needs no database. See also manage.py plan_agreement (sample size)"
        " and manage.py verify_statistics (published examples)."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)

    def handle(self, *args: Any, **given: Any) -> None:
        try:
            text = output_of(given)
        except FileRefused as refused:
            raise CommandError(faults_of(refused)) from None
        except OptionRefused as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(text)


def output_of(given: Given) -> str:
    """Everything that is printed."""
    choices, reading = choices_of(given), reading_of(given)
    refuse_unsuitable(reading, choices)
    if given["compare_file"]:
        choices = replace(choices, other=read_label_file(source_of(given["compare_file"]), reading))
    results = [agreement_of(each, choices) for each in read_label_file(source_of(given["file"]), reading)]
    refuse_strangers(choices.left_out, [each.question.raters for each in results])
    return as_json(results) if given["format"] == "json" else as_text(results, choices)


def source_of(name: str) -> Source:
    if name == "-":
        return bytes_of(sys.stdin.buffer.read())
    path = Path(name)
    if not path.is_file():
        raise CommandError(f"There is no file {path}.")
    return file_at(path)


def faults_of(refused: FileRefused) -> str:
    faults = refused.faults
    lines = [f"The file has {faults.n:,} problem{'s' if faults.n > 1 else ''}:"]
    lines += [f"  {fault}" for fault in faults.listed[:LISTED]]
    return "\n".join(lines + ([f"  … and {faults.n - LISTED:,} more"] if faults.n > LISTED else []))


def as_json(results: Sequence[FileResult]) -> str:
    questions = [result.as_json() for result in results]
    return json.dumps({"questions": questions}, ensure_ascii=False, allow_nan=False, cls=DjangoJSONEncoder)
