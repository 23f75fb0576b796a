"""A picture of a report as a file of its own: SVG with its colours in it, or PNG."""

import re

from django.http import HttpResponse
from django.utils.http import content_disposition_header

from reports.drawing.picture import Picture
from reports.exports.typeset import png_of

WIDTH = re.compile(r'<svg [^>]*?width="([\d.]+)"')


def saved(picture: Picture, name: str, extension: str) -> HttpResponse:
    """The picture as a file to save. Raises NotDrawn, and NotTypeset of a PNG."""
    svg = picture.file()
    if extension == "png":
        response = HttpResponse(png_of(svg, width=width_of(svg)), content_type="image/png")
    else:
        response = HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
    file_name = f"{name}.{extension}"
    response["Content-Disposition"] = content_disposition_header(True, file_name) or "attachment"
    return response


def width_of(svg: str) -> float:
    """In units of the drawing."""
    found = WIDTH.match(svg)
    if found is None:
        raise ValueError("Vega writes the beginning of its pictures otherwise than this reads it.")
    return float(found[1])
