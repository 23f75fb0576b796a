"""Fewer connections to PostgreSQL than the web server has threads: each request borrows one."""

from django.db import connections

# How long a request waits for a connection before it is refused, as for a lock (seconds).
PATIENCE = 3.0
# Connections beyond the first are closed after this long without use (seconds).
IDLE = 60.0


def share_connections(most: int) -> None:
    """Have each process of this server open at most so many. Called before it forks, while none is open."""
    chosen = connections.settings["default"]
    # In place: connections that were made before know the same settings.
    chosen["CONN_MAX_AGE"] = 0
    chosen["OPTIONS"]["pool"] = {
        "min_size": 1,
        "max_size": most,
        "timeout": PATIENCE,
        "max_idle": IDLE,
        "name": "web",
    }
