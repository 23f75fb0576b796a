"""How many items a study of agreement needs, without a database or a server."""

import json
from dataclasses import replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reports.analysis.catalogue import PLAIN
from reports.plans.answer import AIMS, CONFIDENCES, STATISTICS, WEIGHTS, Answer, answer
from reports.plans.form import DEFAULTS, PlanForm
from reports.plans.shown import LINES, as_json, rows_of, sentence, uncertainty

MAX_LABELS = 500_000_000


class Command(BaseCommand):
    help = (
        "How many items a study of agreement needs: for an interval of a half width, or for an interval above a value"
        " with a power. Cohen's kappa by formula, the others by simulation. No database is needed."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        def add(name: str, text: str, **more: Any) -> None:
            default = DEFAULTS.get(name)
            told = f"{text}; {default} unless told" if default else text
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, help=told, **more)

        add("statistic", "the coefficient", choices=list(STATISTICS))
        add("weights", "of near misses, by the ranks of the categories", choices=WEIGHTS)
        add("raters", "how many", metavar="N")
        add("shares", "how often each category is used", metavar="A,B,C")
        add("shares_b", "of rater B, if they differ; for Cohen's kappa", metavar="A,B,C")
        add("value", "of the coefficient, as expected", metavar="X")
        add("aim", "what is wanted", choices=list(AIMS))
        add("half_width", "of the interval, for the aim width", metavar="X")
        add("null", "what the interval should lie above, for the aim power", metavar="X")
        add("power", "in which share of studies it should", metavar="X")
        add("sides", "of the test of Cohen's kappa, for the aim power", choices=["1", "2"])
        add("confidence", "of the interval", choices=[str(each) for each in CONFIDENCES])
        add("sensitivity", "of both raters, for the curve of two categories", metavar="X")
        add("specificity", "with sensitivity", metavar="X")
        rates = (
            "for the curve: how often an item of each true category (row) is put in each category; or one number, how"
            " often right whatever is true"
        )
        add("confusion_a", f"error rates of rater A {rates}", metavar="A,B;C,D")
        add("confusion_b", "of rater B, if they differ", metavar="A,B;C,D")
        add("seed", "of the simulation", metavar="N")
        parser.add_argument(
            "--replicates", type=int, default=2000, help="studies of each size; 2000 unless told"
        )
        parser.add_argument("--curve", action="store_true", help="print coefficients by prevalence too")
        parser.add_argument(
            "--json", action="store_true", dest="is_json", help="for programs, with the curve"
        )

    def handle(self, *args: Any, **given: Any) -> None:
        names = PlanForm.base_fields
        form = PlanForm({name: str(given[name]) for name in names if given.get(name) is not None})
        if not form.is_valid():
            name, messages = next(iter(form.errors.items()))
            raise CommandError(f"--{name.replace('_', '-')}: {messages[0]}")
        try:
            found = answer(replace(form.plan, n_replicates=given["replicates"], max_labels=MAX_LABELS))
        except ValueError as refused:
            raise CommandError(f"{refused}.".translate(PLAIN)) from None
        text = json.dumps(as_json(found)) if given["is_json"] else as_text(found, with_curve=given["curve"])
        self.stdout.write(text)


def as_text(found: Answer, *, with_curve: bool) -> str:
    lines = []
    for needed in found.items:
        lines += [
            f"{needed.n_items:,} items ({needed.method})",
            f"    {sentence(found, needed)} {uncertainty(needed)}".rstrip(),
        ]
    if with_curve and found.curve:
        lines += ["", "By the share of the first category:", _row("share", list(LINES.values()))]
        lines += [_row(row.share, row.values) for row in rows_of(found.curve)]
    return "\n".join(lines).translate(PLAIN)


def _row(first: str, values: list[str]) -> str:
    return "".join([f"{first:>7}", *(f"{value:>18}" for value in values)])
