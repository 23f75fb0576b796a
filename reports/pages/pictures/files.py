"""A picture of a report as a file of its own: SVG with its colours in it, or PNG."""

from django.http import HttpResponse
from django.utils.http import content_disposition_header

from reports.drawing.picture import Picture, width_of
from reports.exports.typeset import png_of


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
