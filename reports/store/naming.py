"""The name of a report: words of whoever asked for it, which change nothing of what was computed."""

from typing import Any

from django.db import transaction

from projects.events import record
from projects.models import Event
from reports.models import Report


@transaction.atomic
def name_report(report: Report, name: str, *, by: Any) -> None:
    """Give the report this name, "" for none."""
    held = Report.objects.select_for_update(no_key=True, of=["self"]).get(pk=report.pk)
    if held.name == name:
        return
    # A worker may be at it: nothing else of the row is touched.
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
