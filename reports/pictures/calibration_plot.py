"""A reliability diagram: the share of correct labels by stated confidence, with the diagonal where they are equal."""

from typing import TypedDict

from core.templatetags.shown import count, percent
from reports.analysis.results import CalibrationFigures, ConfidenceStep
from reports.drawing.marks import placed, words
from reports.drawing.picture import Picture
from reports.drawing.specification import Layer, Part

WIDTH, HEIGHT = 420, 300
FIFTHS = [0, 0.2, 0.4, 0.6, 0.8, 1]


class StepDot(TypedDict):
    """A step: stated confidence, share of correct labels with its limits, and number of labels."""

    stated: float | None
    share: float | None
    low: float | None
    high: float | None
    n: str


def calibration_plot(figures: CalibrationFigures) -> Picture | None:
    """Return the diagram; None if no label could be compared."""
    dots = [_dot(step) for step in figures.steps if step.n]
    if not dots:
        return None
    specification = {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": dots},
        "layer": [_diagonal(), _intervals(), _dots(), _sizes()],
    }
    description = "; ".join(f"{percent(dot['stated'])} sure, {percent(dot['share'])} right" for dot in dots)
    return Picture(
        specification, kind="curve", words=f"Share of correct labels by stated confidence: {description}"
    )


def _dot(step: ConfidenceStep) -> StepDot:
    return {
        "stated": step.stated,
        "share": step.share,
        "low": step.ci_low,
        "high": step.ci_high,
        "n": f"n = {count(step.n)}",
    }


def _axis(title: str) -> Part:
    return {
        "type": "quantitative",
        "title": title,
        "scale": {"domain": [0, 1], "nice": False, "padding": 14},
        "axis": {"values": FIFTHS, "format": ".0%", "grid": True},
    }


def _x_axis(field: str) -> Part:
    return {"field": field, **_axis("stated confidence")}


def _up(field: str) -> Part:
    return {"field": field, **_axis("share of labels that are correct")}


def _diagonal() -> Layer:
    return {
        "name": "diagonal",
        "data": {"values": [{"at": 0}, {"at": 1}]},
        "mark": {"type": "line", "style": "overall"},
        "encoding": {"x": _x_axis("at"), "y": _up("at")},
    }


def _intervals() -> Layer:
    return {
        "name": "intervals",
        "mark": {"type": "rule", "style": "interval"},
        "encoding": {"x": _x_axis("stated"), "y": _up("low"), "y2": {"field": "high"}},
    }


def _dots() -> Layer:
    return {
        "name": "dots",
        "mark": {"type": "point", "style": "dot"},
        "encoding": {"x": _x_axis("stated"), "y": _up("share")},
    }


def _sizes() -> Layer:
    return placed(words("n", align="right", size=11, dx=-8, dy=-8), x=_x_axis("stated"), y=_up("share"))
