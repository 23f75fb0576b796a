"""Names of reports: given by users, with no effect on what was computed."""

from typing import Any

from django.db import transaction

from projects.events import record
from projects.models import Event
from reports.models import Report


@transaction.atomic
def name_report(report: Report, name: str, *, by: Any) -> None:
    """Name the report; "" removes its name."""
    held = Report.objects.select_for_update(no_key=True, of=["self"]).get(pk=report.pk)
    if held.name == name:
        return
    # A worker may be computing the report, so nothing else in the row is written.
    Report.objects.filter(pk=report.pk).update(name=name)
    report.name = name
    record(
        Event.Kind.REPORT_NAMED,
        by=by,
        project=held.project,
        about=name,
        report=held.pk,
        before=held.name,
    )
