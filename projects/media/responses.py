"""The response with a media file: the whole file, or the range that a player requests."""

import logging
import re
from collections.abc import Iterator

from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header

from projects.media.media_files import place_of
from projects.models import MediaFile

logger = logging.getLogger(__name__)

_BLOCK = 64 * 1024
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)
# A file opened directly runs nothing, loads nothing, and has no access to our pages.
POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"


class RangeNotSatisfiable(Exception):
    """The requested range is beyond the end of the file."""


def media_response(request: HttpRequest, media: MediaFile) -> HttpResponseBase:
    """The file, a range of it, or 304 if the browser has it; raises Http404 if its content is lost."""
    etag = f'"{media.sha256}"'
    try:
        part = requested_range(request, media.n_bytes, etag)
    except RangeNotSatisfiable:
        response: HttpResponseBase = HttpResponse(status=416)
        response["Content-Range"] = f"bytes */{media.n_bytes}"
        return _with_headers(response, media, etag)
    answer = get_conditional_response(request, etag=etag, response=HttpResponse())
    if answer is not None and answer.status_code in {304, 412}:
        return _with_headers(answer, media, etag)
    return _with_headers(_content(request, media, part), media, etag)


def requested_range(request: HttpRequest, n_bytes: int, etag: str) -> tuple[int, int] | None:
    """First and last byte of the range, or None for the whole file, as also for an invalid header."""
    found = _RANGE.fullmatch(request.headers.get("Range", "").strip())
    if found is None or request.headers.get("If-Range", etag) != etag:
        return None
    first, last = found.groups()
    if first:
        start, end = int(first), min(int(last or n_bytes), n_bytes - 1)
        if last and int(last) < start:
            return None
    elif last:
        start, end = max(0, n_bytes - int(last)), n_bytes - 1
    else:
        return None
    if start > end:
        raise RangeNotSatisfiable
    return start, end


def _content(request: HttpRequest, media: MediaFile, part: tuple[int, int] | None) -> HttpResponseBase:
    first, last = part or (0, media.n_bytes - 1)
    response: HttpResponseBase
    place = place_of(media.sha256)
    if not default_storage.exists(place):
        logger.error("the bytes of media file %s (%s) are not in the storage", media.pk, media.sha256)
        raise Http404("The file is missing from the server.")
    is_wanted = request.method != "HEAD"
    response = StreamingHttpResponse(_blocks(place, first, last)) if is_wanted else HttpResponse()
    response["Content-Length"] = str(last - first + 1)
    if part:
        response.status_code = 206
        response["Content-Range"] = f"bytes {first}-{last}/{media.n_bytes}"
    return response


def _blocks(place: str, first: int, last: int) -> Iterator[bytes]:
    left = last - first + 1
    with default_storage.open(place) as file:
        file.seek(first)
        while left > 0 and (block := file.read(min(_BLOCK, left))):
            left -= len(block)
            yield block


def _with_headers(response: HttpResponseBase, media: MediaFile, etag: str) -> HttpResponseBase:
    response["ETag"] = etag
    response["Accept-Ranges"] = "bytes"
    # Private, and revalidated each time: access may change.
    response["Cache-Control"] = "private, no-cache"
    response["Vary"] = "Cookie, Authorization"
    if response.status_code in {200, 206}:
        response["Content-Type"] = media.type
        name = media.name.rpartition("/")[2]
        response["Content-Disposition"] = content_disposition_header(False, name) or "inline"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = POLICY
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response
