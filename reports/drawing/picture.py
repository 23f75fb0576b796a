"""A picture as a Vega-Lite specification, rendered for a page or as a separate file."""

import re
from dataclasses import dataclass, replace

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from reports.drawing.specification import Part
from reports.drawing.theme import IN_FILE, IN_PRINT, ON_PAGE, PictureTheme, config_of
from reports.drawing.vega import DrawingFailed, svg_of

# Names of raters and categories may contain characters that XML cannot represent.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
WIDTH = re.compile(r'<svg [^>]*?width="([\d.]+)"')
OPENING = re.compile(r"<svg [^>]*?(width=\"[\d.]+\" height=\"[\d.]+\" viewBox=\"[^\"]*\")>")
NOT_DRAWN = "Drawing this figure took too much time or memory. The table has the same data."
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
MAX_TITLE, MAX_ABOUT = 95, 125


@dataclass(frozen=True, slots=True)
class Picture:
    """specification: of Vega-Lite, without its style. kind: its CSS classes.

    title and about are shown above it in a file. words: the text alternative. A picture whose marks are links is a
    group of links; any other is an image.
    """

    specification: Part
    kind: str
    words: str
    title: str = ""
    about: str = ""
    has_links: bool = False

    def named(self, title: str, about: str) -> "Picture":
        """Return the picture with a title and description for a file."""
        return replace(self, title=title, about=about)

    @property
    def inline(self) -> SafeString:
        """The SVG for inclusion in a page, in the colors of the page."""
        try:
            svg = _drawn(self._looking(ON_PAGE))
        except DrawingFailed:
            return format_html('<p class="none">{}</p>', NOT_DRAWN)
        opening = OPENING.match(svg)
        if opening is None:
            raise ValueError("Vega writes the beginning of its pictures otherwise than this reads it.")
        root = format_html(
            '<svg class="picture {}" {} role="{}" aria-label="{}">',
            self.kind,
            mark_safe(opening[1]),  # noqa: S308  figures
            "group" if self.has_links else "img",
            self.words,
        )
        # Vega escapes all text and attributes, and rejects script URLs.
        return root + mark_safe(svg[opening.end() :])  # noqa: S308

    def file(self) -> str:
        """Return the SVG as a separate file, in light colors, with title and source. Raises DrawingFailed."""
        return _drawn(self.whole())

    def whole(self) -> Part:
        """Return everything that Vega-Lite needs to draw the file, here or elsewhere."""
        return {"$schema": SCHEMA, "description": self.words, **self._titled(), **self._looking(IN_FILE)}

    def _titled(self) -> Part:
        if not self.title:
            return {}
        return {
            "title": {"text": shortened(self.title, MAX_TITLE), "subtitle": shortened(self.about, MAX_ABOUT)}
        }

    def _looking(self, look: PictureTheme) -> Part:
        return {**self.specification, "config": config_of(look)}

    def printed(self) -> str:
        """Return the SVG for a document that has its own caption. Raises DrawingFailed."""
        return _drawn(self._looking(IN_PRINT))


def _drawn(specification: Part) -> str:
    return NOT_XML.sub("", svg_of(specification))


def width_of(svg: str) -> float:
    """Return the width in units of the drawing."""
    found = WIDTH.match(svg)
    if found is None:
        raise ValueError("Vega writes the beginning of its pictures otherwise than this reads it.")
    return float(found[1])


def shortened(name: str, length: int) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"
