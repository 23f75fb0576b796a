"""What browsers and proxies may cache: no response of a view, unless the view allows it."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase


class NoStoreMiddleware:
    """The outermost middleware, so that it also covers redirects, refusals and errors of the others.

    Static files have their own header. So do media files (projects/media/responses.py): the browser may keep them, but
    must revalidate them each time.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        return response
