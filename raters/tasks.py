"""The Celery tasks of raters. Each takes a row ID and returns nothing."""

from celery import shared_task

from core.runs.lease import work_on
from raters.adjudication.estimating import estimate_reliability
from raters.figure_kinds import KINDS
from raters.figures.computing import compute_stored
from raters.imports.actions import run_import
from raters.imports.uploads import forget_files
from raters.model_runs.working import work
from raters.models import FinalEstimate, LabelImport, ModelRun, NotificationMail, StoredFigures
from raters.notifications.mailing import send


@shared_task(name=LabelImport.task_name)
def load_import(import_id: int) -> None:
    with work_on(LabelImport, import_id) as lease:
        if lease is not None:
            run_import(lease.run, report_progress=lease.report_progress)
    forget_files(LabelImport.objects.filter(pk=import_id))


@shared_task(name=LabelImport.items_task_name)
def load_items(import_id: int) -> None:
    load_import(import_id)


@shared_task(name=NotificationMail.task_name)
def send_notifications(mail_id: int) -> None:
    with work_on(NotificationMail, mail_id) as lease:
        if lease is not None:
            send(lease)


@shared_task(name=FinalEstimate.task_name)
def estimate_for_final_labels(estimate_id: int) -> None:
    with work_on(FinalEstimate, estimate_id) as lease:
        if lease is not None:
            estimate_reliability(lease)


@shared_task(name=ModelRun.task_name)
def run_model(run_id: int) -> None:
    with work_on(ModelRun, run_id) as lease:
        if lease is not None:
            work(lease)


@shared_task(name=StoredFigures.task_name)
def compute_figures(figures_id: int) -> None:
    with work_on(StoredFigures, figures_id) as lease:
        if lease is not None:
            compute_stored(lease, KINDS)
