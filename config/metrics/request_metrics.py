"""Requests, counted by route: no path, no ID and no name of a person ever becomes a label."""

import time
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from prometheus_client import CollectorRegistry, Counter, Histogram

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Saving a label takes some ten milliseconds; the proxy gives up after two minutes.
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120)

REGISTRY = CollectorRegistry()
REQUESTS = Counter(
    "interrater_http_requests", "Requests, by route.", ["route", "method", "status"], registry=REGISTRY
)
SECONDS = Histogram(
    "interrater_http_request_seconds",
    "Time until the response was ready to send, by route.",
    ["route"],
    registry=REGISTRY,
    buckets=BUCKETS,
)


class RequestMetricsMiddleware:
    """Middleware around all others but the one that gives the request its ID."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.METRICS_BIND:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        response = self.get_response(request)
        route = route_of(request)
        method = request.method if request.method in METHODS else "other"
        REQUESTS.labels(route, method, response.status_code).inc()
        SECONDS.labels(route).observe(time.perf_counter() - began)
        return response


def route_of(request: HttpRequest) -> str:
    """The name of the route, of which there are a few hundred; "none" if the address matches none."""
    if request.resolver_match is not None:
        return request.resolver_match.view_name
    return "static" if request.path.startswith(settings.STATIC_URL) else "none"
