"""What browsers and proxies may keep: nothing that a view answers, unless the view says so itself."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase


class NoStore:
    """Middleware, outermost, so that redirects, refusals and errors of the others pass through it too.

    Static files carry a header of their own. So do media files (projects/media/responses.py): one browser may keep
    them, and asks each time whether it still may show them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        return response
