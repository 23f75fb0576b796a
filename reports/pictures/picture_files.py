"""A picture of a report as a separate file: self-contained SVG, PNG, or its Vega-Lite specification."""

from collections.abc import Callable

from django.http import HttpResponse, JsonResponse
from django.utils.http import content_disposition_header

from reports.drawing.picture import Picture, width_of
from reports.drawing.typeset import png_of


def _svg(picture: Picture) -> HttpResponse:
    return HttpResponse(picture.file(), content_type="image/svg+xml; charset=utf-8")


def _png(picture: Picture) -> HttpResponse:
    svg = picture.file()
    return HttpResponse(png_of(svg, width=width_of(svg)), content_type="image/png")


def _json(picture: Picture) -> HttpResponse:
    return JsonResponse(picture.whole(), json_dumps_params={"ensure_ascii": False, "indent": 1})


MADE: dict[str, Callable[[Picture], HttpResponse]] = {"svg": _svg, "png": _png, "json": _json}


def saved(picture: Picture, name: str, extension: str) -> HttpResponse:
    """Return the picture as a download. Raises DrawingFailed and, for a PNG, TypesettingFailed."""
    response = MADE[extension](picture)
    file_name = f"{name}.{extension}"
    response["Content-Disposition"] = content_disposition_header(True, file_name) or "attachment"
    return response
