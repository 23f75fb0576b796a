"""Error responses of the API: one shape, on every path, for every status.

{"error": code, "detail": sentence, "errors": [{"field", "code", "detail"}], "request_id": id}
"""

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from rest_framework import exceptions
from rest_framework.response import Response

from core.refusals import FieldError, Refused
from core.web import request_ids
from core.web.unavailable import ServiceUnavailable

logger = logging.getLogger(__name__)

PREFIX = "/api/"
CODES = {
    400: ("invalid", "Invalid request."),
    401: ("not_authenticated", "Authentication required. Sign in, or send a token: Authorization: Token …"),
    403: ("permission_denied", "You do not have permission to do this."),
    404: ("not_found", "Not found."),
    405: ("method_not_allowed", "Method not allowed."),
    413: ("too_large", "The request body is too large."),
    415: ("unsupported_media_type", "Unsupported media type. Send JSON with Content-Type: application/json"),
    429: ("too_many_requests", "Too many attempts. Wait a while, then try again."),
    500: ("server_error", "Internal server error. It was logged with this request_id."),
}


class ErrorBody(TypedDict):
    """errors: one for each field or place that is wrong."""

    error: str
    detail: str
    errors: list[Mapping[str, Any]]
    request_id: str


def body(code: str, detail: str, *, errors: Sequence[Mapping[str, Any]] = ()) -> ErrorBody:
    return {"error": code, "detail": detail, "errors": list(errors), "request_id": request_ids.current()}


def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's EXCEPTION_HANDLER; returns None for anything but refusals, which `server_error` turns into a 500."""
    # Imported late: DRF's views import our parser, which imports this module.
    from rest_framework.views import set_rollback

    if isinstance(exc, Refused):
        set_rollback()
        response = Response(body(exc.code, str(exc), errors=exc.errors), status=exc.status_code)
        if exc.retry_after:
            response["Retry-After"] = str(exc.retry_after)
        return response
    exc = _as_of_framework(exc)
    if not isinstance(exc, exceptions.APIException):
        return None
    set_rollback()
    response = Response(_body_of(exc), status=exc.status_code)
    if header := getattr(exc, "auth_header", None):
        response["WWW-Authenticate"] = header
    if wait := getattr(exc, "wait", None):
        response["Retry-After"] = str(math.ceil(wait))
    return response


def _as_of_framework(exc: Exception) -> Exception:
    if isinstance(exc, Http404):
        return exceptions.NotFound()
    if isinstance(exc, PermissionDenied):
        return exceptions.PermissionDenied(str(exc) or None)
    return exc


def _body_of(exc: exceptions.APIException) -> ErrorBody:
    if isinstance(exc, exceptions.ValidationError):
        return _body_of_invalid(exc)
    code, detail = CODES.get(exc.status_code, (_code_of(exc), str(exc.detail)))
    is_ours = exc.status_code in {404, 415} or isinstance(exc, exceptions.NotAuthenticated)
    return body(code, detail if is_ours else str(exc.detail))


def _body_of_invalid(exc: exceptions.ValidationError) -> ErrorBody:
    errors = list(flat_errors(exc.get_full_details()))
    if len(errors) == 1:
        first = errors[0]
        where = f"{first['field']}: " if first["field"] else ""
        return body(first["code"], where + first["detail"], errors=errors)
    return body("invalid", f"{len(errors)} fields are invalid.", errors=errors)


def flat_errors(details: Any, path: str = "") -> Iterator[FieldError]:
    """The leaves of a validation error, each with the path to its field."""
    if isinstance(details, dict) and set(details) == {"message", "code"}:
        yield {"field": path, "code": str(details["code"]), "detail": str(details["message"])}
        return
    if isinstance(details, dict):
        for name, inner in details.items():
            yield from flat_errors(inner, path if name == "non_field_errors" else _joined(path, name))
        return
    for place, inner in enumerate(details):
        is_leaf = isinstance(inner, dict) and set(inner) == {"message", "code"}
        yield from flat_errors(inner, path if is_leaf else _joined(path, place))


def _joined(path: str, name: Any) -> str:
    return f"{path}.{name}" if path else str(name)


def _code_of(exc: exceptions.APIException) -> str:
    code = exc.get_codes()
    return code if isinstance(code, str) else "invalid"


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith(PREFIX)


def json_error(status_code: int, detail: str = "", code: str = "") -> HttpResponse:
    """The error response of the API if no view was reached."""
    usual_code, usual_detail = CODES[status_code]
    response = JsonResponse(body(code or usual_code, detail or usual_detail), status=status_code)
    if status_code == 401:
        response["WWW-Authenticate"] = "Token"
    return response


def recorded(request: HttpRequest) -> None:
    """Log that a request failed, under the ID in its response."""
    logger.error("request %s failed: %s %r", request_ids.current(), request.method, request.path)


def server_error(request: HttpRequest, trouble: ServiceUnavailable | None) -> HttpResponse:
    recorded(request)
    if trouble is None:
        return JsonResponse(body(*CODES[500]), status=500)
    return JsonResponse(body(trouble.code, trouble.detail), status=trouble.status_code)
