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
from raters.imports.label_options import LabelOptions, QuestionOptions
from reports.analysis.options import OptionRefused
from reports.command.agreement import FileResult, agreement_of
from reports.command.arguments import Given, add_arguments, choices_of, reading_of
from reports.command.counts import choices_for_counts
from reports.command.excluded_raters import refuse_unknown_raters
from reports.command.interpretation_text import understood_json, understood_lines
from reports.command.suited_choices import choices_for
from reports.command.text import as_text
from reports.command.text_tables import wrapped
from reports.sources.file_labels import FileLabels, FileQuestion, read_label_file

LISTED = 100


class Command(BaseCommand):
    help = (
        "Compute inter-rater agreement from a file of labels: Cohen's kappa and confusion matrices for all pairs "
        "of raters, and overall coefficients such as Fleiss' kappa, Krippendorff's alpha, and Gwet's AC1. Reads "
        "every format that manage.py import_labels reads: tables with one label per row or a "
        "column for each rater (CSV, JSON lines, workbooks, SPSS, Stata), and the files of annotation programs. "
        "The output begins with how the file was read: columns, missing codes, merged spellings, and what was left "
        "out. Of several rounds, --round chooses one. --statistics raters also uses the time of the label. Needs no "
        "database. See also manage.py plan_agreement (sample size) and manage.py verify_statistics (published "
        "examples)."
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
    found = read_label_file(name_of(given["file"]), source_of(given["file"]), reading)
    if other := given["compare_file"]:
        same_kinds = replace(reading, options=with_kinds(reading.options, found.questions))
        choices = replace(
            choices, other=read_label_file(name_of(other), source_of(other), same_kinds).questions
        )
    results = [
        agreement_of(each, choices_for_counts(each.counts, choices_for(each, reading, choices)))
        for each in found.questions
    ]
    refuse_unknown_raters(choices.left_out, [each.question.raters for each in results])
    if given["format"] == "json":
        return as_json(results, found)
    return "\n\n".join(["\n".join(wrapped(understood_lines(found))), as_text(results)])


def with_kinds(options: LabelOptions, questions: Sequence[FileQuestion]) -> LabelOptions:
    """The other file's questions are of the same kinds as this one's."""
    known = {each.key: options.questions.get(each.key, QuestionOptions()) for each in questions}
    kinds = {each.key: replace(known[each.key], kind=each.kind) for each in questions}
    return replace(options, questions={**options.questions, **kinds})


def name_of(given: str) -> str:
    return "labels" if given == "-" else Path(given).name


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


def as_json(results: Sequence[FileResult], found: FileLabels) -> str:
    output = {"read": understood_json(found), "questions": [result.as_json() for result in results]}
    return json.dumps(output, ensure_ascii=False, allow_nan=False, cls=DjangoJSONEncoder)
