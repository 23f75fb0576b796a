"""How gunicorn serves the program, in `make run` and in the image alike."""

import os
import threading

wsgi_app = "config.wsgi:application"
# Loopback only, unless someone says otherwise.
bind = os.environ.get("WEB_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("WEB_WORKERS", "2"))
threads = 8
worker_class = "config.web_worker.Worker"
# Of one process: with their temporary files they stay below the 1024 open files that most systems allow.
worker_connections = 400
preload_app = True
# The default of 2 seconds closed connections under clients that pause between two saves.
keepalive = 15
timeout = 60
graceful_timeout = 20
max_requests = 2000
max_requests_jitter = 200
limit_request_line = 4094
# Heartbeats of the workers are files; a disk that is slow to answer must not look like a dead worker.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108, PTH112
# A socket for remote control, in the home folder, would be one door more and would clash between two copies.
control_socket_disable = True
accesslog = None
errorlog = "-"
# A page never waits long for the database: what holds it up is cut off and said.
_LIMITS = "-c statement_timeout=10s -c lock_timeout=3s -c idle_in_transaction_session_timeout=30s"
raw_env = [f"PGOPTIONS={os.environ.get('PGOPTIONS', _LIMITS)}"]


def post_worker_init(worker: object) -> None:
    """The engine that draws pictures takes a third of a second to start: that is over before anyone asks for one."""
    from reports.drawing.vega import start

    threading.Thread(target=start, daemon=True).start()
