"""The Celery tasks of reports: a row's id in, nothing out."""

from celery import shared_task

from projects.lease import work_on
from reports.computing.report import compute
from reports.models import Report


@shared_task(name=Report.task_name)
def compute_report(report_id: int) -> None:
    with work_on(Report, report_id) as lease:
        if lease is not None:
            compute(lease)
