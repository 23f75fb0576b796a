"""The Celery tasks of reports, which take the ID of a row and return nothing."""

from celery import shared_task

from core.runs.lease import work_on
from reports.models import OnDemandFigures, Report, ReportShard
from reports.results.kinds import coefficient_of_parts
from reports.store.computing_on_demand import compute_figures
from reports.store.report import compute
from reports.store.report import compute_shard as compute_part
from reports.store.sharing import is_of_this_version


@shared_task(name=Report.task_name)
def compute_report(report_id: int) -> None:
    with work_on(Report, report_id) as lease:
        if lease is not None:
            compute(lease, compared_by=coefficient_of_parts)


@shared_task(name=ReportShard.task_name)
def compute_shard(shard_id: int) -> None:
    if not is_of_this_version(shard_id):
        return
    with work_on(ReportShard, shard_id) as lease:
        if lease is not None:
            compute_part(lease, compared_by=coefficient_of_parts)


@shared_task(name=OnDemandFigures.task_name)
def compute_on_demand(figures_id: int) -> None:
    with work_on(OnDemandFigures, figures_id) as lease:
        if lease is not None:
            compute_figures(lease)
