import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reports.analysis.revisions import not_compared
from reports.models import Report
from reports.store.verification import verify


class Command(BaseCommand):
    help = "Recompute a finished report from the history of its labels, and check that it is identical."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("report", type=int, help="number of the report, as in its URL")

    def handle(self, *args: Any, **options: Any) -> None:
        report = Report.objects.filter(pk=options["report"], state=Report.State.DONE).first()
        if report is None:
            raise CommandError(f"There is no finished report {options['report']}.")
        differences = verify(report)
        for difference in differences:
            self.stdout.write(difference)
        if differences:
            sys.exit(1)
        for what in not_compared(report.code_version):
            self.stdout.write(f"Not compared. {what}")
        self.stdout.write(f"Verified: every value of {report.words} is the same.")
