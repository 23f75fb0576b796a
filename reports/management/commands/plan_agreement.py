"""How many items a study of agreement needs, without a database or a server."""

import json
from dataclasses import replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reports.analysis.catalog import PLAIN
from reports.plans.answer import AIMS, CONFIDENCES, STATISTICS, WEIGHTS, PlanAnswer, answer
from reports.plans.form import DEFAULTS, PlanForm
from reports.plans.presentation import LINES, as_json, rows_of, sentence, uncertainty

MAX_LABELS = 500_000_000


class Command(BaseCommand):
    help = (
        "Compute the number of items that an agreement study needs for a CI of a given half-width, or, at a given"
        " power, for a CI above a given value. Uses formulas for Cohen's kappa and ICCs, and simulation for other"
        " coefficients. Needs no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        def add(name: str, text: str, **more: Any) -> None:
            default = DEFAULTS.get(name)
            help_text = f"{text} (default: {default})" if default else text
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, help=help_text, **more)

        add("statistic", "coefficient", choices=list(STATISTICS))
        add("weights", "weights for near misses, by the rank of the categories", choices=WEIGHTS)
        add("raters", "number of raters", metavar="N")
        add("shares", "category shares: how often each category is used", metavar="A,B,C")
        add(
            "sets",
            "for alpha with MASI: the sets that raters choose, one for each share; - for none",
            metavar="A,B,A+B",
        )
        add("rater_share", "share of the variance between raters; ICC(A,1) only", metavar="X")
        add("shares_b", "category shares of rater B, if different; Cohen's kappa only", metavar="A,B,C")
        add("value", "expected value of the coefficient", metavar="X")
        add(
            "aim",
            "goal: the width of the CI, or the power to show that it is above a value",
            choices=list(AIMS),
        )
        add("half_width", "half-width of the CI; for --aim width", metavar="X")
        add("null", "value that the CI should be above; for --aim power", metavar="X")
        add("power", "share of studies in which it should be", metavar="X")
        add("sides", "sides of the test of Cohen's kappa; for --aim power", choices=["1", "2"])
        add("confidence", "confidence level", choices=[str(each) for each in CONFIDENCES])
        add("sensitivity", "sensitivity of both raters, for the curve with two categories", metavar="X")
        add("specificity", "specificity of both raters; requires --sensitivity", metavar="X")
        rates = (
            "for the curve: probability of each label given the true category (row); or one number, the accuracy in "
            "every category"
        )
        add("confusion_a", f"error rates of rater A, {rates}", metavar="A,B;C,D")
        add("confusion_b", "error rates of rater B, if different", metavar="A,B;C,D")
        add("seed", "seed of the simulation", metavar="N")
        parser.add_argument(
            "--replicates", type=int, default=2000, help="simulated studies per sample size (default: 2000)"
        )
        parser.add_argument("--curve", action="store_true", help="also print the coefficients by prevalence")
        parser.add_argument(
            "--json", action="store_true", dest="is_json", help="print JSON, including the curve"
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


def as_text(found: PlanAnswer, *, with_curve: bool) -> str:
    lines = []
    for needed in found.items:
        lines += [
            f"{needed.n_items:,} items ({needed.method})",
            f"    {sentence(found, needed)} {uncertainty(needed)}".rstrip(),
        ]
    if with_curve and found.curve:
        lines += ["", "By share of the first category:", _row("share", list(LINES.values()))]
        lines += [_row(row.share, row.values) for row in rows_of(found.curve)]
    return "\n".join(lines).translate(PLAIN)


def _row(first: str, values: list[str]) -> str:
    return "".join([f"{first:>7}", *(f"{value:>18}" for value in values)])
