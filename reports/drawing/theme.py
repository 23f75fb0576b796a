"""The style of pictures: page colors, which follow light and dark mode, or colors for files on white paper.

Specifications name styles; their appearance is defined here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from reports.drawing.specification import Part


@dataclass(frozen=True, slots=True)
class PictureTheme:
    """Colors by role, as in the tokens of the style sheet, and the font."""

    ink: str
    soft: str
    line: str
    edge: str
    paper: str
    accent: str
    warm: str
    good: str
    ground: str
    font: str


ON_PAGE = PictureTheme(
    ink="var(--ink)",
    soft="var(--soft)",
    line="var(--line)",
    edge="var(--edge)",
    paper="var(--paper)",
    accent="var(--accent)",
    warm="var(--warm)",
    good="var(--good)",
    ground="none",
    font="inherit",
)
# The tokens of the light theme as color values.
IN_FILE = PictureTheme(
    ink="#1b2430",
    soft="#535e6d",
    line="#e1e5eb",
    edge="#868f9c",
    paper="#ffffff",
    accent="#1f5fbf",
    warm="#b4460f",
    good="#1c6b43",
    ground="#ffffff",
    font="Inter, Helvetica Neue, Arial, Liberation Sans, DejaVu Sans, sans-serif",
)
# For a document with its own font.
IN_PRINT = replace(IN_FILE, font="Libertinus Serif")
SIZE = 12.5


def config_of(look: PictureTheme) -> Part:
    """Return Vega-Lite's `config` (https://vega.github.io/vega-lite/docs/config.html)."""
    return {
        # The contents of a picture are in a table nearby and in its own text alternative.
        "aria": False,
        "background": look.ground,
        "font": look.font,
        "padding": 6,
        "view": {"stroke": None},
        "range": {"category": [look.accent, look.warm, look.good, look.soft]},
        "axis": _axis(look),
        "legend": _legend(look),
        "title": _title(look),
        "text": {"fontSize": SIZE, "color": look.soft},
        "rule": {"color": look.edge},
        "point": {"filled": True, "opacity": 1, "size": 64},
        "style": _styles(look),
    }


def _axis(look: PictureTheme) -> Part:
    return {
        "domain": False,
        "ticks": False,
        "gridColor": look.line,
        "labelColor": look.soft,
        "labelFontSize": SIZE,
        "labelPadding": 8,
        "labelFlush": False,
        "labelOverlap": True,
        "titleColor": look.soft,
        "titleFontSize": SIZE,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    }


def _legend(look: PictureTheme) -> Part:
    return {
        "title": None,
        "orient": "top",
        "labelColor": look.soft,
        "labelFontSize": SIZE,
        "labelLimit": 0,
        "symbolOpacity": 1,
        "columnPadding": 22,
        "rowPadding": 5,
        "offset": 14,
    }


def _title(look: PictureTheme) -> Part:
    return {
        "anchor": "start",
        "frame": "bounds",
        "color": look.ink,
        "fontSize": 15,
        "fontWeight": 600,
        "subtitleColor": look.soft,
        "subtitleFontSize": 12,
        "subtitlePadding": 5,
        "offset": 16,
    }


def _styles(look: PictureTheme) -> Mapping[str, Part]:
    return {
        "strong": {"color": look.ink},
        "zero": {"color": look.edge, "strokeDash": [3, 3]},
        "interval": {"color": look.accent, "strokeWidth": 2, "opacity": 0.6},
        "dot": {"color": look.accent},
        # An invisible mark above a row, for hovering and clicking.
        "hit": {"color": look.accent, "fillOpacity": 0},
        "part": {"stroke": look.paper, "strokeWidth": 1},
        "band": {"color": look.accent, "opacity": 0.18},
        "course": {"color": look.accent, "strokeWidth": 1.5},
        "overall": {"color": look.soft, "strokeDash": [7, 4]},
        "marked": {"color": look.warm, "strokeWidth": 1.5, "strokeDash": [2, 3]},
        "marked-words": {"color": look.warm},
        "here": {"color": look.ink, "strokeDash": [4, 4]},
        "bias": {"color": look.accent, "strokeWidth": 1.5},
        "limit": {"color": look.warm, "strokeWidth": 1.5},
        "node": {"stroke": look.ink, "strokeWidth": 1},
        # Behind a name, so that lines do not cross its letters.
        "halo": {"stroke": look.paper, "strokeWidth": 3, "color": look.paper},
        "link-strong": {"color": look.accent, "strokeWidth": 3, "opacity": 0.75},
        "link-middling": {"color": look.accent, "strokeWidth": 1.8, "opacity": 0.55},
        "link-weak": {"color": look.edge, "strokeWidth": 1, "opacity": 0.55},
    }
