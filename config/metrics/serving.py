"""The page that Prometheus reads, on a port of its own: who can reach the port can read it."""

import os
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.db import close_old_connections
from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.multiprocess import MultiProcessCollector

from config.metrics.database import DatabaseMetrics
from config.metrics.request_metrics import REGISTRY

PATH = "/metrics"
Application = Callable[[dict[str, object], Callable[..., Any]], Iterable[bytes]]


def metrics() -> CollectorRegistry:
    """Everything that is shown; requests are those of all processes of this server."""
    registry = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        MultiProcessCollector(registry)
    else:
        registry.register(REGISTRY)
    registry.register(DatabaseMetrics())
    return registry


def with_metrics(application: Application) -> Application:
    """The application, with metrics on the port of METRICS_BIND, and nothing but them there."""
    if not settings.METRICS_BIND:
        return application
    port = settings.METRICS_BIND.rpartition(":")[2]
    page = make_wsgi_app(metrics())

    def either(request: dict[str, object], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if request["SERVER_PORT"] != port:
            return application(request, start_response)
        if request["PATH_INFO"] == PATH:
            # As around each request of Django.
            close_old_connections()
            try:
                return page(request, start_response)
            finally:
                close_old_connections()
        start_response("404 Not Found", [("Content-Type", "text/plain")])
        return [f"Metrics are at {PATH}.\n".encode()]

    return either
