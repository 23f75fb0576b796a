"""Agreement between the raters of a file, without a database or a server."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

# Blocks are counted by threads of our own; BLAS reads this when NumPy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from projects.files.delimited import SEPARATORS
from projects.files.encoding import AUTO, ENCODINGS, Source
from projects.files.faults import FileRefused
from projects.files.sources import bytes_of, file_at
from reports.agreement.weights import Level, Weights
from reports.file_agreement import Choices, QuestionResult, Unsuitable, agreement_of
from reports.file_agreement_text import as_text
from reports.label_file import Options, read_label_file

LISTED = 100


class Command(BaseCommand):
    help = (
        "Agreement between the raters of a CSV file: tables of counts and Cohen's kappa of all pairs, and"
        " Fleiss' kappa, Krippendorff's alpha and Gwet's AC1 of all raters. Columns: item, rater, label and, if"
        " there are several, question; others are ignored. An empty label is none. No database is needed."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="path of the file, or - for standard input")
        levels, weights = [str(level) for level in Level], [str(each) for each in Weights]
        parser.add_argument("--level", choices=levels, default="nominal", help="level of measurement")
        parser.add_argument("--weights", choices=weights, default="unweighted", help="of Cohen's kappa")
        names = "the declared categories in order; else those that occur, sorted"
        parser.add_argument("--categories", metavar="A,B,C", help=names)
        only = "only this one; may be repeated"
        parser.add_argument("--question", action="append", default=[], metavar="NAME", help=only)
        parser.add_argument("--wide", action="store_true", help="a column for each rater, beside item")
        not_raters = "of a wide file, no rater; may be repeated"
        parser.add_argument("--ignore", action="append", default=[], metavar="COLUMN", help=not_raters)
        parser.add_argument("--trim", action="store_true", help="take spaces off the edges of cells")
        parser.add_argument("--encoding", choices=[AUTO, *ENCODINGS], default=AUTO)
        parser.add_argument("--separator", choices=[AUTO, *SEPARATORS], default=AUTO)
        parser.add_argument("--format", choices=["text", "json"], default="text")
        parser.add_argument(
            "--json", action="store_const", const="json", dest="format", help="short for --format json"
        )

    def handle(self, *args: Any, **given: Any) -> None:
        options = Options(
            is_wide=given["wide"],
            trim=given["trim"],
            encoding=given["encoding"],
            separator=given["separator"],
            questions=given["question"],
            categories=categories_in(given["categories"]),
            ignored=given["ignore"],
        )
        choices = Choices(Level(given["level"]), Weights(given["weights"]), bool(options.categories))
        try:
            questions = read_label_file(source_of(given["file"]), options)
            results = [agreement_of(question, choices) for question in questions]
        except FileRefused as refused:
            raise CommandError(faults_of(refused)) from None
        except Unsuitable as unsuitable:
            raise CommandError(str(unsuitable)) from None
        self.stdout.write(as_json(results) if given["format"] == "json" else as_text(results, choices))


def source_of(name: str) -> Source:
    if name == "-":
        return bytes_of(sys.stdin.buffer.read())
    path = Path(name)
    if not path.is_file():
        raise CommandError(f"There is no file {path}.")
    return file_at(path)


def categories_in(text: str | None) -> list[str]:
    if text is None:
        return []
    names = [name.strip() for name in text.split(",")]
    if "" in names or len(set(names)) != len(names):
        raise CommandError(f"--categories must be different names, separated by commas, got {text!r}.")
    return names


def faults_of(refused: FileRefused) -> str:
    faults = refused.faults
    lines = [f"The file has {faults.n:,} fault{'s' if faults.n > 1 else ''}:"]
    lines += [f"  {fault}" for fault in faults.listed[:LISTED]]
    return "\n".join(lines + ([f"  … and {faults.n - LISTED:,} more"] if faults.n > LISTED else []))


def as_json(results: list[QuestionResult]) -> str:
    questions = [result.as_json() for result in results]
    return json.dumps({"questions": questions}, ensure_ascii=False, allow_nan=False)
