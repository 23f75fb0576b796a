"""gunicorn's configuration, for `make run` and the container image."""

import os
import shutil
import tempfile
import threading
from typing import Any

from config.variables import whole

wsgi_app = "config.wsgi:application"
# The site: loopback only, unless configured otherwise. Metrics: nowhere, unless configured (config/metrics).
metrics_bind = os.environ.get("METRICS_BIND", "")
bind = [os.environ.get("WEB_BIND", "127.0.0.1:8000"), *([metrics_bind] if metrics_bind else [])]
workers = whole("WEB_WORKERS", 2)
threads = 8
worker_class = "config.web_worker.Worker"
# Per process: with their temporary files, connections stay below the usual limit of 1024 open files.
worker_connections = 400
preload_app = True
# The default of 2 seconds closed the connections of clients that paused between two saves.
keepalive = 15
timeout = 60
graceful_timeout = 20
max_requests = 2000
max_requests_jitter = 200
limit_request_line = 4094
# Worker heartbeats are files; a slow disk must not look like a dead worker.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108, PTH112
# A control socket in the home folder would be one more attack surface, and two copies would clash.
control_socket_disable = True
accesslog = None
errorlog = "-"
# A page never waits long for the database: a slow statement is canceled and reported.
_LIMITS = "-c statement_timeout=10s -c lock_timeout=3s -c idle_in_transaction_session_timeout=30s"
raw_env = [f"PGOPTIONS={os.environ.get('PGOPTIONS', _LIMITS)}"]
if metrics_bind:
    # Each process counts its requests in files that all of them read. The variable is the library's.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(
        prefix="interrater-metrics-", dir=worker_tmp_dir
    )


def pre_fork(server: Any, worker: Any) -> None:
    """Numbers the processes; the next one continues the counts of one that has ended, whose number it gets."""
    taken = {other.slot for other in server.WORKERS.values()}
    worker.slot = next(slot for slot in range(len(taken) + 1) if slot not in taken)


def post_fork(server: object, worker: Any) -> None:
    if metrics_bind:
        from prometheus_client import values

        # By default it is the process ID, and each of thousands of processes would leave files that are read forever.
        values.ValueClass = values.MultiProcessValue(process_identifier=lambda: worker.slot)


def post_worker_init(worker: object) -> None:
    """Starts the chart engine, which takes a third of a second, before the first request."""
    from reports.drawing.vega import start

    threading.Thread(target=start, daemon=True).start()


def on_exit(server: object) -> None:
    if metrics_bind:
        shutil.rmtree(os.environ["PROMETHEUS_MULTIPROC_DIR"], ignore_errors=True)
