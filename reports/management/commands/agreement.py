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
from projects.models import Question
from reports.analysis.options import OptionRefused
from reports.command.agreement import QuestionResult, agreement_of
from reports.command.arguments import add_arguments, choices_of, reading_of
from reports.command.choices import Choices, Unsuitable
from reports.command.left_out import refuse_strangers
from reports.command.numbers_and_sets import OtherResult, other_results
from reports.command.numbers_and_sets_text import other_as_text
from reports.command.text import as_text
from reports.sources.label_file import Options, read_label_file

LISTED = 100


class Command(BaseCommand):
    help = (
        "Compute interrater agreement from a CSV file: Cohen's kappa and confusion matrices for all pairs of raters, "
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
            said = said_of(given)
        except FileRefused as refused:
            raise CommandError(faults_of(refused)) from None
        except (OptionRefused, Unsuitable) as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(said)


def said_of(given: dict[str, Any]) -> str:
    """Everything that is printed."""
    choices, reading, is_json = choices_of(given), reading_of(given), given["format"] == "json"
    source = source_of(given["file"])
    if reading.kind != Question.Kind.SINGLE:
        other = source_of(given["compare_file"]) if given["compare_file"] else None
        others = other_results(source, reading, choices, other)
        refuse_strangers(choices.left_out, [each.raters for each in others])
        return as_json(others) if is_json else other_as_text(others, choices)
    results = results_of(source, reading, choices, given["compare_file"])
    refuse_strangers(choices.left_out, [each.question.raters for each in results])
    return as_json(results) if is_json else as_text(results, choices)


def results_of(source: Source, reading: Options, choices: Choices, other: str | None) -> list[QuestionResult]:
    """other: the path of a file to compare with."""
    if other:
        choices = replace(choices, other=read_label_file(source_of(other), reading))
    return [agreement_of(question, choices) for question in read_label_file(source, reading)]


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


def as_json(results: Sequence[QuestionResult | OtherResult]) -> str:
    questions = [result.as_json() for result in results]
    return json.dumps({"questions": questions}, ensure_ascii=False, allow_nan=False, cls=DjangoJSONEncoder)
