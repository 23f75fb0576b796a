"""The Celery application; tasks stand in each app's `tasks.py`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("interrater")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
