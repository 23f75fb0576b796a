"""The Celery application; tasks are in each app's `tasks.py`."""

import os

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Django's checks import every page, which took half of a worker's start; `prepare` has already run them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("interrater")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def refuse_to_start_unsafe(**_signal: object) -> None:
    from config.checks import stop_unless_safe  # Django is set up by now, and was not above.

    stop_unless_safe()
