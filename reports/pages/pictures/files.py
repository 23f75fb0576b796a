"""A picture of a report as a file of its own: SVG with its colours in it, or PNG."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpResponse
from django.template.loader import render_to_string
from django.utils.http import content_disposition_header

from reports.exports.typeset import png_of
from reports.pages.pictures.forest import shortened

# Names of raters and categories may hold characters that XML has no way to write.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
TOP, KEYS, FOOT = 58, 26, 8
MAX_TITLE, MAX_ABOUT = 95, 125


@dataclass(frozen=True, slots=True)
class Key:
    """A line of the drawing and what it stands for."""

    x: int
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing with what it shows above it.

    kind: its class of the style sheet. marks: the template of what is drawn, and `context` what that takes, in a box of
    `box` units that is drawn `width` wide.
    """

    title: str
    about: str
    kind: str
    marks: str
    context: Mapping[str, Any]
    box: tuple[float, float]
    width: float
    keys: Sequence[Key] = field(default_factory=list)
    top: int = TOP

    @property
    def shown_title(self) -> str:
        return shortened(self.title, MAX_TITLE)

    @property
    def shown_about(self) -> str:
        return shortened(self.about, MAX_ABOUT)

    @property
    def box_height(self) -> float:
        return self.box[1] * self.width / self.box[0]

    @property
    def keys_y(self) -> float:
        return self.top + self.box_height + 4

    @property
    def height(self) -> float:
        return self.top + self.box_height + (KEYS if self.keys else 0) + FOOT


def svg_of(picture: Picture) -> str:
    written = render_to_string("pictures/file.svg", {**picture.context, "picture": picture})
    return NOT_XML.sub("", str(written))


def saved(picture: Picture, name: str, extension: str) -> HttpResponse:
    """The picture as a file to save. Raises NotTypeset, of a PNG."""
    svg = svg_of(picture)
    if extension == "png":
        response = HttpResponse(png_of(svg, width=picture.width), content_type="image/png")
    else:
        response = HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
    file_name = f"{name}.{extension}"
    response["Content-Disposition"] = content_disposition_header(True, file_name) or "attachment"
    return response
