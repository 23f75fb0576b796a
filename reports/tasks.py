"""The Celery tasks of reports: a row's id in, nothing out."""

from celery import shared_task

from core.runs.lease import work_on
from reports.models import LaterFigures, Report
from reports.store.computing_on_demand import compute_later
from reports.store.report import compute


@shared_task(name=Report.task_name)
def compute_report(report_id: int) -> None:
    with work_on(Report, report_id) as lease:
        if lease is not None:
            compute(lease)


@shared_task(name=LaterFigures.task_name)
def compute_later_figures(figures_id: int) -> None:
    with work_on(LaterFigures, figures_id) as lease:
        if lease is not None:
            compute_later(lease)
