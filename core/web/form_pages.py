"""The page of a form: addresses that only take a form have no page of their own to come back to."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def require_form_of_page_above(view: View[P]) -> View[P]:
    """Decorate a view that takes a form by POST and may answer with its page: a reload of the answer opens the page.

    Where a GET leads depends on the address alone, so nobody learns from it what exists.
    """
    takes_form = require_POST(view)

    @wraps(takes_form)
    def inner(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.method in {"GET", "HEAD"}:
            return redirect(page_above(request.path))
        response = takes_form(request, *args, **kwargs)
        if isinstance(response, HttpResponseNotAllowed):
            response["Allow"] = "GET, HEAD, POST"
        return response

    return inner


def form_page(request: HttpRequest) -> str:
    """Return an address that can be opened: the request's own, else the page it was sent from, else one above it."""
    if _can_be_opened(request.path):
        return request.get_full_path()
    sent_from = urlsplit(request.headers.get("Referer", ""))
    is_own = url_has_allowed_host_and_scheme(sent_from.geturl(), {request.get_host()})
    if sent_from.path and is_own and _can_be_opened(sent_from.path):
        return f"{sent_from.path}?{sent_from.query}" if sent_from.query else sent_from.path
    return page_above(request.path)


def page_above(path: str) -> str:
    """Return the nearest page above this address, such as /p/reviews/members/ for /p/reviews/members/invite/."""
    parts = path.strip("/").split("/")
    above = ("/" + "".join(f"{part}/" for part in parts[:n]) for n in range(len(parts) - 1, 0, -1))
    return next((each for each in above if _can_be_opened(each)), "/")


def _can_be_opened(path: str) -> bool:
    try:
        found = resolve(path)
    except Resolver404:
        return False
    return "GET" in _methods(found)


def _methods(found: ResolverMatch) -> set[str]:
    """Return the methods that a view's `require_http_methods` lets through; all if it has none."""
    view: Any = found.func
    while view is not None:
        names = getattr(getattr(view, "__code__", None), "co_freevars", ())
        if "request_method_list" in names:
            return set(view.__closure__[names.index("request_method_list")].cell_contents)
        view = getattr(view, "__wrapped__", None)
    return {"GET"}
