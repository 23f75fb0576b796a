from config.collector import collect_rarely
from config.processor import prepare_numpy

# Every program imports this package first: commands, the web server, the worker.
collect_rarely()
prepare_numpy()

from config.celery import app as celery_app  # noqa: E402  (its tasks import NumPy)

__all__ = ["celery_app"]
