"""The upper limit of a model's error rate by the confidence from which it decides, with the share of items decided."""

import math
from collections.abc import Sequence

from reports.analysis.results import DecisionStep
from reports.drawing.marks import once, placed
from reports.drawing.picture import Picture
from reports.drawing.specification import Layer, Part

WIDTH, HEIGHT = 560, 220
SHARES = [0, 0.2, 0.4, 0.6, 0.8, 1]


def risk_plot(
    steps: Sequence[DecisionStep], *, alpha: float, threshold: DecisionStep | None, description: str
) -> Picture:
    """Draw both curves. alpha: the error rate that is accepted."""
    rows = [
        {"confidence": step.confidence, "bound": step.bound, "coverage": step.coverage}
        for step in reversed(steps)
    ]
    low = _below(rows[0]["confidence"])
    x: Part = {
        "field": "confidence",
        "type": "quantitative",
        "scale": {"domain": [low, 1], "nice": False},
        "axis": {
            "values": [round(low + (1 - low) * fifth / 5, 4) for fifth in range(6)],
            "format": ".2f",
            "grid": False,
            "title": "confidence from which the model decides",
        },
    }
    y: Part = {
        "type": "quantitative",
        "scale": {"domain": [0, 1], "nice": False},
        "axis": {"values": SHARES, "format": ".0%", "grid": True, "title": "share"},
    }
    layers: list[Layer] = [_rule("accepted", "overall", y={"datum": alpha, "type": "quantitative"})]
    if threshold is not None:
        # With the scale of the curves, which does not begin at 0.
        layers.append(_rule("here", "here", x={**_without_field(x), "datum": threshold.confidence}))
    layers += [
        _line("coverage", "interval", 1, x=x, y={**y, "field": "coverage"}),
        _line("bound", "course", 2, x=x, y={**y, "field": "bound"}),
    ]
    specification = {"width": WIDTH, "height": HEIGHT, "data": {"values": rows}, "layer": layers}
    return Picture(specification, kind="winning", words=description)


def _without_field(channel: Part) -> Part:
    return {name: value for name, value in channel.items() if name != "field"}


def _below(lowest: float) -> float:
    """Return the tenth below the lowest confidence, and below 1."""
    return min(0.9, math.floor(lowest * 10) / 10)


def _line(name: str, style: str, width: float, **encoding: Part) -> Layer:
    return {
        "name": name,
        "mark": {"type": "line", "style": style, "strokeWidth": width},
        "encoding": encoding,
    }


def _rule(name: str, style: str, **encoding: Part) -> Layer:
    return once(placed({"name": name, "mark": {"type": "rule", "style": style}}, **encoding))
