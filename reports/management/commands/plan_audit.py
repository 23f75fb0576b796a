"""How many labels to audit, without a database or a server."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reports.analysis.catalog import PLAIN
from reports.plans.answer import CONFIDENCES
from reports.plans.audit import AUDIT_AIMS, SAMPLINGS, AuditAnswer
from reports.plans.audit_form import AUDIT_DEFAULTS, AuditPlanForm
from reports.plans.audit_plan_tables import as_json, look_rows, rate_rows, sentences


class Command(BaseCommand):
    help = (
        "Compute the number of labels to audit, to estimate their error rate, or to accept or reject all of them by a"
        " single, double, or sequential plan. Needs no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        def add(name: str, text: str, **more: Any) -> None:
            default = AUDIT_DEFAULTS.get(name)
            described = f"{text} (default: {default})" if default else text
            parser.add_argument(f"--{name}", help=described, **more)

        add("aim", "goal: estimate the error rate, or decide", choices=list(AUDIT_AIMS))
        add("size", "total number of labels, unless it is much larger than the sample", metavar="N")
        add("share", "expected error rate; for --aim estimate", metavar="X")
        add("margin", "half-width of the CI; for --aim estimate", metavar="X")
        add("confidence", "confidence level; for --aim estimate", choices=[str(each) for each in CONFIDENCES])
        add("sampling", "how often to look; for --aim decide", choices=list(SAMPLINGS))
        add("acceptable", "acceptable error rate (AQL); for --aim decide", metavar="X")
        add("rejectable", "rejectable error rate (LTPD); for --aim decide", metavar="X")
        add("producer", "highest probability of rejecting labels at the acceptable rate", metavar="X")
        add("consumer", "highest probability of accepting labels at the rejectable rate", metavar="X")
        parser.add_argument("--curve", action="store_true", help="also print the operating characteristic")
        parser.add_argument(
            "--json", action="store_true", dest="is_json", help="print JSON, including the curve"
        )

    def handle(self, *args: Any, **given: Any) -> None:
        form = AuditPlanForm(
            {name: given[name] for name in AuditPlanForm.base_fields if given.get(name) is not None}
        )
        found = form.answer()
        if found is None:
            name, problems = next(iter(form.errors.items()))
            option = "" if name == "__all__" else f"--{name}: "
            raise CommandError(f"{option}{problems[0]}".translate(PLAIN))
        text = json.dumps(as_json(found)) if given["is_json"] else as_text(found, with_curve=given["curve"])
        self.stdout.write(text)


def as_text(found: AuditAnswer, *, with_curve: bool) -> str:
    lines = sentences(found)
    if found.plan and len(found.plan.looks) > 1:
        lines += ["", _row("audited", "accept", "reject")]
        lines += [_row(f"{look.n:,}", look.accept, look.reject) for look in look_rows(found)]
    if with_curve and found.curve:
        lines += ["", _row("error rate", "accepted", "labels")]
        lines += [_row(row.rate, row.acceptance, row.sample_number) for row in rate_rows(found.curve)]
    return "\n".join(lines).translate(PLAIN)


def _row(*cells: str) -> str:
    return "".join(f"{cell:>12}" for cell in cells)
