"""The winning rate of a model by ε: the cost advantage from which it may replace a person."""

from collections.abc import Mapping

from reports.drawing.marks import once, placed
from reports.drawing.picture import Picture
from reports.drawing.specification import Layer, Part

WIDTH, HEIGHT = 560, 200
# The labeled values of ε, in steps of 0.05.
TICKS = (0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
SHARES = (0, 0.25, 0.5, 0.75, 1)


def winning_plot(winning: Mapping[float, float], *, here: float, passes: float, description: str) -> Picture:
    """Draw the curve. winning: ω by ε, ascending. here: the chosen ε. passes: the ω from which the model passes."""
    rows = [{"epsilon": each, "winning": share} for each, share in winning.items() if each <= TICKS[-1]]
    x: Part = {
        "field": "epsilon",
        "type": "quantitative",
        "scale": {"domain": [0, TICKS[-1]], "nice": False},
        "axis": {"values": list(TICKS), "format": ".2f", "grid": False, "title": "ε"},
    }
    y: Part = {
        "field": "winning",
        "type": "quantitative",
        "scale": {"domain": [0, 1], "nice": False},
        "axis": {"values": list(SHARES), "format": ".2f", "grid": True, "title": "winning rate ω"},
    }
    specification = {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": rows},
        "layer": [
            _rule("passes", "overall", y={"datum": passes, "type": "quantitative"}),
            _rule("here", "here", x={"datum": here, "type": "quantitative"}),
            {
                "name": "course",
                "mark": {"type": "line", "style": "course", "interpolate": "step-after", "strokeWidth": 2},
                "encoding": {"x": x, "y": y},
            },
        ],
    }
    return Picture(specification, kind="winning", words=description)


def _rule(name: str, style: str, **encoding: Part) -> Layer:
    return once(placed({"name": name, "mark": {"type": "rule", "style": style}}, **encoding))
