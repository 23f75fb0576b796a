"""What a person, or a program, sees when something is refused or fails before a view could say so."""

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from projects.api import errors as api

SENTENCES = {
    400: ("This request is not valid", "Go back and try again."),
    403: ("You may not do this", "Ask a lead of the project if you should."),
    404: (
        "There is nothing here",
        "The address is wrong, or you are not a member of the project it belongs to.",
    ),
    429: ("Too many attempts", "Wait a while, then try again. Where you are signed in already, you stay so."),
    413: ("This is too large", "The form holds more than the server takes at once."),
}


def refusal(request: HttpRequest, status: int, sentence: str = "") -> HttpResponse:
    if api.is_api(request):
        return api.json_error(status)
    title, advice = SENTENCES[status]
    return render(
        request, "errors/refusal.html", {"heading": title, "sentence": sentence or advice}, status=status
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refusal(request, 413 if isinstance(exception, RequestDataTooBig) else 400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refusal(request, 403, str(exception))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refusal(request, 404)


def too_many(request: HttpRequest) -> HttpResponse:
    return refusal(request, 429)


def server_error(request: HttpRequest) -> HttpResponse:
    if api.is_api(request):
        return api.server_error(request)
    return render(request, "errors/500.html", {"request_id": api.recorded(request)}, status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return refusal(
        request,
        403,
        "This form was open for too long, or came from another site. Reload the page and send it again.",
    )
