"""The first middleware of every request: it assigns an ID, and refuses requests that no view could read."""

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url

from config.errors import refusal
from core.web import api_errors as api
from core.web import request_ids
from core.web.form_pages import form_page
from core.web.strict import CONTROL

Answer = Callable[[HttpRequest], HttpResponseBase]


NOT_SAVED = "You were signed out, so your last change was not saved. Sign in, then make it again."


class RequestIdMiddleware:
    """An ID for each request: in the log, in its runs, in the header X-Request-ID, and in every error.

    Our own proxy may name it; without one, anyone could choose the ID under which a request is logged.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        sent = request.headers.get("X-Request-ID", "") if settings.BEHIND_PROXY else ""
        request_id = request_ids.begin(sent)
        try:
            response = self.get_response(request)
        finally:
            request_ids.end()
        response["X-Request-ID"] = request_id
        return response


class SignInMiddleware(LoginRequiredMiddleware):
    """Asks for sign-in, and then leads to a page: never to an address that only takes forms.

    A person whose session ended while they filled in a form learns that it was not saved. Scripts, such as the one
    that saves labels, keep what they could not send.
    """

    def handle_no_permission(
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseRedirect:
        is_by_script = request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate"
        if request.method not in {"GET", "HEAD"} and not is_by_script:
            messages.warning(request, NOT_SAVED)
        return redirect_to_login(
            form_page(request),
            resolve_url(self.get_login_url(view_func)),
            self.get_redirect_field_name(view_func),
        )


class UnreadableRequestMiddleware:
    """Refuses control characters and anything but UTF-8 in the query string; no view ever sees them.

    Session keys and tokens with such characters are ignored: PostgreSQL can't even be asked for them.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if code := query_fault(request.META.get("QUERY_STRING", "")):
            return refusal(request, 400, *FAULTS[code])
        if api.is_api(request) and not readable(request.META.get("HTTP_AUTHORIZATION", "")):
            return refusal(request, 401)
        request.COOKIES = {name: value for name, value in request.COOKIES.items() if readable(value)}
        return self.get_response(request)


FAULTS = {
    "control_character": (
        "A query parameter contains a control character, such as NUL or a line break.",
        "control_character",
    ),
    "encoding": ("A query parameter is not valid UTF-8.", "encoding"),
}


def query_fault(query: str) -> str:
    """Why this query string is refused: a key of FAULTS, or empty. query: as in WSGI, bytes decoded as Latin-1."""
    try:
        text = unquote_to_bytes(query.encode("latin-1")).decode("utf-8")
    except UnicodeError:
        return "encoding"
    return "control_character" if CONTROL.search(text) else ""


def readable(text: str) -> bool:
    """Plain ASCII without control characters, as every session key, CSRF token and API token is."""
    return text.isascii() and not CONTROL.search(text)
