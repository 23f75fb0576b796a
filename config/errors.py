"""Responses to refusals and failures that no view has answered, for pages and the API."""

import sys
from collections.abc import Callable
from http import HTTPStatus

from django.contrib.sessions.exceptions import SessionInterrupted
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from core.refusals import Refused
from core.web import api_errors as api
from core.web import request_ids
from core.web.form_pages import page_above
from core.web.unavailable import ServiceUnavailable, unavailable

SENTENCES = {
    400: ("This request is not valid", "Go back and try again."),
    403: ("You don’t have access to this page", "If you need access, ask a project lead."),
    404: (
        "Page not found",
        "The address is wrong, or you are not a member of this project.",
    ),
    405: (
        "There is no page at this address",
        "Forms are sent to this address. The page with the form is at another one.",
    ),
    429: ("Too many attempts", "Wait a while, then try again. Your existing sessions stay signed in."),
    413: ("Too much data", "The form contains more data than the server accepts at once."),
}
HEADINGS = {
    "queue_full": "Too many requests are waiting",
    "too_often": "Too many calculations",
    "calculator_busy": "The calculator is busy",
}


def refusal(request: HttpRequest, status: int, sentence: str = "", code: str = "") -> HttpResponse:
    """sentence, code: replace the defaults of this status; the code is for the API only."""
    if api.is_api(request):
        return api.json_error(status, sentence if code else "", code)
    title, advice = SENTENCES[status]
    context = {"heading": title, "sentence": sentence or advice}
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        context["page"] = page_above(request.path)
    return render(request, "errors/refusal.html", context, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    # Django treats a session that could not be written as deleted.
    if isinstance(exception, SessionInterrupted) and (trouble := unavailable(exception)):
        return failure(request, trouble)
    return refusal(request, 413 if isinstance(exception, RequestDataTooBig) else 400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refusal(request, 403, str(exception))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refusal(request, 404)


def too_many(request: HttpRequest) -> HttpResponse:
    return refusal(request, 429)


class RefusalMiddleware:
    """Middleware that renders refusals which a page's view did not handle, and wrong methods; the API has its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED or api.is_api(request):
            return response
        page = refusal(request, HTTPStatus.METHOD_NOT_ALLOWED)
        page["Allow"] = response["Allow"]
        return page

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, Refused):
            return None
        heading = HEADINGS.get(exception.code) or SENTENCES.get(exception.status_code, SENTENCES[400])[0]
        context = {"heading": heading, "sentence": str(exception)}
        response = render(request, "errors/refusal.html", context, status=exception.status_code)
        if exception.retry_after:
            response.headers["Retry-After"] = str(exception.retry_after)
        return response


def server_error(request: HttpRequest) -> HttpResponse:
    return failure(request, unavailable(sys.exception()))


def failure(request: HttpRequest, trouble: ServiceUnavailable | None) -> HttpResponse:
    """The response to a failed request. trouble: the cause, if it is the database or the disk."""
    if api.is_api(request):
        response = api.server_error(request, trouble)
    else:
        api.recorded(request)
        context = {
            "trouble": trouble,
            "request_id": request_ids.current(),
            "is_repeatable": request.method not in {"GET", "HEAD"},
        }
        # Rendered without the request, whose context would query the database.
        page = render_to_string("errors/failure.html", context)
        response = HttpResponse(page, status=trouble.status_code if trouble else 500)
    if trouble and trouble.retry_after:
        response["Retry-After"] = str(trouble.retry_after)
    return response


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return refusal(
        request,
        403,
        "This form has expired or was sent from another site. Reload the page and try again.",
    )
