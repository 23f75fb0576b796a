"""The Celery tasks of projects, which take the ID of a row and return nothing."""

from celery import shared_task

from core.runs.lease import work_on
from projects.models import Delivery
from projects.webhooks.delivering import deliver


@shared_task(name=Delivery.task_name)
def deliver_webhook(delivery_id: int) -> None:
    with work_on(Delivery, delivery_id) as lease:
        if lease is not None:
            deliver(lease)
